// The position, and the ways to choose a move there: on a board, or from a list of buttons where there is no drawing.

import { element } from "../live.js";

/** @typedef {import("./frames.js").Settings} Settings */
/** @typedef {{game: string, settings: Settings, state: Record<string, unknown>, diagram?: string}} Position */

export class Surface {
  #number = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /** A new match: nothing of an old one stays. @param {boolean} flipped whether the second seat is shown below */
  begin(flipped) {
    this.#number += 1;
    this.flipped = flipped;
    this.root.replaceChildren();
  }

  /**
   * Show a position. With `legal` it offers these moves, and calls back with the one chosen.
   * @param {Position} position
   * @param {string[]} [legal]
   * @param {(move: string) => void} [onMove]
   */
  async show(position, legal = [], onMove = () => {}) {
    const number = (this.#number += 1);
    const hadFocus = this.root.contains(document.activeElement);
    if (number !== this.#number) return;
    const diagram = element("pre", { class: "board large" }, position.diagram ?? JSON.stringify(position.state));
    const buttons = legal.map((move) => {
      const button = element("button", { type: "button" }, move);
      button.addEventListener("click", () => onMove(move));
      return button;
    });
    this.root.replaceChildren(diagram, element("div", { class: "row move-buttons", role: "group", "aria-label": "Your moves" }, ...buttons));
    if (hadFocus) buttons[0]?.focus();
  }

  /** Offer no moves any more. */
  stop() {
    this.#number += 1;
    for (const button of this.root.querySelectorAll("button")) button.disabled = true;
  }
}
