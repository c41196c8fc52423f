// A drawn board that stays in the page; for the next position only the differences are drawn.

import { inWords, lastMove, picture, pieceAt, Plan } from "./drawing.js";

/** @typedef {import("./drawing.js").Drawing} Drawing */

export class DrawnBoard {
  /** @type {SVGElement | null} */ #picture = null;
  /** @type {(Element | null)[]} */ #pieces = [];
  /** The part of the drawing that stays the same during a match, as JSON. */
  #fixed = "";
  #board = "";
  #last = "";
  #frame;

  /** @param {Element} frame the element whose content the picture replaces */
  constructor(frame) {
    this.#frame = frame;
  }

  /**
   * Show a position, and return its picture, which is equal to the result of `picture`.
   * @param {Drawing} drawing @param {string} label @param {boolean} flipped
   * @returns {SVGElement}
   */
  show(drawing, label, flipped = false) {
    const { board, last, ...others } = drawing;
    const fixed = JSON.stringify([others, board.length, flipped]);
    let drawn = this.#picture;
    if (drawn === null || drawn.parentNode !== this.#frame || fixed !== this.#fixed) {
      drawn = this.#drawAll(drawing, label, flipped);
      this.#fixed = fixed;
    } else {
      this.#change(drawn, drawing, new Plan(drawing, flipped));
      const words = `${label}. ${inWords(drawing)}`;
      if (drawn.getAttribute("aria-label") !== words) drawn.setAttribute("aria-label", words);
    }
    this.#board = board;
    this.#last = String(last);
    return drawn;
  }

  /** @param {Drawing} drawing @param {string} label @param {boolean} flipped */
  #drawAll(drawing, label, flipped) {
    const drawn = picture(drawing, label, flipped);
    const pieces = [...(drawn.querySelector(".pieces")?.children ?? [])].values();
    this.#pieces = [...drawing.board].map((mark) => (mark in drawing.pieces ? (pieces.next().value ?? null) : null));
    this.#frame.replaceChildren(drawn);
    this.#picture = drawn;
    return drawn;
  }

  /** @param {SVGElement} drawn @param {Drawing} drawing @param {Plan} plan */
  #change(drawn, drawing, plan) {
    const group = drawn.querySelector(".pieces");
    /** @type {Element | null} */
    let next = null;
    for (let cell = drawing.board.length - 1; cell >= 0; cell -= 1) {
      const mark = drawing.board[cell];
      if (mark !== this.#board[cell]) {
        this.#pieces[cell]?.remove();
        const piece = mark in drawing.pieces ? pieceAt(drawing.pieces[mark], plan.cell(cell)) : null;
        if (piece) group?.insertBefore(piece, next);
        this.#pieces[cell] = piece;
      }
      next = this.#pieces[cell] ?? next;
    }
    if (String(drawing.last) === this.#last) return;
    drawn.querySelector(".marked")?.remove();
    group?.before(...lastMove(drawing, plan, true));
    group?.after(...lastMove(drawing, plan, false));
  }
}
