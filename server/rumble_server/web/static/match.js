// @ts-check
// The page of a match: live during the match, and a replay, ply by ply.

import { Clocks } from "./clocks.js";
import { readJson } from "./coming_again.js";
import { byId, element, showText } from "./elements.js";
import { follow } from "./live.js";
import { beside, MovesList } from "./moves_list.js";
import { learnNames, shown, shownIn } from "./names.js";
import { Replay } from "./replay.js";
import { ReplayControls } from "./replay_controls.js";
import { moversText, result, seatText } from "./texts.js";
import { ThinkChart } from "./think_chart.js";
import { offerTranscript } from "./transcript.js";

/** Time in ms until the result is asked for again if the server does not answer. */
const AGAIN_MS = 3000;
/** Maximum number of these questions: ten minutes. The match may be gone for good, with its club. */
const MOST_AGAIN = 200;

/** @typedef {import("./feed").Board} Board */
/** @typedef {import("./feed").MatchResult} MatchResult */

const page = byId("match");
const { id = "", tournament = "" } = page.dataset;
/** @type {string[]} */
const seatNames = JSON.parse(page.dataset.seats ?? "[]");
learnNames(JSON.parse(page.dataset.displayNames ?? "{}"));
/** The names under which people see the bots, by seat. @type {string[]} */
const names = JSON.parse(page.dataset.names ?? "[]").map(shown);
const seats = names.map((_, seat) => part(page, `[data-seat="${seat}"].seat`));
const clocks = new Clocks(
  seats.map((seat) => part(seat, ".clock")),
  seats.map((seat) => part(seat, ".away")),
);
const chart = new ThinkChart(byId("think"), names, (page.dataset.colours ?? "").split(" "));
const list = new MovesList(byId("moves"), { opening: Number(page.dataset.opening), inPairs: page.dataset.pairs === "yes" });
const replay = new Replay(page, { onShow, onCourse, onPlaying });
const controls = new ReplayControls(replay);
const ask = byId("ask");
const resultBox = /** @type {HTMLDetailsElement} */ (byId("result"));
/** @type {boolean | null} */
let wanted = null; // the reader's wish to see the result; null: at the last ply only
let end = () => {};

/**
 * Return a part of an element. Throws without such a part.
 * @param {Element} whole
 * @param {string} selector
 */
function part(whole, selector) {
  const found = whole.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Quote a word of a shell's command line. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

// --- the ply on the board ---

/** @param {import("./replay.js").Frame} frame */
function onShow({ position }) {
  const { ply, plies, over } = replay;
  controls.show();
  resultBox.open = !over || (wanted ?? ply === plies); // before the list, which has less room below an open result
  list.mark(ply);
  chart.mark(ply);
  ask.textContent = `${ask.dataset.ask} --position ${quoted(position)}`;
  byId("asking").hidden = part(document.body, ".command:has(#ask)").hidden = !position || (over && ply === plies);
  byId("here").textContent = `${location.origin}${location.pathname}?ply=${ply}`;
}

function onCourse() {
  const { written, thought_ms, movers } = replay.course;
  list.show(written, thought_ms);
  chart.show(thought_ms, movers);
  byId("no-moves").hidden = written.length > 0;
}

/** @param {boolean} plays true if the replay goes on by itself */
function onPlaying(plays) {
  byId("play").textContent = plays ? "Pause" : "Play";
}

byId("result-title").addEventListener("click", () => (wanted = !resultBox.open));

// --- the live match ---

/**
 * Write the winner and the reason; as the server does (`verdict_text`).
 * @param {MatchResult} over
 */
function verdict({ scores, winner, reason, termination }) {
  const who = winner === null ? (names.length > 2 ? "First place is shared" : "Draw") : `${names[winner]} wins`;
  const how = termination === "normal" ? "" : ` (${termination.replaceAll("_", " ")})`;
  const why = `${shownIn(reason)}${how}`;
  return scores === null ? `${why}; it is played again` : `${who}: ${why}`;
}

/** @param {number[]} movers */
function showMovers(movers) {
  seats.forEach((seat, index) => seat.classList.toggle("mover", movers.includes(index)));
}

/** Forget an earlier attempt at the match. @param {number} attempt the attempt of newer data */
function beginAttempt(attempt) {
  if (attempt === replay.attempt) return;
  replay.restart(attempt);
  byId("attempt").textContent = `, attempt ${attempt}`;
  byId("fault").hidden = byId("result-title").hidden = true;
  for (const seat of seats) part(seat, ".score").replaceChildren();
  onCourse();
}

/** @param {Board} data */
function showBoard(data) {
  if (data.match !== id || data.attempt < replay.attempt) return;
  beginAttempt(data.attempt);
  if (replay.over) return;
  const seated = names.map((name, seat) => `${name} (${seatNames[seat]})`);
  byId("outcome").textContent = moversText(seated, data.movers);
  showMovers(data.movers);
  // The feed has moves on the wire only; the course with written moves arrives a moment later.
  const { written, thought_ms } = replay.course;
  list.show([...written, ...data.moves.slice(written.length)], thought_ms);
  byId("no-moves").hidden = data.moves.length > 0;
  clocks.set(data);
  replay.take(data);
}

/**
 * @param {{match: string}} data
 * @param {number} again number of times that the result may be asked for again
 */
async function showOver(data, again = MOST_AGAIN) {
  if (data.match !== id) return;
  const match = await readJson(`matches/${encodeURIComponent(id)}`);
  if (match === null && again > 0) setTimeout(showOver, AGAIN_MS, data, again - 1);
  if (match?.status !== "over" || match.attempt < replay.attempt) return; // the next attempt began while this was read
  beginAttempt(match.attempt);
  byId("outcome").replaceChildren(element("b", {}, result(match.scores)), ` ${verdict(match)}`);
  byId("result-title").hidden = false;
  const faulty = match.at_fault.map((/** @type {number} */ seat) => names[seat]);
  showText(byId("fault"), faulty.length ? `At fault: ${faulty.join(", ")}` : "");
  seats.forEach((seat, index) => part(seat, ".score").replaceChildren(match.scores ? seatText(match.scores, index) : ""));
  showMovers([]);
  clocks.set(null);
  replay.over = true;
  replay.uncover();
  replay.course = match;
  onCourse();
  list.show(match.written, match.thought_ms, beside(match.notes, match.infos));
  replay.take(match);
  await replay.go(replay.follows ? match.ply : replay.ply, replay.follows);
  if (match.scores !== null) end(); // a void match is played again, under the same id
}

if (page.dataset.status === "running") {
  const { at, movers = "", ticking } = page.dataset;
  const seats_ms = clocks.faces.map((face) => Number(face.dataset.ms));
  const away = clocks.aways.map(({ dataset }) =>
    dataset.since ? { since_at_ms: Number(dataset.since), until_at_ms: Number(dataset.until) } : null,
  );
  clocks.set({ seats_ms, movers: movers.split(" ").map(Number), ticking: ticking === "yes", at_ms: Number(at), away });
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
replay.go(replay.ply, replay.follows);
offerTranscript(/** @type {HTMLFormElement} */ (byId("transcript")), id);
