// The board of a match, and choosing a move on it. The server says how it is drawn and which cells a move needs.

import { BoardView } from "../board.js";
import { fetchAgain } from "../coming_again.js";
import { root } from "../root.js";

/** @typedef {import("../drawing.js").Drawing} Drawing */
/** @typedef {import("../board.js").Path} Path */
/** @typedef {import("../board.js").Shown} Shown */
/** @typedef {import("./frames.js").Settings} Settings */
/** @typedef {import("./typed.js").Spellings} Spellings */
/** @typedef {{game: string, settings: Settings, state: Record<string, unknown>, moves: string[]}} Position */

export class MoveBoard {
  /** @type {BoardView | null} */
  #view = null;
  /** The number of changes: an answer that comes after the next change is not shown. */
  #change = 0;
  /** The moves on offer that people write in another way: for each the texts that mean it. @type {Spellings} */
  spellings = {};
  /** Whether the person moves by keyboard: then each turn puts the focus on the board. */
  #byKeyboard = false;

  /**
   * @param {HTMLElement} root
   * @param {(drawing: Drawing) => void} onDrawing called with each drawing that is shown
   */
  constructor(root, onDrawing) {
    this.root = root;
    this.onDrawing = onDrawing;
    root.addEventListener("keydown", () => (this.#byKeyboard = true), true);
    root.addEventListener("pointerdown", () => (this.#byKeyboard = false), true);
  }

  /**
   * Begin a new match, with nothing of the one before.
   * @param {string} label
   * @param {boolean} flipped seen from the second seat
   */
  begin(label, flipped) {
    this.#change += 1;
    this.#view = new BoardView(this.root, { label, flipped });
  }

  /** Show what the server has drawn. @param {Shown} shown */
  show(shown) {
    this.stop();
    this.#show(shown);
  }

  /**
   * Have a position drawn, and show it. With `legal`, offer these moves; `onMove` gets the chosen one.
   * @param {Position} position
   * @param {string[]} [legal]
   * @param {(move: string) => void} [onMove]
   */
  async draw(position, legal = [], onMove = () => {}) {
    const change = (this.#change += 1);
    this.spellings = {};
    const drawn = await requestDrawing(position, legal);
    if (change !== this.#change || !this.#view) return;
    this.#show(drawn);
    if (legal.length === 0) return;
    this.spellings = drawn.spellings;
    this.#view.choose(drawn.moves, onMove);
    if (this.#byKeyboard && document.activeElement === document.body) this.#focus();
  }

  /** @param {Shown} shown */
  #show(shown) {
    this.#view?.show(shown);
    if (shown.drawing) this.onDrawing(shown.drawing);
  }

  #focus() {
    const target = this.root.querySelector("[tabindex='0'], button");
    if (target instanceof HTMLElement || target instanceof SVGElement) target.focus({ preventScroll: true });
  }

  /** Stop offering moves. */
  stop() {
    this.#change += 1;
    this.#view?.stop();
  }
}

/**
 * Ask the server for a drawing. If it does not answer, the moves can still be chosen by their text.
 * @param {Position} position
 * @param {string[]} legal
 * @returns {Promise<Shown & {moves: Record<string, Path>, spellings: Spellings}>}
 */
async function requestDrawing({ game, settings, state, moves }, legal) {
  const last = moves.at(-1);
  const body = JSON.stringify({ settings, state, legal, ...(last === undefined ? {} : { last_move: last }) });
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetchAgain(`${root}/api/games/${encodeURIComponent(game)}/board`, { method: "POST", headers, body });
    if (answer.ok) return await answer.json();
  } catch {
    // handled like an answer with an error
  }
  const diagram = "The board cannot be drawn at the moment.";
  return { drawing: null, diagram, moves: Object.fromEntries(legal.map((move) => [move, []])), spellings: {} };
}
