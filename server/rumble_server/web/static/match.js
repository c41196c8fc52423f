// Keeps the page of a running match live.

import { element, follow, result } from "/static/live.js";

const page = document.getElementById("match");
const id = page.dataset.id;
const byId = (name) => document.getElementById(name);

function showMoves(moves, notes) {
  const items = moves.map((move, ply) => {
    const item = element("li", {}, element("code", {}, move));
    if (notes[ply]) item.append(" ", element("span", { class: "quiet" }, notes[ply]));
    return item;
  });
  byId("moves").replaceChildren(...items);
}

function showBoard(told) {
  if (told.match !== id) return;
  byId("board").textContent = told.diagram;
  byId("outcome").textContent = `${told.seats[told.seat]} to move`;
  showMoves(told.moves, []);
}

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
  follow(page.dataset.tournament, {
    snapshot(told) {
      const board = told.running.find((each) => each.match === id);
      if (board) showBoard(board);
      else showOver({ match: id });
    },
    match_start: showBoard,
    move: showBoard,
    match_over: showOver,
  });
}
