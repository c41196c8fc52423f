// The crosstable, kept live cell by cell; it is rebuilt only when the field or its order has changed.

import { element, points } from "./live.js";
import { setClass, setText } from "./paint.js";
import { matchesLink } from "./standings.js";

const HEATS = 4;

/** @typedef {import("./feed").Pair} Pair */

const head = document.getElementById("crosstable-head");
const body = /** @type {HTMLTableSectionElement | null} */ (document.getElementById("crosstable"));
let order = head ? [...head.querySelectorAll("th")].map((cell) => cell.textContent ?? "") : [];
let rowsOnly = body?.dataset.rows ? body.dataset.rows.split(" ") : null;
let places = new Map(order.map((name, place) => [name, place]));
let rowPlaces = new Map((rowsOnly ?? order).map((name, place) => [name, place]));
/** @type {Map<string, Pair>} */
const met = new Map();

/**
 * Show these pairs. `names` is the field in the order of the table; `all` says that no other pairs have met.
 * @param {string} tournament
 * @param {string[]} names
 * @param {Pair[]} pairs
 * @param {boolean} all
 */
export function showCrosstable(tournament, names, pairs, all) {
  if (!head || !body) return;
  if (all) met.clear();
  for (const pair of pairs) met.set([...pair.names].sort().join(" "), pair);
  if (names.join(" ") !== order.join(" ")) {
    build(names);
    for (const pair of met.values()) showPair(tournament, pair);
  } else {
    for (const pair of all ? met.values() : pairs) showPair(tournament, pair);
  }
}

/**
 * Show rows of these bots only: the challengers of a gauntlet, once it has begun.
 * @param {string} tournament
 * @param {string[]} names
 */
export function showRows(tournament, names) {
  if (!names.length || names.join(" ") === rowsOnly?.join(" ")) return;
  rowsOnly = names;
  build(order);
  for (const pair of met.values()) showPair(tournament, pair);
}

/** @param {string[]} names */
function build(names) {
  order = names;
  places = new Map(names.map((name, place) => [name, place]));
  rowPlaces = new Map((rowsOnly ?? names).map((name, place) => [name, place]));
  const heads = names.map((name) => element("th", { scope: "col" }, element("span", {}, name)));
  head?.replaceChildren(element("tr", {}, element("td"), ...heads));
  const rows = (rowsOnly ?? names).map((name) => {
    const cells = names.map((other) => element("td", name === other ? { class: "self" } : {}));
    return element("tr", {}, element("th", { scope: "row", title: name }, name), ...cells);
  });
  body?.replaceChildren(...rows);
  const section = body?.closest("section");
  if (section) section.hidden = names.length === 0;
}

/**
 * @param {string} tournament
 * @param {Pair} pair
 */
function showPair(tournament, { names, scores, played }) {
  names.forEach((name, seat) => {
    const other = names[1 - seat];
    const [row, column] = [rowPlaces.get(name), places.get(other)];
    if (row === undefined || column === undefined) return;
    const cell = body?.rows[row]?.cells[column + 1];
    if (!cell) return;
    setClass(cell, played ? `heat-${Math.round((scores[seat] / played) * HEATS)}` : "");
    const link = cell.firstElementChild;
    if (!played) cell.replaceChildren();
    else if (link) setText(link, points(scores[seat]));
    else cell.replaceChildren(matchesLink(tournament, points(scores[seat]), name, other));
  });
}
