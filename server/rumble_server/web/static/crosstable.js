// The crosstable: rows and columns by rank. Every cell keeps its place, and is written only if its content changes.
// A cell becomes a link to its matches once pointer or keys reach it, since thousands of links would be slow.

import { byId, element, setClass, setText } from "./elements.js";
import { setWho, shown as shownName } from "./names.js";
import { matchesAddress } from "./root.js";
import { points } from "./texts.js";

const HEATS = 4;
const DENSE = 24;
const CALM_MS = 5000; // shortest time between two reorderings of a large table, so that it can be read
const FIRST = 2; // cells of a row before its scores
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @typedef {import("./feed").Pair} Pair */
/** @typedef {{text: string, kind: string, played: number}} Score */

/** @type {Score} */
const NOT_MET = { text: "", kind: "", played: 0 };
/** @type {Score} */
const SELF = { text: "", kind: "self", played: 0 };

const tournament = byId("tournament").dataset.id ?? "";
const table = document.getElementById("crosstable-table");
const head = /** @type {HTMLTableRowElement | null} */ (document.getElementById("crosstable-head"));
const body = /** @type {HTMLTableSectionElement | null} */ (document.getElementById("crosstable"));

let [rows, columns] = namesIn(document);
/** The challengers of a gauntlet, the only bots with columns; empty in other formats. */
let challengers = columns.length < rows.length ? columns : [];
/** @type {Map<string, Map<string, Score>>} */
const scores = new Map();
/** The scores on the page, by row and column. @type {Score[][]} */
let shown = [];
let ordered = -CALM_MS;
/** @type {number | undefined} The timer of the next reordering. */
let later;

/**
 * Show pairs. `names` is the field by rank; with `all`, `pairs` are all pairs that have met.
 * @param {string[]} names
 * @param {Pair[]} pairs
 * @param {boolean} all
 */
export function showCrosstable(names, pairs, all) {
  if (!body) return; // a knockout, or too large a field
  if (all) scores.clear();
  for (const pair of pairs) for (const side of [0, 1]) learn(pair, side);
  clearTimeout(later);
  if (names.join(" ") !== rows.join(" ")) {
    const isLarge = names.length > DENSE && names.length === rows.length;
    const left = isLarge ? ordered + CALM_MS - performance.now() : 0;
    if (left > 0) later = setTimeout(() => showCrosstable(names, [], false), left);
    else {
      ordered = performance.now();
      order(names);
    }
  }
  showScores();
}

/**
 * Return the names of the bots with rows, and with columns, in the crosstable that the server made.
 * @param {Document} made
 */
function namesIn(made) {
  const ranked = [...made.querySelectorAll("#standings tr")].map((line) => line.getAttribute("data-name") ?? "");
  const ofColumns = [...made.querySelectorAll("#crosstable-head th")].slice(FIRST).map((cell) => ranked[Number(cell.textContent) - 1]);
  return [ranked.slice(0, made.querySelectorAll("#crosstable tr").length), ofColumns];
}

/**
 * Show columns only for the challengers of a gauntlet that has begun, as the page made by the server does.
 * @param {Document} made
 */
export function showColumns(made) {
  challengers = namesIn(made)[1];
  order(rows);
  showScores();
}

/**
 * @param {Pair} pair
 * @param {number} side
 */
function learn({ names, scores: both, played }, side) {
  const own = scores.get(names[side]) ?? new Map();
  scores.set(names[side], own);
  const kind = `h${Math.round((both[side] / played) * HEATS)}`;
  own.set(names[1 - side], played ? { text: points(both[side]), kind, played } : NOT_MET);
}

/** @param {string[]} names */
function order(names) {
  const before = [rows.length, columns.length];
  rows = names;
  columns = challengers.length ? names.filter((name) => challengers.includes(name)) : names;
  if (rows.length !== before[0] || columns.length !== before[1]) build();
  columns.forEach((name, place) => {
    const cell = /** @type {HTMLTableCellElement} */ (head?.cells[place + FIRST]);
    setText(cell, String(names.indexOf(name) + 1));
    cell.title = shownName(name);
  });
  names.forEach((name, place) => {
    const cell = /** @type {HTMLTableCellElement} */ (body?.rows[place].cells[1]);
    setWho(cell, name);
    cell.title = shownName(name);
  });
}

function build() {
  shown = [];
  table?.classList.toggle("dense", rows.length > DENSE);
  const heads = columns.map(() => element("th", { scope: "col" }));
  head?.replaceChildren(...[...head.cells].slice(0, FIRST), ...heads);
  const built = rows.map((_, place) => {
    const starts = [element("td", { class: "place" }, String(place + 1)), element("th", { scope: "row" })];
    return element("tr", {}, ...starts, ...columns.map(() => element("td")));
  });
  body?.replaceChildren(...built);
}

