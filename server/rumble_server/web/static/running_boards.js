// The boards of the running matches on a tournament's page.

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
 * Show the board of a match that has begun or gone on.
 * @param {string[]} marks
 * @param {Board} data
 */
export function showBoard(marks, data) {
  running.add(data.match);
  paint("playing", showCount);
  paint(`board ${data.match}`, () => {
    if (!running.has(data.match)) return;
    const board = shown.get(data.match) ?? newBoard(data);
    if (board) drawBoard(board, marks, data);
  });
}

/**
 * Show these boards and no others.
 * @param {string[]} marks
 * @param {Board[]} data
 */
export function showBoards(marks, data) {
  running = new Set(data.map((board) => board.match));
  for (const match of shown.keys()) if (!running.has(match)) remove(match);
  for (const board of data) showBoard(marks, board);
  paint("playing", showCount);
}

/**
 * Remove the board of a match that is over.
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

/** @param {Board} data */
function newBoard(data) {
  if (shown.size >= MOST_BOARDS) return null;
  const link = element("a", { href: `/matches/${data.match}` }, data.seats.join(" – "));
  const board = element("article", { class: "card", "data-match": data.match }, element("h3", {}, link));
  board.append(element("div", { class: "drawn" }), element("p", { class: "quiet small" }));
  boards.append(board);
  shown.set(data.match, board);
  return board;
}

/**
 * @param {HTMLElement} board
 * @param {string[]} marks
 * @param {Board} data
 */
function drawBoard(board, marks, data) {
  picture(board, data).show(data);
  const state = board.querySelector("p");
  if (state) setText(state, `ply ${data.ply}, ${data.seats[data.seat]} (${marks[data.seat]}) to move`);
}

/**
 * Return the view of a board; it replaces what the server drew.
 * @param {HTMLElement} board
 * @param {Board} data
 */
function picture(board, data) {
  let view = pictures.get(board);
  if (!view) {
    const root = /** @type {HTMLElement} */ (board.querySelector(".drawn"));
    view = new BoardView(root, { label: data.seats.join(" – ") });
    pictures.set(board, view);
  }
  return view;
}

function showCount() {
  byId("playing").hidden = running.size === 0;
  setText(byId("playing-count"), String(running.size));
}
