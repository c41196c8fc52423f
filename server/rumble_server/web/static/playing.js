// The boards of the matches that are being played.

import { BoardView } from "./board.js";
import { byId, element } from "./live.js";
import { paint, setText } from "./paint.js";

const MOST_BOARDS = 24;

/** @typedef {import("./feed").Board} Board */

const boards = byId("boards");
/** @type {Map<string, HTMLElement>} */
const shown = new Map();
for (const board of boards.querySelectorAll("article")) shown.set(board.dataset.match ?? "", board);
/** @type {WeakMap<HTMLElement, BoardView>} */
const pictures = new WeakMap();
/** @type {Set<string>} */
let running = new Set(shown.keys());

/**
 * A match has begun or gone on.
 * @param {string[]} marks
 * @param {Board} told
 */
export function showBoard(marks, told) {
  running.add(told.match);
  paint("playing", showCount);
  paint(`board ${told.match}`, () => {
    if (!running.has(told.match)) return;
    const board = shown.get(told.match) ?? newBoard(told);
    if (board) drawBoard(board, marks, told);
  });
}

/**
 * These matches are played, and no others.
 * @param {string[]} marks
 * @param {Board[]} told
 */
export function showBoards(marks, told) {
  running = new Set(told.map((board) => board.match));
  for (const match of shown.keys()) if (!running.has(match)) remove(match);
  for (const board of told) showBoard(marks, board);
  paint("playing", showCount);
}

/**
 * A match is over.
 * @param {string} match
 */
export function removeBoard(match) {
  running.delete(match);
  paint(`board ${match}`, () => remove(match));
  paint("playing", showCount);
}

/** @param {string} match */
function remove(match) {
  shown.get(match)?.remove();
  shown.delete(match);
}

/** @param {Board} told */
function newBoard(told) {
  if (shown.size >= MOST_BOARDS) return null;
  const link = element("a", { href: `/matches/${told.match}` }, told.seats.join(" – "));
  const board = element("article", { class: "card", "data-match": told.match }, element("h3", {}, link));
  board.append(element("div", { class: "drawn" }), element("p", { class: "quiet small" }));
  boards.append(board);
  shown.set(told.match, board);
  return board;
}

/**
 * @param {HTMLElement} board
 * @param {string[]} marks
 * @param {Board} told
 */
function drawBoard(board, marks, told) {
  picture(board, told).show(told);
  const state = board.querySelector("p");
  if (state) setText(state, `ply ${told.ply}, ${told.seats[told.seat]} (${marks[told.seat]}) to move`);
}

/**
 * The view of a board, over what the server drew.
 * @param {HTMLElement} board
 * @param {Board} told
 */
function picture(board, told) {
  let view = pictures.get(board);
  if (!view) {
    const root = /** @type {HTMLElement} */ (board.querySelector(".drawn"));
    view = new BoardView(root, { label: told.seats.join(" – ") });
    pictures.set(board, view);
  }
  return view;
}

function showCount() {
  byId("playing").hidden = running.size === 0;
  setText(byId("playing-count"), String(running.size));
}
