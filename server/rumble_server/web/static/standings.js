// The standings, kept live: a place keeps its row; only texts change.

import { byId, element, setClass, setText } from "./elements.js";
import { setWho } from "./names.js";
import { matchesAddress } from "./root.js";
import { points } from "./texts.js";

const MOST_LINES = 20;
/** @type {Record<number, string>} */
const TITLES = { 1: "final", 2: "semi-finals", 4: "quarter-finals" };

/** @typedef {import("./feed").Standing} Standing */
/** @typedef {import("./feed").Entrant} Entrant */

const page = byId("tournament");
const table = byId("standings-table");
const body = /** @type {HTMLTableSectionElement} */ (byId("standings"));
const heads = [.../** @type {HTMLTableRowElement} */ (byId("standings-head")).cells];

/**
 * @param {Standing[]} lines
 * @param {Map<string, Entrant>} entrants
 * @param {number} gainedBy
 */
export function showStandings(lines, entrants, gainedBy) {
  table.classList.toggle("undecided", !lines.some((line) => line.decided_by));
  table.classList.toggle("faultless", !lines.some((line) => Object.keys(line.faults).length));
  table.classList.toggle("byeless", !lines.some(byesOf));
  table.classList.toggle("unmoved", !gainedBy);
  byId("gained-by").hidden = !gainedBy;
  setText(/** @type {Element} */ (byId("gained-by").firstElementChild), String(gainedBy));
  byId("nobody").hidden = lines.length > 0;
  byId("all-choice").hidden = lines.length <= MOST_LINES;
  const choice = document.getElementById("tiebreaks-choice");
  if (choice) choice.hidden = lines.length === 0;
  const focused = document.activeElement?.closest("#standings tr");
  const name = focused instanceof HTMLElement ? focused.dataset.name : undefined;
  const best = lines.filter((line) => line.rank === 1).length;
  lines.forEach((line, place) => {
    fill(body.rows[place] ?? body.appendChild(newRow()), line, entrants.get(line.name), best);
    // The focus follows the bot to its new row.
    if (line.name === name && body.rows[place] !== focused) body.rows[place].querySelector("a")?.focus({ preventScroll: true });
  });
  while (body.rows.length > lines.length) body.deleteRow(-1);
}

/** Make a row with the cells of the head, and their classes. */
function newRow() {
  const cells = heads.map((head) =>
    head.classList.contains("bot")
      ? element("th", { scope: "row", class: "bot" }, element("span"), element("a"), element("span", { class: "state" }))
      : element("td", { class: head.className }, ...(head.className === "decided" ? [element("span")] : [])),
  );
  return element("tr", {}, ...cells);
}

/**
 * @param {HTMLTableRowElement} row
 * @param {Standing} line
 * @param {Entrant | undefined} entrant
 * @param {number} best
 */
function fill(row, line, entrant, best) {
  const texts = textsOf(line, best);
  const tiebreaks = Object.values(line.tiebreaks).map(tiebreakText);
  for (const cell of row.cells) {
    const kind = heads[cell.cellIndex].className.replace("number ", "");
    if (kind === "tiebreak") setText(cell, tiebreaks.shift() ?? "");
    else if (kind in texts) setText(cell.querySelector(".decided > span") ?? cell, texts[kind]);
    if (kind === "moved") setClass(cell, `moved ${line.gained ? (line.gained > 0 ? "good" : "bad") : "quiet"}`);
    if (kind === "faults" || kind === "decided") cell.title = texts[kind];
    if (kind === "bot") showBot(cell, line.name, entrant);
  }
  row.dataset.name = line.name;
}

/**
 * @param {Standing} line
 * @param {number} best
 * @returns {Record<string, string>}
 */
function textsOf(line, best) {
  const faults = Object.entries(line.faults).map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
  const isStillIn = page.dataset.bracket === "yes" && line.rank === 1 && best > 1;
  return {
    rank: isStillIn ? "–" : String(line.rank),
    moved: movementText(line.gained),
    reached: reached(line.rank, best),
    points: points(line.points),
    played: String(line.played),
    record: `${line.wins}–${line.draws}–${line.losses}`,
    byes: byesOf(line) ? points(byesOf(line)) : "",
    decided: titleOf(line.decided_by),
    rating: ratingText(line),
    faults: faults.join(", ") || "–",
  };
}

/**
 * @param {HTMLTableCellElement} cell
 * @param {string} name
 * @param {Entrant | undefined} entrant
 */
function showBot(cell, name, entrant) {
  const [dot, link, state] = cell.children;
  setClass(dot, `dot ${entrant?.connected ? "on" : "off"}`);
  if (setWho(link, name)) link.setAttribute("href", matchesAddress(page.dataset.id ?? "", name));
  setText(state, stateText(entrant));
  setClass(state, entrant && !entrant.withdrawn && !entrant.benched ? "state presence" : "state");
}

/** @param {Entrant | undefined} entrant */
function stateText(entrant) {
  if (!entrant || entrant.withdrawn) return ", withdrew";
  if (entrant.benched) return ", benched";
  if (entrant.bye_rounds.length) return `, bye in round ${entrant.bye_rounds.join(" and ")}`;
  return entrant.connected ? "" : ", away";
}

/**
 * Write the last round that a bot of this rank reached in a knockout in which `best` bots share rank 1.
 * @param {number} rank
 * @param {number} best
 */
export function reached(rank, best) {
  if (rank === 1) return best === 1 ? "winner" : "still in";
  const finalists = Number(page.dataset.finalists); // of tables, else 0
  if (finalists) return rank <= finalists ? "final" : "out";
  return TITLES[rank - 1] ?? `round of ${2 * (rank - 1)}`;
}

/** @param {number | null} gained */
function movementText(gained) {
  if (gained === null) return "";
  return gained > 0 ? `▲${gained}` : gained < 0 ? `▼${-gained}` : "–";
}

/**
 * Name a tie-break in words, as the head of its column does.
 * @param {string} name
 */
function titleOf(name) {
  const heads = [...document.querySelectorAll("#standings-head .tiebreak abbr")];
  return heads.find((head) => head.textContent === name.toUpperCase())?.getAttribute("title") ?? "";
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

/** Return the number of a bot's byes, a half-point bye as a half. @param {Standing} line @returns {number} */
function byesOf(line) {
  return line.byes + line.half_byes / 2;
}
