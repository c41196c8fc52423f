// The root of this page's club: every address of the club's pages, API and feed begins with `root`. And values that the
// browser keeps for the club, for later visits or, in `sessionStorage`, for this tab.

/** `/c/NAME`, or empty for the club main at the root of the server. A worker has the root as its name. */
export const root = globalThis.document ? (document.documentElement.dataset.root ?? "") : self.name;

/**
 * Return the address of the matches of a bot, or of two bots against each other.
 * @param {string} tournament
 * @param {string} bot
 * @param {string} [against]
 */
export function matchesAddress(tournament, bot, against) {
  const query = new URLSearchParams(against === undefined ? { bot } : { bot, against });
  return `${root}/tournaments/${tournament}/matches?${query}`;
}

/**
 * Return the club's name for a value in the browser's storage, which all clubs of a server share.
 * @param {string} name
 */
export function keptAs(name) {
  return name + root;
}

/** @typedef {"localStorage" | "sessionStorage"} Where */

/** Return a kept value; null without one. @param {string} key @param {Where} where */
export function kept(key, where = "localStorage") {
  try {
    return globalThis[where].getItem(key);
  } catch {
    return null; // storage is forbidden
  }
}

/** Keep a value; null forgets the last one. @param {string} key @param {string | null} value @param {Where} where */
export function keep(key, value, where = "localStorage") {
  try {
    if (value === null) globalThis[where].removeItem(key);
    else globalThis[where].setItem(key, value);
  } catch {
    return; // storage is forbidden
  }
}
