// Texts of scores, places and movers. web/texts.py writes the same texts.

/**
 * Write points with a half as a fraction, or to two places: 5, 5½, 1.33.
 * @param {number} value
 * @returns {string}
 */
export function points(value) {
  if (value % 1 !== 0.5) return String(Math.round(value * 100) / 100);
  return value < 1 ? "½" : `${Math.floor(value)}½`;
}

/**
 * Write who is to move: one or two names, the number of bots, or nothing. web/texts.py writes the same.
 * @param {string[]} names
 * @param {number[]} movers
 * @returns {string}
 */
export function moversText(names, movers) {
  const who = movers.length > 2 ? `${movers.length} bots` : movers.map((seat) => names[seat]).join(" and ");
  return who && `${who} to move`;
}

/**
 * Write the score of a seat, or its place at a table.
 * @param {number[]} scores
 * @param {number} seat
 * @returns {string}
 */
export function seatText(scores, seat) {
  return scores.length === 2 ? points(scores[seat]) : placeText(scores, seat);
}

/**
 * Write the place of a seat, by the scores of all seats.
 * @param {number[]} scores
 * @param {number} seat
 * @returns {string}
 */
export function placeText(scores, seat) {
  return String(1 + scores.filter((each) => each > scores[seat]).length);
}

/**
 * Write scores with a colon, or the places of a table: `placed 1, 3, 2`; `null` is void.
 * @param {number[] | null} scores
 * @returns {string}
 */
export function result(scores) {
  if (scores === null) return "void";
  const texts = scores.map((_, seat) => seatText(scores, seat));
  return scores.length > 2 ? `placed ${texts.join(", ")}` : texts.join(" : ");
}
