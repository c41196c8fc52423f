// What a person means who types a move. Without the page.

/** By move on the wire: the texts that mean it, the usual one first. @typedef {Record<string, string[]>} Spellings */

const CASTLING = /^[0o]-[0o](-[0o])?/i;

/** Leave out signs that people add or forget; castling may be written with zeros. @param {string} text */
const plain = (text) => text.replace(CASTLING, (sign) => sign.replace(/0/g, "O").toUpperCase()).replace(/[-x=+#!?\s]/g, "");

/** From strict to lenient: the first by which any move is meant counts. @type {((text: string) => string)[]} */
const READINGS = [(text) => text, plain, (text) => plain(text).toLowerCase()];
const MOST_NAMED = 30;

/**
 * Return the move that a text means; else the problem with it.
 * @param {string} text @param {string[]} legal @param {Spellings} spellings
 * @returns {{move: string} | {problem: string}}
 */
export function readTyped(text, legal, spellings) {
  const usual = (/** @type {string} */ move) => spellings[move]?.[0] ?? move;
  for (const read of READINGS) {
    const sought = read(text);
    const found = legal.filter((move) => sought && [move, ...(spellings[move] ?? [])].some((each) => read(each) === sought));
    if (found.length === 1) return { move: found[0] };
    if (found.length > 1) return { problem: `${text} may be ${found.map(usual).join(" or ")}: type which` };
  }
  const some = legal.slice(0, MOST_NAMED).map(usual).join(", ");
  const more = legal.length > MOST_NAMED ? ", …" : "";
  return { problem: `${text ? `${text} is not allowed here` : "Type a move"}: it can be ${some}${more}` };
}
