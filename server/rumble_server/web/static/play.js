// The page on which a person plays a bot: to the server, the person is a bot like any other.

import { fetchAgain } from "./coming_again.js";
import { byId, showText } from "./elements.js";
import { shown, shownIn } from "./names.js";
import { Connection } from "./play/connection.js";
import { fetchMatch, MatchPanel } from "./play/match_panel.js";
import { Setup } from "./play/setup.js";
import { closeText, errorText } from "./play/texts.js";
import { keep, kept, keptAs, root } from "./root.js";

/** @typedef {import("./play/frames.js").Challenge} Challenge */
/** @typedef {import("./play/frames.js").ErrorFrame} ErrorFrame */
/** @typedef {import("./play/frames.js").Frame} Frame */
/** @typedef {import("./play/frames.js").Game} Game */
/** @typedef {import("./play/frames.js").Session} Session */

const KEPT_AS = keptAs("rumble.play");
const LONG_MS = 1000;

const banner = byId("connection");
const announcer = byId("said");
/** @type {Map<string, Game>} */
const games = new Map();

/** The challenge to send once logged in. @type {Challenge | null} */
let wantedChallenge = null;
/** The tournament of an accepted challenge, until its match begins. @type {string | null} */
let awaitedTournament = null;
/** The match that this tab was playing before a reload. @type {string | null} */
let savedMatch = kept(KEPT_AS, "sessionStorage");
/** The ended match that is being read, until the page shows something else. @type {string | null} */
let endedMatch = null;
/** True if an unfinished match goes on before the new challenge. */
let hasEarlierMatch = false;
/** @type {number | undefined} */
let busyTimer;

const connection = new Connection({ frame: received, lost, wanted: isWanted });
const panel = new MatchPanel(games, { send: deliver, announce: (text) => (announcer.textContent = text) });
const setup = new Setup({ start: challenge, cancel });

/** Return whether a challenge or a match needs a connection. */
function isWanted() {
  return wantedChallenge !== null || awaitedTournament !== null || savedMatch !== null || panel.playing;
}

/** Remember the match of this tab. @param {string | null} match */
function saveMatch(match) {
  keep(KEPT_AS, match, "sessionStorage");
}

/** @param {Challenge} wanted */
function challenge(wanted) {
  wantedChallenge = wanted;
  awaitedTournament = null;
  setup.busy(`Calling ${shown(wanted.against)}…`);
  panel.note("again", `Calling ${shown(wanted.against)}…`, "");
  if (connection.open(setup.guest)) send();
}

/** Send a message of the panel, or show that this is not possible. @param {Record<string, unknown>} message */
function deliver(message) {
  const sent = connection.send(message);
  panel.note("unsent", sent ? "" : "Not sent: there is no connection to the server at the moment.", "bad");
  return sent;
}

/** Send the challenge. */
function send() {
  if (wantedChallenge === null) return;
  if (!connection.send(wantedChallenge)) connection.open(setup.guest);
}

function cancel() {
  if (awaitedTournament !== null) connection.send({ type: "leave", tournament: awaitedTournament });
  else connection.close();
  toSetup("");
}

/** Show the form in place of the match, or the match. @param {boolean} isForm @param {string} problem @param {string} [code] */
function show(isForm, problem = "", code) {
  clearTimeout(busyTimer);
  wantedChallenge = awaitedTournament = savedMatch = endedMatch = null;
  panel.show(!isForm);
  setup.show(isForm);
  setup.idle();
  setup.problem(problem, code);
}

/** Go back to the form, with a text to show. @param {string} text @param {string} [code] */
function toSetup(text, code) {
  saveMatch(null);
  showText(banner, "");
  show(true, text, code);
}

