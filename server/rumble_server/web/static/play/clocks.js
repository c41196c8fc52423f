// Clocks that count down between what the server tells.

const EVERY_MS = 200;
const LOW_MS = 10_000;

/**
 * A time left, as clocks show it: `1:05`, and tenths at the end.
 * @param {number} ms
 */
export function clockFace(ms) {
  const left = Math.max(0, ms);
  if (left < LOW_MS) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

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
   * What each seat has left now, and whose clock runs (null: nobody's).
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

  /** What a seat has left now, in ms. @param {number} seat */
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
