// The page on which a person plays a bot: to the server, the person is a bot like any other.

import { byId } from "./live.js";
import { Link } from "./play/link.js";
import { Setup } from "./play/setup.js";
import { Table } from "./play/table.js";
import { closeText, errorText } from "./play/texts.js";

/** @typedef {import("./play/frames.js").Challenge} Challenge */
/** @typedef {import("./play/frames.js").ErrorFrame} ErrorFrame */
/** @typedef {import("./play/frames.js").Frame} Frame */
/** @typedef {import("./play/frames.js").Game} Game */
/** @typedef {import("./play/frames.js").Session} Session */

const KEPT_AS = "rumble.play";
const LONG_MS = 1000;

const banner = byId("connection");
const said = byId("said");
/** @type {Map<string, Game>} */
const games = new Map();

/** The challenge to send once logged in. @type {Challenge | null} */
let ask = null;
/** The tournament of a challenge that was taken, until its match begins. @type {string | null} */
let waiting = null;
/** The match that this tab was playing before it was loaded again. @type {string | null} */
let before = kept();
/** Whether a match goes on instead of the one that was asked for. */
let earlier = false;
/** @type {number | undefined} */
let patience;

const link = new Link({ frame: received, lost, wanted: () => ask !== null || waiting !== null || before !== null || table.playing });
const table = new Table(games, { send: deliver, said: (text) => (said.textContent = text) });
const setup = new Setup({ start: challenge, cancel });

/** @returns {string | null} */
function kept() {
  try {
    return sessionStorage.getItem(KEPT_AS);
  } catch {
    return null; // storage is forbidden here: loading the page again then begins anew
  }
}

/** Remember, for this tab alone, which match it plays. @param {string | null} match */
function remember(match) {
  try {
    if (match === null) sessionStorage.removeItem(KEPT_AS);
    else sessionStorage.setItem(KEPT_AS, match);
  } catch {
    before = null; // as above
  }
}

/** @param {string} text none hides it */
function showBanner(text) {
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = !text;
}

/** @param {Challenge} wanted */
function challenge(wanted) {
  ask = wanted;
  waiting = null;
  setup.busy(`Calling ${wanted.against}…`);
  table.note("again", `Calling ${wanted.against}…`, "");
  if (link.open(setup.guest)) send();
}

/** Send a message of the table, or say that it cannot be. @param {Record<string, unknown>} message */
function deliver(message) {
  const sent = link.send(message);
  table.note("unsent", sent ? "" : "Not sent: there is no connection to the server at the moment.", "bad");
  return sent;
}

/** Send the challenge. */
function send() {
  if (ask === null) return;
  if (!link.send(ask)) link.open(setup.guest);
}

function cancel() {
  if (waiting !== null) link.send({ type: "leave", tournament: waiting });
  else link.close();
  toSetup("");
}

/** Back to the form, with what is to be said. @param {string} text @param {string} [code] */
function toSetup(text, code) {
  clearTimeout(patience);
  ask = waiting = before = null;
  remember(null);
  showBanner("");
  table.show(false);
  setup.show(true);
  setup.idle();
  setup.problem(text, code);
}

/** The table takes the place of the form. */
function toTable() {
  clearTimeout(patience);
  ask = waiting = before = null;
  setup.idle();
  setup.problem("");
  setup.show(false);
  table.show(true);
}

/** @param {Frame} frame */
function received(frame) {
  switch (frame.type) {
    case "session":
      return loggedIn(frame);
    case "joined":
      if (ask === null) return;
      waiting = frame.tournament;
      patience = setTimeout(() => {
        if (waiting === null || ask === null) return;
        table.show(false);
        setup.show(true);
        setup.busy(`${ask.against} is playing. Your match begins when it is free.`);
      }, LONG_MS);
      return;
    case "match_start":
      if (table.playing && table.match?.id !== frame.match) return;
      toTable();
      remember(frame.match);
      table.start(frame);
      if (earlier) table.note("earlier", "You have not finished this match: it goes on before you begin another.");
      earlier = false;
      return;
    case "turn":
      return table.turn(frame);
    case "rejected":
      return table.rejected(frame);
    case "match_over":
      if (table.match?.id === frame.match) {
        table.over(frame);
        if (!table.playing) remember(null);
      } else if (waiting !== null) ended(frame.match);
      return;
    case "tournament_over":
      if (frame.tournament === waiting) toSetup("This match ended before it began.");
      return;
    case "notice":
      return noticed(frame.code, frame.message);
    case "error":
      return refused(frame);
  }
}

/** @param {Session} session */
function loggedIn(session) {
  showBanner("");
  table.note("notice", "");
  if (session.open) table.note("name", `Nobody's key protects the name ${session.name}: others can use it, too.`);
  if (session.matches.length > 0) {
    // What is open goes on first: its match_start follows.
    earlier ||= ask !== null && waiting === null;
    ask = null;
    return;
  }
  if (waiting !== null && session.tournaments.some((each) => each.id === waiting)) return;
  const match = before ?? (table.playing ? table.match?.id : null);
  if (match) ended(match);
  else if (waiting !== null) toSetup("This match ended before it began.");
  else send();
}

/** A match ended while this page was not connected, or before it could begin. @param {string} match */
async function ended(match) {
  const shown = await table.showEnded(match, setup.guest.name);
  if (!shown) {
    toSetup("Your match is no longer there.");
    return;
  }
  toTable();
  remember(null);
}

/** @param {string} code @param {string} message */
function noticed(code, message) {
  const text = code === "draining" ? "The server is about to stop, or to start again: your match will go on." : `${message}.`;
  table.note(code === "opponent_away" ? "opponent" : "notice", text);
  said.textContent = text;
}

/** @param {ErrorFrame} error */
function refused(error) {
  const text = errorText(error);
  if (table.playing) {
    table.note("error", text, "bad");
    said.textContent = text;
    return;
  }
  if (!link.ready) link.close(); // the login was refused
  toSetup(text, error.code);
}

/** @param {number} code @param {number | null} waitMs */
function lost(code, waitMs) {
  table.pause();
  if (waitMs !== null) {
    const why = code === 1001 ? "The server stops, or starts again." : "The connection to the server is lost.";
    const clock = table.playing ? " Your match waits, but not for long unless it is the server that is away." : "";
    showBanner(`${why} Trying again…${clock}`);
    return;
  }
  if (!table.playing) {
    if (ask !== null || waiting !== null) toSetup(closeText(code));
    return;
  }
  const again = { label: code === 4001 ? "Play on here" : "Connect again", act: resume };
  table.note("connection", closeText(code), "bad", again);
  said.textContent = closeText(code);
}

function resume() {
  table.note("connection", "");
  link.open(setup.guest);
}

// A page that the browser kept and brings back has lost its connection, and with it what it showed.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

for (const [id, swapped] of /** @type {[string, boolean][]} */ ([["swap", true], ["again", false]])) {
  byId(id).addEventListener("click", () => {
    const wanted = table.rematch(swapped);
    if (wanted) challenge(wanted);
  });
}
byId("other").addEventListener("click", () => toSetup(""));

for (const game of (await (await fetch("/api/games")).json()).games) games.set(game.name, game);
if (before !== null) {
  const [visit] = performance.getEntriesByType("navigation");
  earlier = visit instanceof PerformanceNavigationTiming && visit.type !== "reload";
  setup.busy("Going on with your match…");
  link.open(setup.guest);
}
