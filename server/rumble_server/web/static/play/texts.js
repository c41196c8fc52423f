// What the page says, in words.

/** @typedef {import("./frames.js").ErrorFrame} ErrorFrame */
/** @typedef {import("./frames.js").TimeControl} TimeControl */

/** @type {Record<string, string>} */
const ERRORS = {
  bad_name: "This name does not go: use 1 to 32 letters, digits, “_”, “.” and “-”, and begin with a letter or digit.",
  bad_key: "Somebody else's key protects this name. Choose another name.",
  key_required: "This name is protected by a key that this browser does not have. Choose another name.",
  too_many_messages: "The server has had too many messages from here. Wait a minute, then try again.",
  unknown_bot: "This bot has left, or takes no challenges. Choose another opponent.",
  unknown_game: "The server does not have this game. Choose another.",
};

/** Errors that are about the name. */
export const NAME_ERRORS = new Set(["bad_name", "bad_key", "key_required"]);

/**
 * An error, and what to do about it.
 * @param {ErrorFrame} error
 */
export function errorText(error) {
  if (error.code === "bad_settings") return `These settings do not go: ${error.message}.`;
  if (error.code === "unavailable") return `This cannot be at the moment: ${error.message}.`;
  return ERRORS[error.code] ?? `The server says: ${error.message}`;
}

/**
 * Why a connection ended for good.
 * @param {number} code
 */
export function closeText(code) {
  switch (code) {
    case 4001:
      return "Your name has logged in somewhere else, perhaps in another tab: the match goes on there.";
    case 4003:
      return "Somebody else's key protects this name.";
    case 4008:
      return "The server has had too many messages from here, and has hung up. Wait a minute, then go on.";
    case 4010:
      return "This page and the server do not understand each other: load the page again.";
    default:
      return "The connection to the server has ended.";
  }
}

/**
 * A duration: `1 h`, `10 min`, `1 min 30 s`, `0.25 s`.
 * @param {number} ms
 */
export function duration(ms) {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = (ms % 60_000) / 1000;
  if (ms < 60_000) return `${seconds} s`;
  return [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`].filter(Boolean).join(" ");
}

/**
 * A time control.
 * @param {TimeControl} control
 */
export function clockText(control) {
  const parts = [];
  if (control.move_ms) parts.push(`${duration(control.move_ms)} a move`);
  if (control.bank_ms) parts.push(`${duration(control.bank_ms)} in all`);
  if (control.increment_ms) parts.push(`${duration(control.increment_ms)} more after each move`);
  return parts.join(" and ");
}

/**
 * How a match ended, for the one in `seat`: the verdict, and whether that is good.
 * @param {{scores: number[] | null, winner: number | null}} over
 * @param {number} seat  −1 for somebody who only looks on
 * @returns {{text: string, kind: "good" | "bad" | ""}}
 */
export function verdict(over, seat) {
  if (over.scores === null) return { text: "Void", kind: "" };
  if (over.winner === null) return { text: "A draw", kind: "" };
  if (seat < 0) return { text: "It is over", kind: "" };
  return over.winner === seat ? { text: "You won", kind: "good" } : { text: "You lost", kind: "bad" };
}

/** @type {Record<string, string>} */
const HOW = {
  resignation: "by resignation",
  illegal_move: "by a move that is not allowed",
  timeout: "on time",
  disconnect: "by absence",
  no_show: "by absence",
  flood: "by sending too much",
  adjudication: "by adjudication",
  aborted: "by the server's fault",
};

/**
 * How it ended, where it did not end on the board.
 * @param {string | null} termination
 */
export function terminationText(termination) {
  if (termination === null || termination === "normal") return "";
  return HOW[termination] ?? termination.replaceAll("_", " ");
}

/**
 * A text with a full stop. Its first letter stays: it may be a name's.
 * @param {string} text
 */
export function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
