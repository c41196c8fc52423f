// Keeps the page of a running match live.

import { byId, element, follow, result } from "/static/live.js";

/** @typedef {import("/static/live.js").Told} Told */

const page = byId("match");
const { id = "", tournament = "" } = page.dataset;

/**
 * @param {string[]} moves
 * @param {(string | null)[]} notes
 */
function showMoves(moves, notes) {
  const items = moves.map((move, ply) => {
    const item = element("li", {}, element("code", {}, move));
    const note = notes[ply];
    if (note) item.append(" ", element("span", { class: "quiet" }, note));
    return item;
  });
  byId("moves").replaceChildren(...items);
}

/** @param {Told} told */
function showBoard(told) {
  if (told.match !== id) return;
  byId("board").textContent = told.diagram;
  byId("outcome").textContent = `${told.seats[told.seat]} to move`;
  showMoves(told.moves, []);
}

/** @param {Told} told */
async function showOver(told) {
  if (told.match !== id) return;
  const answer = await fetch(`/api/matches/${encodeURIComponent(id)}`);
  if (!answer.ok) return;
  const match = await answer.json();
  if (match.status !== "over") return;
  byId("board").textContent = match.diagram;
  const how = match.termination === "normal" ? "" : ` (${match.termination.replaceAll("_", " ")})`;
  byId("outcome").replaceChildren(element("b", {}, result(match.scores)), ` ${match.reason}${how}`);
  showMoves(match.moves, match.notes);
}

if (page.dataset.status === "running") {
  follow(tournament, {
    snapshot(told) {
      const board = told.running.find((/** @type {Told} */ each) => each.match === id);
      if (board) showBoard(board);
      else showOver({ match: id });
    },
    match_start: showBoard,
    move: showBoard,
    match_over: showOver,
  });
}
