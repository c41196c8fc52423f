// The board of a match, and the choice of a move on the board. The server draws, and names the cells of each move.

import { BoardView } from "../board.js";
import { readJson } from "../coming_again.js";

/** @typedef {import("../drawing.js").Drawing} Drawing */
/** @typedef {import("../board.js").Path} Path */
/** @typedef {import("../board.js").Shown} Shown */
/** @typedef {import("./frames.js").Settings} Settings */
/** @typedef {import("./typed.js").Spellings} Spellings */
/** @typedef {{game: string, settings: Settings, state: Record<string, unknown>, moves: string[]}} Position */

export class MoveBoard {
  /** @type {BoardView | null} */
  #view = null;
  /** Number of changes, so that an answer that arrives after a further change is not shown. */
  #change = 0;
  /** The texts of the offered moves that people write differently, by move. @type {Spellings} */
  spellings = {};
  /** True if the person moves by keyboard, so that each turn puts the focus on the board. */
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
   * Begin a new match, without the content of the match before.
   * @param {string} label
   * @param {boolean} flipped seen from the second seat
   */
  begin(label, flipped) {
    this.stop();
    this.#view = new BoardView(this.root, { label, flipped });
  }

  /** Show a drawing of the server. @param {Shown} shown */
  show(shown) {
    this.stop();
    this.#show(shown);
  }

  /**
   * Have the server draw a position, and show it. With `legal`, offer these moves; `onMove` gets the chosen move.
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
    this.#view.choose(drawn.moves, onMove, drawn.keys, drawn.spellings);
    if (this.#byKeyboard && document.activeElement === document.body) this.#focus();
  }

  /**
   * Ask the server why a move is not allowed; null if the move is allowed, or without an answer.
   * @param {Position} position
   * @param {string} move
   * @returns {Promise<string | null>}
   */
  async refusal(position, move) {
    return (await ask(position, { legal: [], try_move: move }))?.refusal ?? null;
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
 * Ask the server for a drawing. Without an answer, moves can still be chosen by their text.
 * @param {Position} position
 * @param {string[]} legal
 * @returns {Promise<Shown & {moves: Record<string, Path>, spellings: Spellings, keys: Record<string, string>}>}
 */
async function requestDrawing(position, legal) {
  const answer = await ask(position, { legal });
  if (answer) return answer;
  const diagram = "The board cannot be drawn at the moment.";
  return { drawing: null, diagram, moves: Object.fromEntries(legal.map((move) => [move, []])), spellings: {}, keys: {} };
}

/**
 * Ask the server about a position; null without an answer.
 * @param {Position} position
 * @param {{legal: string[], try_move?: string}} more
 */
function ask({ game, settings, state, moves }, more) {
  const last = moves.at(-1);
  const body = JSON.stringify({ settings, state, ...more, ...(last === undefined ? {} : { last_move: last }) });
  const headers = { "Content-Type": "application/json" };
  return readJson(`games/${encodeURIComponent(game)}/board`, { method: "POST", headers, body });
}
