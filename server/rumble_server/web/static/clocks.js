// @ts-check
// Clocks of a running match, which count down between two events of the feed, by the server's time.

import { setText } from "./elements.js";

const PACE_MS = 100;

/**
 * Write the time on a clock: 9.3, 0:59, 12:05, 1:02:03; as the server does (`clock_face`).
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
 * Write how long a bot has been away, and how long the match still waits; as the server does (`away_text`).
 * @param {Away} away
 * @param {number} now
 */
function awayText({ since_at_ms, until_at_ms }, now) {
  const [gone, left] = [now - since_at_ms, until_at_ms - now].map((ms) => Math.floor(Math.max(0, ms) / 1000));
  return `away ${gone} s, ${left} s left`;
}

/** The clocks of the seats, and the absences of bots, in elements of the page. */
export class Clocks {
  /**
   * Lead of the server's clock over `performance.now()` in ms. Delivery takes time, so the largest measured lead counts.
   * `performance.now()` does not jump when the visitor's clock is set.
   */
  #ahead = -Infinity;
  /** @type {{seats_ms: number[], movers: number[], ticking: boolean, at_ms: number, away?: (Away | null)[]} | null} */
  #state = null;
  #sure = true;

  /**
   * @param {HTMLElement[]} faces by seat
   * @param {HTMLElement[]} aways by seat
   * @param {number} shortMs the time from which on a running clock is marked
   */
  constructor(faces, aways, shortMs = 5000) {
    this.faces = faces;
    this.aways = aways;
    this.shortMs = shortMs;
    setInterval(() => this.#show(), PACE_MS);
  }

  /**
   * Set the clocks as of `at_ms`; the clocks of the movers run if `ticking`. Null removes the clocks after the match.
   * @param {{seats_ms: number[], movers: number[], ticking: boolean, at_ms: number, away?: (Away | null)[]} | null} state
   */
  set(state) {
    this.#state = state;
    if (state) this.#ahead = Math.max(this.#ahead, state.at_ms - performance.now());
    this.#show();
  }

  /**
   * Set whether the page is connected. Without a connection the clocks stand still and are marked.
   * @param {boolean} sure
   */
  trust(sure) {
    this.#sure = sure;
    this.#show();
  }

  /** Return the remaining time of each seat in ms. */
  left() {
    const { seats_ms, at_ms } = this.#state ?? { seats_ms: [], at_ms: 0 };
    const gone = Math.max(0, performance.now() + this.#ahead - at_ms);
    return seats_ms.map((ms, seat) => Math.max(0, this.#runs(seat) ? ms - gone : ms));
  }

  /** @param {number} seat */
  #runs(seat) {
    return this.#state !== null && this.#state.ticking && this.#state.movers.includes(seat);
  }

  #show() {
    const left = this.left();
    for (const [seat, face] of this.faces.entries()) {
      face.hidden = !this.#state;
      if (!this.#state) continue;
      const runs = this.#runs(seat);
      if (this.#sure) {
        setText(face, clockFace(left[seat]));
        face.title = runs ? "running" : "standing";
        face.classList.toggle("short", runs && left[seat] < this.shortMs);
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
      shown.textContent = awayText(away, performance.now() + this.#ahead);
      const since = new Date(Date.now() - performance.now() + away.since_at_ms - this.#ahead);
      shown.title = `Since ${since.toLocaleTimeString()}; it loses if it is not back by then`;
    }
  }
}
