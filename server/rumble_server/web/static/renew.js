// Updates a part of the page from a fresh copy by changing only the differences, so that scrolled, focused and opened
// elements stay as before.

/**
 * Give a part the content of a fresh copy. In a list with the newest first, each place keeps its element, so that
 * nothing moves when a round is added: the first round stays open, and an opened round is one place further down.
 * @param {Element} shown
 * @param {Element} fresh
 */
export function renewPart(shown, fresh) {
  const opened = [...shown.querySelectorAll("details")].map((details) => details.open);
  renewContent(shown, fresh);
  const all = [...shown.querySelectorAll("details")];
  const added = all.length - opened.length;
  if (!opened.length || added <= 0) return;
  all.forEach((details, place) => (details.open = place === 0 || (place > added && opened[place - added])));
}

/**
 * @param {Element} shown
 * @param {Element} fresh
 */
function renewContent(shown, fresh) {
  const [own, wanted] = [[...shown.childNodes], [...fresh.childNodes]];
  for (const node of own.splice(wanted.length)) node.remove();
  const added = wanted.splice(own.length);
  own.forEach((node, place) => renew(node, wanted[place]));
  shown.append(...added);
}

/**
 * @param {ChildNode} shown
 * @param {ChildNode} fresh
 */
function renew(shown, fresh) {
  if (!(shown instanceof Element && fresh instanceof Element && shown.tagName === fresh.tagName)) {
    if (!shown.isEqualNode(fresh)) shown.replaceWith(fresh);
    return;
  }
  for (const name of new Set([...shown.getAttributeNames(), ...fresh.getAttributeNames()])) {
    const value = fresh.getAttribute(name);
    if (name === "open" || shown.getAttribute(name) === value) continue; // the reader opens and closes details
    if (value === null) shown.removeAttribute(name);
    else shown.setAttribute(name, value);
  }
  renewContent(shown, fresh);
}
