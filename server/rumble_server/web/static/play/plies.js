// @ts-check
// The plies of a match in which turns tell only what is new (`since`), as `match_over.moves` has them.

/**
 * Return the plies before a turn. The words of a joint move come one by one, in the order of the seats.
 * @param {string[]} known the plies known before
 * @param {[number | null, string][]} since as in the turn; begins with the ply of the own last answer
 * @param {number} ply of the turn
 * @param {number} seats
 * @returns {string[]}
 */
export function pliesAfter(known, since, ply, seats) {
  const missing = ply - known.length;
  if (missing <= 0) return known.slice(0, ply);
  /** @type {(string | undefined)[][]} */
  const plies = [];
  let before = seats;
  for (const [seat, text] of since) {
    const isChance = seat === null;
    // If there are as many texts as missing plies, no ply is a joint move.
    if (isChance || seat <= before || since.length === missing) plies.push(isChance ? [text] : []);
    if (!isChance) /** @type {(string | undefined)[]} */ (plies.at(-1))[seat] = text;
    before = isChance ? seats : seat;
  }
  const texts = plies.map((words) => {
    const spoken = Object.values(words);
    return spoken.length > 1 ? Array.from({ length: seats }, (_, seat) => words[seat] ?? "-").join(" ") : (spoken[0] ?? "");
  });
  return [...known, ...texts.slice(-missing)];
}
