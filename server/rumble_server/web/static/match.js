// The page of a match: live while it is being played, and a replay of every ply.

import { Clocks } from "/static/clocks.js";
import { element, follow, points, result } from "/static/live.js";
import { Replay } from "/static/replay.js";
import { offerTranscript } from "/static/transcript.js";

const page = document.getElementById("match");
const { id, tournament } = page.dataset;
const marks = page.dataset.marks.split(" ");
const byId = (name) => document.getElementById(name);
const seats = [...document.querySelectorAll(".seats li")];
const clocks = new Clocks(seats.map((seat) => seat.querySelector(".clock")));
const replay = new Replay(page);
let opening = Number(page.dataset.opening);
let end = () => {};

function showMoves(moves, notes) {
  const list = byId("moves");
  while (list.childElementCount > moves.length) list.lastElementChild.remove();
  moves.forEach((move, ply) => {
    const shown = list.children[ply];
    const same = shown?.querySelector("code").textContent === move && Boolean(shown.querySelector(".note")) === Boolean(notes[ply]);
    if (same) return;
    const count = element("span", { class: "count" }, String(ply + 1));
    const item = element("li", {}, element("a", { href: `${location.pathname}?ply=${ply + 1}` }, count, " ", element("code", {}, move)));
    if (ply < opening) item.append(" ", element("span", { class: "quiet" }, "opening"));
    if (notes[ply]) item.append(" ", element("span", { class: "note" }, notes[ply]));
    if (shown) shown.replaceWith(item);
    else list.append(item);
  });
  byId("no-moves").hidden = moves.length > 0;
}

function showMover(mover) {
  seats.forEach((seat, index) => seat.classList.toggle("mover", index === mover));
}

function showBoard(told) {
  if (told.match !== id || told.attempt < replay.attempt) return;
  if (told.attempt > replay.attempt) {
    replay.restart(told.attempt);
    byId("attempt").textContent = `, attempt ${told.attempt}`;
    byId("fault").hidden = true;
    seats.forEach((seat) => seat.querySelector(".score").replaceChildren());
  }
  if (replay.over) return;
  byId("outcome").textContent = `${told.seats[told.seat]} (${marks[told.seat]}) to move`;
  showMover(told.seat);
  showMoves(told.moves, []);
  clocks.tell(told);
  replay.take(told);
}

async function showOver(told) {
  if (told.match !== id) return;
  const answer = await fetch(`/api/matches/${encodeURIComponent(id)}`);
  if (!answer.ok) return;
  const match = await answer.json();
  if (match.status !== "over") return;
  const how = match.termination === "normal" ? "" : ` (${match.termination.replaceAll("_", " ")})`;
  byId("outcome").replaceChildren(element("b", {}, result(match.scores)), ` ${match.reason}${how}`);
  byId("fault").hidden = match.at_fault.length === 0;
  byId("fault").textContent = `At fault: ${match.at_fault.map((seat) => match.seats[seat]).join(", ")}`;
  seats.forEach((seat, index) => seat.querySelector(".score").replaceChildren(match.scores ? points(match.scores[index]) : ""));
  opening = match.opening;
  showMover(null);
  showMoves(match.moves, match.notes);
  clocks.tell(null);
  replay.over = true;
  replay.take({ ply: match.ply, drawing: match.drawing, diagram: match.diagram });
  await replay.go(replay.follows ? match.ply : replay.ply, replay.follows);
  if (match.scores !== null) end(); // a void match is played again, under the same id
}

if (page.dataset.status === "running") {
  const { at, seat, ticking } = page.dataset;
  const seats_ms = clocks.faces.map((face) => Number(face.dataset.ms));
  clocks.tell({ seats_ms, seat: Number(seat), ticking: ticking === "yes", at_ms: Number(at) });
  const handlers = {
    snapshot(told) {
      const board = told.running.find((each) => each.match === id);
      if (board) showBoard(board);
      else showOver({ match: id });
    },
    match_start: showBoard,
    move: showBoard,
    match_over: showOver,
  };
  end = follow(tournament, handlers, (sure) => clocks.trust(sure));
}
replay.begin();
offerTranscript(byId("transcript"), id);

for (const button of document.querySelectorAll(".copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}
