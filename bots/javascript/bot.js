// The connection of a Rumble bot, with nothing but Node; `strategy.js` chooses the moves.
// RUMBLE_JOIN names the tournament; RUMBLE_SERVER, _NAME, _KEY and _INVITE may be in the environment, too.
// The file `key.json` in this folder may have the same values; a variable of the environment counts more than the file.

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { choose } from "./strategy.js";
import { WebSocket } from "./websocket.js";

const KEY_FILE = new URL("key.json", import.meta.url);
const kept = existsSync(KEY_FILE) ? JSON.parse(readFileSync(KEY_FILE, "utf-8")) : {};
const RUMBLE_SERVER = process.env.RUMBLE_SERVER || kept.server || "127.0.0.1:8765";
const RUMBLE_JOIN = process.env.RUMBLE_JOIN || kept.tournament;
const RUMBLE_NAME = process.env.RUMBLE_NAME || kept.name || "my-bot";
const RUMBLE_KEY = process.env.RUMBLE_KEY || kept.key; // an empty variable counts as none
const RUMBLE_INVITE = process.env.RUMBLE_INVITE || kept.invite;
const STAY_AWAY = [4001, 4003, 4004, 4010]; // close codes after which a bot must not connect again
const FOR_GOOD = ["tournament_closed", "removed"]; // codes after which there is nothing to wait for
const BUSY = "too_many_messages"; // of a login or a join: perhaps the wrong keys of neighbours, so it tries again
const FAULTS = ["illegal_move", "bad_move"]; // after these another move may be made if it is still the bot's turn
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const REPLACED = [421, 502, 503]; // statuses of a server that is being replaced and comes back soon
const SOON_MS = 1000;
const BACK_AT_ONCE = 1012; // the close code for the same
const QUIET_MS = 4000; // a connection without a frame in three such times is lost: a server pings each 5 s
const LONGEST_REASON = 500; // characters

let playing = new Set([RUMBLE_JOIN]); // the tournaments that are not over
let joined = false; // afterwards an error message no longer ends the bot
const seats = new Map(); // the names in each match
const turns = new Map(); // the newest of each match, to answer again
let tellsFailures = false; // whether the server has the feature `failure`
let over = false;
let pause = FIRST_PAUSE_MS;

function move(turn, chosen) {
  return { type: "move", match: turn.match, turn_id: turn.turn_id, move: chosen };
}

/** Returns the answer to a turn: the move of the strategy, or the resignation if the strategy fails. */
function answerTo(turn) {
  try {
    const chosen = choose(turn);
    if (typeof chosen !== "string") throw new TypeError(`choose returned ${chosen}, which is not the text of a move`);
    return move(turn, chosen);
  } catch (error) {
    console.error(error);
    const [place] = /strategy\.js:\d+/.exec(error?.stack ?? "") ?? ["strategy.js"];
    const reason = `${place}: ${error}`.slice(0, LONGEST_REASON).replace(/\p{Surrogate}/gu, "?"); // half a character is no text
    console.error(`${turn.match}: resigning: ${reason}`);
    return { type: "resign", match: turn.match, ...(tellsFailures && { failed: true, reason }) };
  }
}

/** Returns who won; only the seat where the match never began, or is told twice. */
function winner(message) {
  if (message.winner === null) return "nobody";
  return seats.get(message.match)?.[message.winner] ?? `seat ${message.winner}`;
}

function stop(exitCode, text) {
  console.error(text);
  process.exit(exitCode);
}

/** Returns the reply to a message: none for most messages, and for types that this bot does not know. */
function answer(message) {
  switch (message.type) {
    case "welcome":
      tellsFailures = message.features?.includes("failure") ?? false;
      // It answers turns at once, so it can play several matches at the same time. JSON omits undefined fields.
      return {
        type: "login", name: RUMBLE_NAME, key: RUMBLE_KEY, join: RUMBLE_JOIN, invite: RUMBLE_INVITE, max_matches: 4,
        follow: message.features?.includes("follow") || undefined,
      };
    case "session":
      if (joined) playing = new Set(message.tournaments.map(({ id }) => id)); // some began or ended meanwhile
      return;
    case "joined":
      playing.add(message.tournament);
      joined = true;
      pause = FIRST_PAUSE_MS;
      return;
    case "match_start":
      seats.set(message.match, message.seats);
      return;
    case "turn":
      turns.set(message.match, message);
      return answerTo(message);
    case "match_over":
      console.error(`${message.match}: ${winner(message)} wins: ${message.reason}`);
      seats.delete(message.match);
      turns.delete(message.match);
      return;
    case "tournament_over":
      playing.delete(message.tournament);
      over = playing.size === 0;
      return console.error(
        `${message.tournament}: rank ${message.rank} of ${message.bots}, ${message.points} points`,
      );
    case "error":
      if (!joined && message.code !== BUSY) stop(1, `refused: ${message.message} (${message.code})`);
    // falls through: a later error is printed like the others
    case "rejected":
    case "notice":
      console.error(`${message.code}: ${message.message}`);
      if (FOR_GOOD.includes(message.code)) process.exit(1);
      if (message.your_turn && FAULTS.includes(message.code)) {
        const turn = turns.get(message.match);
        return move(turn, turn.legal[Math.floor(Math.random() * turn.legal.length)]);
      }
  }
}

/** Plays over one connection. Resolves with its close code, and whether the server is there again soon. */
function play(url) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    let soon = false;
    let quiet = 0;
    const watch = setInterval(() => ++quiet > 3 && socket.terminate(), QUIET_MS);
    socket.on("ping", () => (quiet = 0));
    socket.on("message", (frame) => {
      quiet = 0;
      const message = JSON.parse(frame);
      const reply = answer(message);
      if (reply) socket.send(JSON.stringify(reply));
      if (over || (!joined && message.code === BUSY)) socket.close(1000);
    });
    socket.on("error", (error) => {
      if (!joined && error.status === 404) stop(1, `there is no club at ${url} (404)`);
      console.error(`${url}: ${error.message || error.code}`);
      soon = REPLACED.includes(error.status);
    });
    socket.on("close", (code) => {
      clearInterval(watch);
      resolve([code, soon]);
    });
  });
}

if (!RUMBLE_JOIN) stop(2, "say which tournament to play in: RUMBLE_JOIN=ID");
const server = RUMBLE_SERVER.includes("://") ? RUMBLE_SERVER.replace(/^http/, "ws") : `ws://${RUMBLE_SERVER}`;
const url = server.replace(/(:\/\/[^/?#]+(\/c\/[^/?#]+)?).*/, "$1/bot");

for (;;) {
  const [code, soon] = await play(url);
  if (over) break;
  if (STAY_AWAY.includes(code)) stop(1, `the server closed the connection for good (${code})`);
  console.error(`the connection ended (${code}); trying again`);
  if (soon) {
    await sleep(SOON_MS);
    continue;
  }
  if (code !== BACK_AT_ONCE || pause > FIRST_PAUSE_MS) await sleep(pause * (0.5 + Math.random()));
  pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
}
