// The page of a match: live while it is being played, and a replay, ply by ply.

import { Clocks } from "./clocks.js";
import { byId, element, follow, points, result } from "./live.js";
import { Replay } from "./replay.js";
import { offerTranscript } from "./transcript.js";

/** @typedef {import("./feed").Board} Board */
/** @typedef {import("./feed").MatchResult} MatchResult */

const page = byId("match");
const { id = "", tournament = "", marks: written = "" } = page.dataset;
const marks = written.split(" ");
const seats = [...document.querySelectorAll(".seats li")];
const clocks = new Clocks(seats.map((seat) => part(seat, ".clock")));
const replay = new Replay(page);
let opening = Number(page.dataset.opening);
let end = () => {};

/**
 * Return a part of an element. Throws if there is none.
 * @param {Element} whole
 * @param {string} selector
 */
function part(whole, selector) {
  const found = whole.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * @param {string[]} moves
 * @param {(string | null)[]} notes
 */
function showMoves(moves, notes) {
  const list = byId("moves");
  while (list.childElementCount > moves.length) list.lastElementChild?.remove();
  moves.forEach((move, ply) => {
    const shown = list.children[ply];
    const same = shown?.querySelector("code")?.textContent === move && Boolean(shown.querySelector(".note")) === Boolean(notes[ply]);
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

/**
 * Write who won and how. The server writes it the same (`verdict_text`).
 * @param {MatchResult} over
 */
function verdict({ scores, winner, seats: names, reason, termination }) {
  const who = winner === null ? "Draw" : `${names[winner]} wins`;
  const how = termination === "normal" ? "" : ` (${termination.replaceAll("_", " ")})`;
  return scores === null ? `${reason}${how}; it is played again` : `${who}: ${reason}${how}`;
}

/** @param {number | null} mover */
function showMover(mover) {
  seats.forEach((seat, index) => seat.classList.toggle("mover", index === mover));
}

/** @param {Board} data */
function showBoard(data) {
  if (data.match !== id || data.attempt < replay.attempt) return;
  if (data.attempt > replay.attempt) {
    replay.restart(data.attempt);
    byId("attempt").textContent = `, attempt ${data.attempt}`;
    byId("fault").hidden = true;
    seats.forEach((seat) => part(seat, ".score").replaceChildren());
  }
  if (replay.over) return;
  byId("outcome").textContent = `${data.seats[data.seat]} (${marks[data.seat]}) to move`;
  showMover(data.seat);
  showMoves(data.moves, []);
  clocks.set(data);
  replay.take(data);
}

/** @param {{match: string}} data */
async function showOver(data) {
  if (data.match !== id) return;
  const answer = await fetch(`/api/matches/${encodeURIComponent(id)}`);
  if (!answer.ok) return;
  const match = await answer.json();
  if (match.status !== "over") return;
  byId("outcome").replaceChildren(element("b", {}, result(match.scores)), ` ${verdict(match)}`);
  byId("fault").hidden = match.at_fault.length === 0;
  byId("fault").textContent = `At fault: ${match.at_fault.map((/** @type {number} */ seat) => match.seats[seat]).join(", ")}`;
  seats.forEach((seat, index) => part(seat, ".score").replaceChildren(match.scores ? points(match.scores[index]) : ""));
  opening = match.opening;
  showMover(null);
  showMoves(match.moves, match.notes);
  clocks.set(null);
  replay.over = true;
  replay.take(match);
  await replay.go(replay.follows ? match.ply : replay.ply, replay.follows);
  if (match.scores !== null) end(); // a void match is played again, under the same id
}

if (page.dataset.status === "running") {
  const { at, seat, ticking } = page.dataset;
  const seats_ms = clocks.faces.map((face) => Number(face.dataset.ms));
  clocks.set({ seats_ms, seat: Number(seat), ticking: ticking === "yes", at_ms: Number(at) });
  const handlers = {
    /** @param {{running: Board[]}} data */
    snapshot(data) {
      const board = data.running.find((each) => each.match === id);
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
offerTranscript(/** @type {HTMLFormElement} */ (byId("transcript")), id);
