// The worker of the page that plays: the connection to the server, and the time that the code may take. It is a worker
// because browsers slow the timers of pages that nobody looks at.

import { Connection } from "../play/connection.js";

/** @typedef {import("../play/frames.js").Frame} Frame */
/** @typedef {import("../play/frames.js").Turn} Turn */
/** @typedef {import("./sandbox.js").Message} Message */
/** @typedef {import("../identity.js").Identity} Identity */
/** @typedef {Identity & {tournament: string, game: string, number: number}} Terms */
/** @typedef {{turn: Turn, timer: number, since: number}} Open */

const SAFETY_MS = 500; // of a turn's time, for the answer's way; at most half of the time
const REASON_CHARACTERS = 500;
const HALF_CHARACTERS = /\p{Surrogate}/gu; // a frame with half a character is no JSON for the server

/** @type {Terms | null} */
let terms = null;
/** The version that the newest login named. */
let shownNumber = 0;
let hasFailure = false;
/** The number of the version that plays each open match. @type {Map<string, number>} */
const versions = new Map();
/** The turn that the code is thinking about. @type {Open | null} */
let open = null;

/** Tell the page. @param {Message} message */
const tell = (message) => self.postMessage(message);

const connection = new Connection({
  frame: received,
  lost(code, waitMs) {
    if (waitMs === null) terms = null;
    tell({ lost: code, again: waitMs !== null });
  },
  wanted: () => terms !== null,
  wishes(features) {
    const { tournament, game, number } = /** @type {Terms} */ (terms);
    hasFailure = features.includes("failure");
    shownNumber = number;
    const follow = features.includes("follow") ? { follow: true } : {};
    return { client: "the code page", join: tournament, games: [game], version: String(number), ...follow };
  },
});

/** Log in again if a newer version waits and no match of the older one is open. */
function renew() {
  if (terms === null || terms.number === shownNumber || versions.size > 0) return;
  connection.close();
  connection.open(terms);
}

/** @param {Frame | Message} frame */
function received(frame) {
  switch (frame.type) {
    case "session":
      // Matches of this session that began before the login began with the version of the login before.
      for (const match of frame.matches) versions.set(match, versions.get(match) ?? shownNumber);
      for (const match of versions.keys()) if (!frame.matches.includes(match)) versions.delete(match);
      break;
    case "joined":
      if (terms && frame.tournament !== terms.tournament) terms = { ...terms, tournament: frame.tournament, game: frame.game };
      break;
    case "match_start":
      if (!versions.has(frame.match)) versions.set(frame.match, shownNumber);
      break;
    case "turn":
      return ask(/** @type {Turn} */ (frame));
    case "rejected":
      if (frame.your_turn && open?.turn.turn_id === frame.turn_id) fail(open, `${frame.message} (${frame.code})`);
      break;
    case "match_over":
      if (open?.turn.match === frame.match) close(open);
      versions.delete(frame.match);
      break;
    case "tournament_over":
      if (frame.tournament !== terms?.tournament) return;
      terms = null;
      connection.close();
      break;
    case "error":
      if (!connection.ready) terms = null; // the login was refused
  }
  tell({ frame });
  renew();
}

/** @param {Turn} turn */
function ask(turn) {
  if (open) close(open);
  const left = turn.clock.remaining_ms;
  const within = left - Math.min(left / 2, SAFETY_MS);
  const asked = { turn, since: performance.now(), timer: setTimeout(() => late(asked, within), within) };
  open = asked;
  tell({ ask: turn, number: versions.get(turn.match) ?? shownNumber });
}

/** @param {Open} asked */
function close(asked) {
  clearTimeout(asked.timer);
  if (open === asked) open = null;
}

/** @param {Open} asked @param {number} within in ms */
function late(asked, within) {
  tell({ kill: true });
  fail(asked, `the code did not end within ${(within / 1000).toFixed(1)} s`);
}

/** Give the match up, because the code failed. @param {Open} asked @param {string} reason */
function fail(asked, reason) {
  close(asked);
  const { match } = asked.turn;
  const message = reason.slice(0, REASON_CHARACTERS).replace(HALF_CHARACTERS, "\ufffd");
  const failure = hasFailure ? { failed: true, reason: message } : {};
  connection.send({ type: "resign", match, ...failure });
  tell({ failed: reason, match });
}

/** An answer of the code. @param {Message} answer @param {string} id the turn's */
function answered(answer, id) {
  if (open?.turn.turn_id !== id) return;
  const asked = open;
  if (answer.error) return fail(asked, typeof answer.line === "number" ? `line ${answer.line}: ${answer.error}` : answer.error);
  clearTimeout(asked.timer);
  connection.send({ type: "move", match: asked.turn.match, turn_id: id, move: String(answer.move).replace(HALF_CHARACTERS, "\ufffd") });
}

self.onmessage = ({ data }) => {
  if (data.answer) return answered(data.answer, data.id);
  const isOpen = terms !== null;
  terms = data.play;
  if (isOpen) renew();
  else connection.open(data.play);
};
