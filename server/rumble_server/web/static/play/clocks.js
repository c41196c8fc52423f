// Clocks that count down between two messages of the server.

const EVERY_MS = 200;
const LOW_MS = 10_000;

export class Clocks {
  /** @type {number[]} */
  #left = [];
  /** @type {number | null} */
  #running = null;
  #since = 0;
  /** @type {number | undefined} */
  #timer;

  /** @param {(seat: number, ms: number, low: boolean) => void} show */
  constructor(show) {
    this.show = show;
  }

  /**
   * Set the remaining time of each seat in ms, and the seat whose clock runs (null: none).
   * @param {number[]} left
   * @param {number | null} running
   */
  set(left, running) {
    this.#left = [...left];
    this.#running = running;
    this.#since = performance.now();
    clearInterval(this.#timer);
    this.#tick();
    if (running !== null) this.#timer = setInterval(() => this.#tick(), EVERY_MS);
  }

  /** Return the remaining time of a seat in ms. @param {number} seat */
  left(seat) {
    const spent = seat === this.#running ? performance.now() - this.#since : 0;
    return (this.#left[seat] ?? 0) - spent;
  }

  #tick() {
    this.#left.forEach((_, seat) => {
      const left = this.left(seat);
      this.show(seat, left, seat === this.#running && left < LOW_MS);
    });
  }
}