/** @param {Frame} frame */
function received(frame) {
  switch (frame.type) {
    case "session":
      return loggedIn(frame);
    case "joined":
      if (wantedChallenge === null) return;
      awaitedTournament = frame.tournament;
      busyTimer = setTimeout(() => {
        if (awaitedTournament === null || wantedChallenge === null) return;
        panel.show(false);
        setup.show(true);
        setup.busy(`${shown(wantedChallenge.against)} is playing. Your match begins when it is free.`);
      }, LONG_MS);
      return;
    case "match_start":
      if (panel.playing && panel.match?.id !== frame.match) return;
      show(false);
      saveMatch(frame.match);
      panel.start(frame);
      if (hasEarlierMatch) panel.note("earlier", "You have not finished this match: it goes on before you begin another.");
      hasEarlierMatch = false;
      return;
    case "turn":
      return panel.turn(frame);
    case "rejected":
      return panel.rejected(frame);
    case "match_over":
      if (panel.match?.id === frame.match) {
        panel.over(frame);
        if (!panel.playing) saveMatch(null);
      } else if (awaitedTournament !== null) ended(frame.match);
      return;
    case "tournament_over":
      if (frame.tournament === awaitedTournament) toSetup("This match ended before it began.");
      return;
    case "notice":
      return noticed(frame.code, frame.message);
    case "error":
      return refused(frame);
  }
}

/** @param {Session} session */
function loggedIn(session) {
  showText(banner, "");
  panel.note("notice", "");
  if (session.open) panel.note("name", `No key protects the name ${session.name}: others can use it, too.`);
  if (session.matches.length > 0) {
    // An open match goes on first; the server sends its match_start next.
    hasEarlierMatch ||= wantedChallenge !== null && awaitedTournament === null;
    wantedChallenge = null;
    return;
  }
  if (awaitedTournament !== null && session.tournaments.some((each) => each.id === awaitedTournament)) return;
  const match = savedMatch ?? (panel.playing ? panel.match?.id : null);
  if (match) ended(match);
  else if (awaitedTournament !== null) toSetup("This match ended before it began.");
  else send();
}

/** Show a match that ended without this page: before its start, or during a lost connection. @param {string} match */
async function ended(match) {
  endedMatch = match;
  wantedChallenge = awaitedTournament = null;
  const view = await fetchMatch(match);
  if (endedMatch !== match) return; // the person has gone on
  if (view?.status !== "over") return toSetup("Your match is no longer there.");
  panel.showEnded(view, setup.guest.name);
  show(false);
  saveMatch(null);
}

/** @param {string} code @param {string} message */
function noticed(code, message) {
  const text = code === "draining" ? "The server is about to stop, or to start again: your match will go on." : `${shownIn(message)}.`;
  panel.note(code === "opponent_away" ? "opponent" : "notice", text);
  announcer.textContent = text;
}

/** @param {ErrorFrame} error */
function refused(error) {
  const text = shownIn(errorText(error));
  if (panel.playing) {
    panel.note("error", text, "bad");
    announcer.textContent = text;
    return;
  }
  if (!connection.ready) connection.close(); // the login was refused
  toSetup(text, error.code);
}

/** @param {number} code @param {number | null} waitMs */
function lost(code, waitMs) {
  panel.pause();
  if (waitMs !== null) {
    const why = code === 1001 ? "The server has stopped or restarts." : "The connection to the server is lost.";
    const clock = panel.playing ? " Your match waits for a while." : "";
    return showText(banner, `${why} Trying again…${clock}`);
  }
  if (!panel.playing) {
    if (isWanted()) toSetup(closeText(code));
    return;
  }
  const again = { label: code === 4001 ? "Play on here" : "Connect again", act: resume };
  panel.note("connection", closeText(code), "bad", again);
  announcer.textContent = closeText(code);
}

function resume() {
  panel.note("connection", "");
  connection.open(setup.guest);
}

// A page that the browser restores from its cache has lost its connection and shows an old state.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

for (const [id, swapped] of /** @type {[string, boolean][]} */ ([["swap", true], ["again", false]])) {
  byId(id).addEventListener("click", () => {
    const wanted = panel.rematch(swapped);
    if (wanted && wantedChallenge === null) challenge(wanted);
  });
}
byId("other").addEventListener("click", () => toSetup(""));

for (const game of (await (await fetchAgain(`${root}/api/games`)).json()).games) games.set(game.name, game);
if (savedMatch !== null) {
  const [visit] = performance.getEntriesByType("navigation");
  hasEarlierMatch = visit instanceof PerformanceNavigationTiming && visit.type !== "reload";
  setup.busy("Going on with your match…");
  connection.open(setup.guest);
}
