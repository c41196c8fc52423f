// The root of this page's club: every address of the club's pages, API and feed begins with `root`.

/** `/c/NAME`, or empty for the club main at the root of the server. A worker has the root as its name. */
export const root = globalThis.document ? (document.documentElement.dataset.root ?? "") : self.name;

/**
 * Return the club's name for a value in the browser's storage, which all clubs of a server share.
 * @param {string} name
 */
export function keptAs(name) {
  return name + root;
}
