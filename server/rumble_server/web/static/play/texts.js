// The texts of the page.

/** @typedef {import("./frames.js").ErrorFrame} ErrorFrame */
/** @typedef {import("./frames.js").TimeControl} TimeControl */

/** @type {Record<string, string>} */
const ERRORS = {
  bad_name: "This name cannot be used: it has 1 to 32 letters, digits, “_”, “.” and “-”, and begins with a letter or digit.",
  bad_key: "Somebody else's key protects this name. Choose another name.",
  key_required: "This name is protected by a key that this browser does not have. Choose another name.",
  too_many_messages: "The server has had too many messages from here. Wait a minute, then try again.",
  unknown_bot: "This bot has left, or takes no challenges. Choose another opponent.",
  unknown_game: "The server does not have this game. Choose another.",
};

/** @type {Record<number, string>} */
const ENDS = {
  4001: "Your name has logged in somewhere else, perhaps in another tab: the match goes on there.",
  4003: "Somebody else's key protects this name.",
  4004: "This club was removed.",
  4008: "The server has had too many messages from here, and has hung up. Wait a minute, then go on.",
  4010: "This page and the server do not understand each other: load the page again.",
};

/** The codes of errors about the name. */
export const NAME_ERRORS = new Set(["bad_name", "bad_key", "key_required"]);

/**
 * Write an error, and the way out.
 * @param {ErrorFrame} error
 */
export function errorText(error) {
  if (error.code === "bad_settings") return `These settings cannot be used: ${error.message}.`;
  if (error.code === "unavailable") return `This is not possible at the moment: ${error.message}.`;
  return ERRORS[error.code] ?? `The server says: ${error.message}`;
}

/**
 * Write the reason for the end of a connection.
 * @param {number} code
 */
export function closeText(code) {
  return ENDS[code] ?? "The connection to the server has ended.";
}

/**
 * Write a duration: `1 h`, `10 min`, `1 min 30 s`, `0.25 s`.
 * @param {number} ms
 */
export function duration(ms) {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = (ms % 60_000) / 1000;
  if (ms < 60_000) return `${seconds} s`;
  return [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`].filter(Boolean).join(" ");
}

/**
 * Write a time control.
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
 * Write the result of a match for the player in `seat`, and whether the result is good or bad for the player.
 * @param {{scores: number[] | null, winner: number | null}} over
 * @param {number} seat  −1 for a spectator
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
  crashed: "by a crash",
  adjudication: "by adjudication",
  aborted: "by the server's fault",
};

/**
 * Write the way in which a match ended; empty if the match ended on the board.
 * @param {string | null} termination
 */
export function terminationText(termination) {
  if (termination === null || termination === "normal") return "";
  return HOW[termination] ?? termination.replaceAll("_", " ");
}

/**
 * End a text with a full stop. The first letter is kept, since it may belong to a name.
 * @param {string} text
 */
export function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
