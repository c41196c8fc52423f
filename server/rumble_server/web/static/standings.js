// The standings, kept live row by row: an unchanged row is not touched.

import { byId, element, points } from "./live.js";
import { setChildren, setClass, setText } from "./paint.js";

/** @typedef {import("./feed").Standing} Standing */
/** @typedef {import("./feed").Entrant} Entrant */

/** @type {Map<string, HTMLTableRowElement>} */
const rows = new Map();
for (const row of byId("standings").querySelectorAll("tr")) rows.set(row.dataset.name ?? "", row);

/**
 * @param {string} tournament
 * @param {boolean} rated
 * @param {Standing[]} lines
 * @param {Map<string, Entrant>} entrants
 * @param {number} gainedBy
 */
export function showStandings(tournament, rated, lines, entrants, gainedBy) {
  const table = byId("standings-table");
  table.classList.toggle("undecided", !lines.some((line) => line.decided_by));
  table.classList.toggle("faultless", !lines.some((line) => Object.keys(line.faults).length));
  table.classList.toggle("byeless", !lines.some((line) => line.byes));
  table.classList.toggle("unmoved", !gainedBy);
  byId("gained-by").hidden = !gainedBy;
  setText(/** @type {Element} */ (byId("gained-by").firstElementChild), String(gainedBy));
  byId("nobody").hidden = lines.length > 0;
  byId("tiebreaks-choice").hidden = lines.length === 0;
  const shown = lines.map((line) => {
    let row = rows.get(line.name);
    if (!row) {
      row = newRow(tournament, rated, line);
      rows.set(line.name, row);
    }
    fill(row, rated, line, entrants.get(line.name));
    return row;
  });
  setChildren(byId("standings"), shown);
}

/**
 * @param {string} tournament
 * @param {boolean} rated
 * @param {Standing} line
 */
function newRow(tournament, rated, line) {
  const name = element("th", { scope: "row" }, element("span"));
  name.append(matchesLink(tournament, line.name, line.name), element("span", { class: "state" }));
  /** @param {string} kind */
  const cell = (kind) => element("td", { class: kind });
  const row = element("tr", { "data-name": line.name }, cell("number rank"), cell("moved"), name);
  row.append(cell("number points"), cell("number played"), cell("number record"), cell("number byes"));
  if (rated) row.append(cell("number rating"));
  row.append(cell("decided"), cell("faults"), ...Object.keys(line.tiebreaks).map(() => cell("number tiebreak")));
  return row;
}

/**
 * @param {HTMLTableRowElement} row
 * @param {boolean} rated
 * @param {Standing} line
 * @param {Entrant | undefined} entrant
 */
function fill(row, rated, line, entrant) {
  const name = row.cells[2];
  setClass(name.children[0], `dot ${entrant?.connected ? "on" : "off"}`);
  setText(name.children[2], stateText(entrant));
  setClass(name.children[2], entrant && !entrant.withdrawn && !entrant.benched ? "state presence" : "state");
  setClass(row.cells[1], `moved ${line.gained ? (line.gained > 0 ? "good" : "bad") : "quiet"}`);
  const faults = Object.entries(line.faults).map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
  const record = `${line.wins}–${line.draws}–${line.losses}`;
  const scored = [points(line.points), String(line.played), record, line.byes ? String(line.byes) : ""];
  if (rated) scored.push(ratingText(line));
  const texts = [
    ...scored,
    line.decided_by.toUpperCase(),
    faults.join(", ") || "–",
    ...Object.values(line.tiebreaks).map(tiebreakText),
  ];
  setText(row.cells[0], String(line.rank));
  setText(row.cells[1], movementText(line.gained));
  texts.forEach((text, place) => setText(row.cells[place + 3], text));
}

/** @param {Entrant | undefined} entrant */
function stateText(entrant) {
  if (!entrant || entrant.withdrawn) return ", withdrew";
  if (entrant.benched) return ", benched";
  return entrant.connected ? "" : ", away";
}

/** @param {number | null} gained */
function movementText(gained) {
  if (gained === null) return "";
  return gained > 0 ? `▲${gained}` : gained < 0 ? `▼${-gained}` : "–";
}

/** @param {number | null} value */
function tiebreakText(value) {
  return value === null ? "–" : String(Math.round(value * 100) / 100);
}

/**
 * Round a number and write it with its sign.
 * @param {number} value
 */
export function signed(value) {
  const whole = Math.round(Math.abs(value));
  return whole === 0 ? "0" : `${value < 0 ? "−" : "+"}${whole}`;
}

/**
 * Write a rating with half its interval: `+120 ± 35`.
 * @param {Standing} line
 */
export function ratingText({ rating, interval }) {
  if (rating === null) return "";
  return interval === null ? signed(rating) : `${signed(rating)} ± ${Math.round((interval[1] - interval[0]) / 2)}`;
}

/**
 * Make a link to the matches of a bot, or of two bots against each other.
 * @param {string} tournament
 * @param {string} text
 * @param {string} bot
 * @param {string} [against]
 */
export function matchesLink(tournament, text, bot, against) {
  const query = new URLSearchParams(against === undefined ? { bot } : { bot, against });
  return element("a", { href: `/tournaments/${tournament}/matches?${query}` }, text);
}
