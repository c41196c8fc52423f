// @ts-check
// Clocks of a running match: they count down between two events of the feed, by the server's time.

const PACE_MS = 100;
const SHORT_MS = 5000;

/**
 * Write what a clock shows: 9.3, 0:59, 12:05, 1:02:03. The server writes it the same (`clock_face`).
 * @param {number} ms
 */
export function clockFace(ms) {
  if (ms < 10000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const whole = Math.floor(ms / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** @typedef {import("./feed").Away} Away */

/**
 * Write since when a bot is away, and how long a match waits for it. The server writes it the same (`away_text`).
 * @param {Away} away
 * @param {number} now
 */
function awayText({ since_at_ms, until_at_ms }, now) {
  const [gone, left] = [now - since_at_ms, until_at_ms - now].map((ms) => Math.floor(Math.max(0, ms) / 1000));
  return `away ${gone} s, ${left} s left`;
}

/** The clocks of the seats, and who is away, in elements of the page. */
export class Clocks {
  /** How far the server's clock is ahead of ours in ms, by the event that took the least time. */
  #ahead = -Infinity;
  /** @type {{seats_ms: number[], seat: number | null, ticking: boolean, at_ms: number, away?: (Away | null)[]} | null} */
  #state = null;
  #sure = true;

  /**
   * @param {HTMLElement[]} faces one for each seat
   * @param {HTMLElement[]} aways one for each seat
   */
  constructor(faces, aways) {
    this.faces = faces;
    this.aways = aways;
    setInterval(() => this.#show(), PACE_MS);
  }

  /**
   * Set how the clocks stood at `at_ms`; that of `seat` runs if `ticking`. Null: the match has no clocks any more.
   * @param {{seats_ms: number[], seat: number | null, ticking: boolean, at_ms: number, away?: (Away | null)[]} | null} state
   */
  set(state) {
    this.#state = state;
    if (state) this.#ahead = Math.max(this.#ahead, state.at_ms - Date.now());
    this.#show();
  }

  /**
   * Set whether there is a connection. If not, the clocks stand still and show that.
   * @param {boolean} sure
   */
  trust(sure) {
    this.#sure = sure;
    this.#show();
  }

  #show() {
    for (const [seat, face] of this.faces.entries()) {
      face.hidden = !this.#state;
      if (!this.#state) continue;
      const { seats_ms, seat: mover, ticking, at_ms } = this.#state;
      const runs = ticking && seat === mover;
      if (this.#sure) {
        const gone = runs ? Math.max(0, Date.now() + this.#ahead - at_ms) : 0;
        const left = Math.max(0, seats_ms[seat] - gone);
        face.textContent = clockFace(left);
        face.title = runs ? "running" : "standing";
        face.classList.toggle("short", runs && left < SHORT_MS);
      } else if (!face.classList.contains("unsure")) {
        face.textContent += " ?";
        face.title = "not connected: this is the last known time";
      }
      face.classList.toggle("unsure", !this.#sure);
    }
    for (const [seat, shown] of this.aways.entries()) {
      const away = this.#state?.away?.[seat];
      shown.hidden = !away;
      if (!away || !this.#sure) continue;
      shown.textContent = awayText(away, Date.now() + this.#ahead);
      shown.title = `Since ${new Date(away.since_at_ms - this.#ahead).toLocaleTimeString()}; it loses if it is not back by then`;
    }
  }
}
