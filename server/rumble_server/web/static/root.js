// Where the club of this page begins: every address of its pages, API and feed has `root` before it.

/** `/c/NAME`, or nothing for the club at the root of the server. */
export const root = document.documentElement.dataset.root ?? "";

/**
 * Return under which name something of this club is kept in the browser: clubs of a server share its storage.
 * @param {string} name
 */
export function keptAs(name) {
  return name + root;
}
