// Making a part of the page the same as a fresh one, by changing only what differs: what is scrolled, focused or opened
// stays so.

/**
 * Give an element the content of another one. Lists grow at their beginning.
 * @param {Element} shown
 * @param {Element} fresh
 */
export function renewContent(shown, fresh) {
  const [own, wanted] = [[...shown.childNodes], [...fresh.childNodes]];
  const surplus = own.splice(0, Math.max(0, own.length - wanted.length));
  const added = wanted.splice(0, wanted.length - own.length);
  for (const node of surplus) node.remove();
  own.forEach((node, place) => renew(node, wanted[place]));
  shown.prepend(...added);
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
    if (name === "open" || shown.getAttribute(name) === value) continue; // the reader opens and closes
    if (value === null) shown.removeAttribute(name);
    else shown.setAttribute(name, value);
  }
  renewContent(shown, fresh);
}
