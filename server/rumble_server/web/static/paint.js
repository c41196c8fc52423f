// Draws each part of the page at most four times a second, in an animation frame.

const PACE_MS = 250;

/** @type {Map<string, () => void>} */
const due = new Map();
let planned = false;
let painted = 0;

/**
 * Draw a part of the page soon. Only the latest `draw` of each part is called.
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