function showScores() {
  rows.forEach((name, row) => {
    const cells = body?.rows[row].cells;
    const [own, line] = [scores.get(name), (shown[row] ??= [])];
    columns.forEach((other, column) => {
      const score = name === other ? SELF : (own?.get(other) ?? NOT_MET);
      if (line[column] === score || !cells) return;
      line[column] = score;
      write(cells[column + FIRST], score);
    });
  });
}

/**
 * @param {HTMLTableCellElement} cell
 * @param {Score} score
 */
function write(cell, { text, kind, played }) {
  setClass(cell, kind);
  if (String(played) === table?.dataset.met || !played) delete cell.dataset.met;
  else cell.dataset.met = String(played);
  const link = cell.querySelector("a");
  const isFocused = link !== null && link === document.activeElement;
  if (link) cell.replaceChildren();
  setText(cell, text);
  if (isFocused) reach(cell)?.focus({ preventScroll: true });
}

// --- reaching a cell ---

/**
 * Make the score of a cell a link titled with both bots. Returns the link; null if the cell has no score.
 * @param {HTMLTableCellElement} cell
 */
function reach(cell) {
  const known = cell.querySelector("a");
  const [name, other] = [rows[placeOf(cell)], columns[cell.cellIndex - FIRST]];
  const score = cell.textContent;
  if (known || !name || !other || !score) return known;
  const title = `${shownName(name)} against ${shownName(other)}: ${score} of ${cell.dataset.met ?? table?.dataset.met}`;
  const href = matchesAddress(tournament, name, other);
  const link = element("a", { href, title, "aria-label": title, tabindex: "-1" }, score);
  cell.replaceChildren(link);
  return link;
}

/**
 * Return the place of the row of a cell, from 0; -1 in the head.
 * @param {HTMLTableCellElement} cell
 */
function placeOf(cell) {
  return /** @type {HTMLTableRowElement} */ (cell.parentElement).rowIndex - 1;
}

/** @type {Element[]} */
let lit = [];

/**
 * Light up the row and the column of a cell, or none.
 * @param {HTMLTableCellElement | null} cell
 */
function light(cell) {
  for (const each of lit) each.removeAttribute("data-lit");
  const place = cell ? cell.cellIndex : -1;
  const column = place < FIRST ? [] : [head?.cells[place], ...[...(body?.rows ?? [])].map((row) => row.cells[place])];
  const row = cell && placeOf(cell) >= 0 ? [...(cell.parentElement?.children ?? [])] : [];
  lit = [...row, ...column].filter((each) => each !== undefined);
  for (const each of lit) each.setAttribute("data-lit", "");
}

/**
 * Return the next cell with a score in the direction of `step`.
 * @param {HTMLTableCellElement} cell
 * @param {[number, number]} step
 */
function next(cell, [down, right]) {
  let row = placeOf(cell) + down;
  let column = cell.cellIndex + right;
  for (;;) {
    const found = column < FIRST ? undefined : body?.rows[row]?.cells[column];
    if (!found || found.textContent) return found;
    row += down;
    column += right;
  }
}

/** @param {Event} event */
function cellOf(event) {
  return /** @type {HTMLTableCellElement | null} */ (/** @type {Element} */ (event.target).closest("td, th"));
}

/** @type {HTMLAnchorElement | null} The link that the Tab key reaches. */
let entry = null;

/** @param {HTMLAnchorElement | null | undefined} link */
function enterAt(link) {
  if (!link) return;
  if (entry) entry.tabIndex = -1;
  entry = link;
  entry.tabIndex = 0;
}

for (const kind of ["pointerover", "focusin"]) {
  table?.addEventListener(kind, (event) => {
    const cell = cellOf(event);
    light(cell);
    if (cell && kind === "pointerover") reach(cell);
    else enterAt(cell?.querySelector("a"));
  });
}
for (const kind of ["pointerleave", "focusout"]) table?.addEventListener(kind, () => light(null));
table?.addEventListener("click", (event) => {
  const link = cellOf(event)?.querySelector("a");
  if (link && event.target !== link) link.click(); // a tap: the link was made under the finger
});
table?.addEventListener("keydown", (event) => {
  const cell = STEPS[event.key] && cellOf(event);
  const other = cell && next(cell, STEPS[event.key]);
  if (!other) return;
  event.preventDefault();
  reach(other)?.focus();
});
// Once there is a score, the Tab key can reach it.
table?.parentElement?.addEventListener("focusin", () => {
  if (entry?.isConnected) return;
  const first = [...(body?.querySelectorAll("td:not(.place)") ?? [])].find((cell) => cell.textContent);
  if (first) enterAt(reach(/** @type {HTMLTableCellElement} */ (first)));
});
