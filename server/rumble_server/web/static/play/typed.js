// Reads a move that a person has typed. Does not use the page.

/** The texts of a move, the usual text first, by move on the wire. @typedef {Record<string, string[]>} Spellings */

const CASTLING = /^[0o]-[0o](-[0o])?/i;

/** Remove signs that people add or forget; castling may be written with zeros. @param {string} text */
const plain = (text) => text.replace(CASTLING, (sign) => sign.replace(/0/g, "O").toUpperCase()).replace(/[-x=+#!?\s]/g, "");

/** The readings of a text, from strict to lenient; the first with a legal move counts. @type {((text: string) => string)[]} */
const READINGS = [(text) => text, plain, (text) => plain(text).toLowerCase()];
const MOST_NAMED = 30;

const NUMBER = /\d+/;

/**
 * Return a move that is not in the list: a listed move with the number of the text, or the text itself.
 * @param {string} text @param {string[]} legal @param {Spellings} spellings
 */
function unlisted(text, legal, spellings) {
  const read = READINGS[READINGS.length - 1];
  const number = NUMBER.exec(text)?.[0] ?? "";
  const other = (/** @type {string} */ each) => each.replace(NUMBER, number);
  const like = legal.find((move) => [move, ...(spellings[move] ?? [])].some((each) => read(other(each)) === read(text)));
  return like === undefined ? text : other(like);
}

/**
 * Return the move of a text, or the problem with the text. If `legal` is a sample, a move that is not in it is `unsure`.
 * @param {string} text @param {string[]} legal @param {Spellings} spellings
 * @returns {{move: string, unsure?: boolean} | {problem: string}}
 */
export function readTyped(text, legal, spellings, complete = true) {
  const usual = (/** @type {string} */ move) => spellings[move]?.[0] ?? move;
  for (const read of READINGS) {
    const sought = read(text);
    const found = legal.filter((move) => sought && [move, ...(spellings[move] ?? [])].some((each) => read(each) === sought));
    if (found.length === 1) return { move: found[0] };
    if (found.length > 1) return { problem: `${text} may be ${found.map(usual).join(" or ")}: type which` };
  }
  if (text && !complete) return { move: unlisted(text, legal, spellings), unsure: true };
  const some = legal.slice(0, MOST_NAMED).map(usual).join(", ");
  const more = legal.length > MOST_NAMED ? ", …" : "";
  return { problem: `${text ? `${text} is not allowed here` : "Type a move"}: it can be ${some}${more}` };
}
