// Drawing at most four times a second, in an animation frame, and each part once: what has changed since is drawn then.

const PACE_MS = 250;

/** @type {Map<string, () => void>} */
const due = new Map();
let planned = false;
let painted = 0;

/**
 * Have a part of the page drawn soon; asked for again before that, the later drawing replaces the earlier.
 * @param {string} part
 * @param {() => void} draw
 */
export function paint(part, draw) {
  due.delete(part);
  due.set(part, draw);
  if (planned) return;
  planned = true;
  setTimeout(() => requestAnimationFrame(paintAll), Math.max(0, painted + PACE_MS - performance.now()));
}

function paintAll() {
  planned = false;
  painted = performance.now();
  const draws = [...due.values()];
  due.clear();
  for (const draw of draws) draw();
}

/**
 * Change a text only if it is another: what has not changed is not laid out anew.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * Change a class only if it is another.
 * @param {Element} target
 * @param {string} name
 */
export function setClass(target, name) {
  if (target.className !== name) target.className = name;
}

/**
 * Put children in this order, moving only those that are elsewhere, and remove the others.
 * @param {Element} parent
 * @param {Element[]} children
 */
export function setChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}
