// @ts-check
// The list of a match's moves, with their times and notes; the ply on the board is marked.

import { element } from "./elements.js";
import { thoughtText } from "./think_chart.js";

/**
 * @typedef {object} Course
 * @property {string[]} written the moves as people write them
 * @property {number[]} movers the seats that made the moves
 * @property {(number | null)[]} thought_ms the times of the moves; null if unknown
 */

/**
 * @typedef {object} Info a bot's thoughts about its move
 * @property {number | null} score
 * @property {number | null} depth
 * @property {number | null} nodes
 * @property {number | null} time_ms
 * @property {string[] | null} pv
 */

/** The list on the page of a match. */
export class MovesList {
  #ply = 0;

  /**
   * @param {HTMLElement} list
   * @param {{opening: number, inPairs: boolean}} options `inPairs`: two moves have one number
   */
  constructor(list, { opening, inPairs }) {
    this.list = list;
    this.opening = opening;
    this.inPairs = inPairs;
  }

  /**
   * Show moves; earlier notes stay unless `notes` are given.
   * @param {string[]} written
   * @param {(number | null)[]} thought
   * @param {(string | null)[]} [notes]
   */
  show(written, thought, notes) {
    while (this.list.childElementCount > written.length) this.list.lastElementChild?.remove();
    written.forEach((move, ply) => {
      const item = this.list.children[ply] ?? this.list.appendChild(this.#item(ply));
      const ms = thought[ply] ?? null;
      write(item, "code", move);
      write(item, ".took", ms === null ? (ply < this.opening ? "opening" : "") : thoughtText(ms));
      if (notes) {
        item.querySelector(".note")?.remove();
        if (notes[ply]) item.append(" ", element("span", { class: "note" }, notes[ply] ?? ""));
      }
    });
    this.mark(this.#ply);
  }

  /**
   * Mark the ply on the board, and all later plies.
   * @param {number} ply
   */
  mark(ply) {
    this.#ply = ply;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    [...this.list.children].forEach((item, index) => item.classList.toggle("later", index >= ply));
    const current = this.list.children[ply - 1];
    current?.querySelector("a")?.setAttribute("aria-current", "step");
    if (current) this.#reveal(current);
    else this.list.scrollTop = 0;
  }

  /** @param {number} ply */
  #item(ply) {
    const number = this.inPairs ? (ply % 2 ? "" : `${ply / 2 + 1}.`) : String(ply + 1);
    const [count, took] = [element("span", { class: "count" }, number), element("span", { class: "took" })];
    return element("li", {}, element("a", { href: `${location.pathname}?ply=${ply + 1}` }, count, " ", element("code"), " ", took));
  }

  /** Scroll the list, but not the page, to a move and its note; to the move, if both are too high. @param {Element} item */
  #reveal(item) {
    const [inside, around] = [item.getBoundingClientRect(), this.list.getBoundingClientRect()];
    this.list.scrollTop += Math.min(Math.max(inside.bottom - around.bottom, 0), inside.top - around.top);
  }
}

/** @param {Element} item @param {string} selector @param {string} text */
function write(item, selector, text) {
  const link = /** @type {Element} */ (item.querySelector("a"));
  const part = item.querySelector(selector) ?? link.appendChild(element("span", { class: selector.slice(1) }));
  if (part.textContent !== text) part.textContent = text;
}

/**
 * Return the texts beside the moves: the bots' notes and thoughts.
 * @param {(string | null)[]} notes
 * @param {(Info | null)[]} infos
 */
export function beside(notes, infos) {
  return notes.map((note, ply) => [note, infoText(infos[ply] ?? null)].filter(Boolean).join(" · "));
}

/** Write `+0.35/12 1.2s, 3120 nodes, pv e2e4 e7e5`, without unknown parts. @param {Info | null} info */
function infoText(info) {
  if (!info) return "";
  const { score, depth, nodes, time_ms, pv } = info;
  let first = score === null ? "" : `${score < 0 ? "-" : "+"}${Math.abs(score).toFixed(2)}`;
  if (depth !== null) first = first ? `${first}/${depth}` : `depth ${depth}`;
  if (time_ms !== null) first = `${first} ${time_ms / 1000}s`.trim();
  const more = [nodes === null ? "" : `${nodes} nodes`, pv?.length ? `pv ${pv.join(" ")}` : ""];
  return [first, ...more].filter(Boolean).join(", ");
}
