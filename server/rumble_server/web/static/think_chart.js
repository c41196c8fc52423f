// @ts-check
// The bars of thinking times under a match's moves, made as the server makes them (`pages/think_chart.py`).

import { tag } from "./drawing.js";

const WIDTH = 10;
const HALF = 50;
const SCALE_MS = 10;
const LEAST_LONGEST_MS = 100;
const FEWEST = 24;

/**
 * Write the thinking time of a move: 12 ms, 3.4 s, 75 s; as the server does (`thought_text`).
 * @param {number} ms
 */
export function thoughtText(ms) {
  if (ms < 1000) return `${ms} ms`;
  return ms < 10000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : `${Math.floor(ms / 1000)} s`;
}

/** The chart of the page: a bar for each ply, which links to the ply and shows its time under the pointer. */
export class ThinkChart {
  /** @type {(number | null)[]} */ #thought = [];
  /** @type {number[]} */ #movers = [];
  #ply = 0;

  /**
   * @param {HTMLElement} figure
   * @param {string[]} names by seat
   * @param {string[]} colours of the pieces, by seat
   */
  constructor(figure, names, colours) {
    this.figure = figure;
    this.names = names;
    this.colours = colours;
    this.bars = /** @type {Element} */ (figure.querySelector("svg"));
    this.output = /** @type {Element} */ (figure.querySelector("output"));
    this.bars.addEventListener("pointerover", (event) => this.#tell(plyOf(event) ?? this.#ply));
    this.bars.addEventListener("pointerleave", () => this.#tell(this.#ply));
  }

  /**
   * Draw the bars.
   * @param {(number | null)[]} thought in ms by ply; null if unknown
   * @param {number[]} movers
   */
  show(thought, movers) {
    this.#thought = thought;
    this.#movers = movers;
    const longest = Math.max(LEAST_LONGEST_MS, ...thought.map((ms) => ms ?? 0));
    this.bars.setAttribute("viewBox", `0 0 ${WIDTH * Math.max(thought.length, FEWEST)} ${2 * HALF}`);
    const bars = thought.flatMap((ms, ply) => (ms === null ? [] : [this.#bar(ply, ms, longest)]));
    this.bars.replaceChildren(...bars);
    this.figure.hidden = bars.length === 0;
    this.mark(this.#ply);
  }

  /**
   * Mark the ply on the board.
   * @param {number} ply
   */
  mark(ply) {
    this.#ply = ply;
    this.bars.querySelector(".now")?.classList.remove("now");
    this.bars.querySelector(`[data-ply="${ply}"]`)?.classList.add("now");
    this.#tell(ply);
  }

  /** @param {number} ply @param {number} ms @param {number} longest */
  #bar(ply, ms, longest) {
    const height = Math.max(2, Math.floor((HALF * Math.log1p(ms / SCALE_MS)) / Math.log1p(longest / SCALE_MS)));
    const seat = this.#movers[ply];
    const place = { x: WIDTH * ply + 1, y: seat ? HALF : HALF - height, width: WIDTH - 2, height };
    return tag(
      "a",
      { href: `${location.pathname}?ply=${ply + 1}`, tabindex: -1, "data-ply": ply + 1, class: "bar" },
      tag("rect", { class: "room", x: WIDTH * ply, y: 0, width: WIDTH, height: 2 * HALF }),
      tag("rect", { class: this.colours[seat], ...place }),
    );
  }

  /** @param {number} ply */
  #tell(ply) {
    const ms = this.#thought[ply - 1] ?? null;
    const text = ms === null ? "" : `${this.names[this.#movers[ply - 1]]}: ${thoughtText(ms)}`;
    if (this.output.textContent !== text) this.output.textContent = text;
  }
}

/**
 * Return the ply of the bar under an event; null without a bar.
 * @param {Event} event
 */
export function plyOf(event) {
  const ply = /** @type {Element} */ (event.target).closest(".bar")?.getAttribute("data-ply");
  return ply ? Number(ply) : null;
}
