// Keeps the page of a tournament live. The server has rendered it; every event says how things stand now.

import { byId, element, find, follow, points, result } from "/static/live.js";

const MOST_BOARDS = 24;
const MOST_LATEST = 12;
const HEATS = 4;

/** @typedef {import("/static/live.js").Told} Told */

const page = byId("tournament");
const { id = "", marks: allMarks = "" } = page.dataset;
const marks = allMarks.split(" ");
const boards = byId("boards");
const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
/** @type {Map<string, Told>} */
let entrants = new Map();
/** @type {Told[]} */
let lines = [];
/** @type {Map<string, HTMLElement>} */
let cells = new Map();
/** @type {Map<string, Told>} */
let met = new Map();

/** @param {Told} told */
function showStatus(told) {
  const badge = byId("status");
  if (badge.textContent !== told.status) {
    badge.textContent = told.status;
    badge.className = `status ${told.status}`;
  }
  byId("reason").textContent = told.reason;
  byId("reason").hidden = !told.reason;
  showProgress(told);
}

/** @param {Told} told */
function showProgress(told) {
  byId("progress").hidden = told.matches_total === null;
  bar.max = told.matches_total || 1;
  bar.value = told.matches_over;
  byId("count").textContent = `${told.matches_over} of ${told.matches_total ?? 0} matches`;
}

/**
 * @param {string} text
 * @param {string} bot
 * @param {string} [against]
 */
function matchesLink(text, bot, against) {
  const query = new URLSearchParams(against === undefined ? { bot } : { bot, against });
  return element("a", { href: `/tournaments/${id}/matches?${query}` }, text);
}

function showStandings() {
  byId("nobody").hidden = lines.length > 0;
  byId("standings").replaceChildren(...lines.map(standingsRow));
}

/** @param {Told} line */
function standingsRow(line) {
  const connected = entrants.get(line.name)?.connected ?? false;
  /** @type {(value: string | number, more?: string) => HTMLElement} */
  const number = (value, more = "") => element("td", { class: `number ${more}` }, String(value));
  const faults = Object.entries(line.faults).map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
  return element(
    "tr",
    {},
    number(line.rank),
    element(
      "th",
      { scope: "row" },
      element("span", { class: `dot ${connected ? "on" : "off"}` }),
      matchesLink(line.name, line.name),
      element("span", { class: "unseen" }, connected ? "" : ", away"),
    ),
    number(points(line.points), "points"),
    ...(page.dataset.rated === "yes" ? [number(ratingText(line), "rating")] : []),
    ...[line.played, line.wins, line.draws, line.losses].map((value) => number(value)),
    ...Object.values(line.tiebreaks).map((value) => number(tiebreakText(value), "quiet")),
    element("td", { class: "quiet" }, line.decided_by.toUpperCase()),
    element("td", { class: "quiet" }, faults.join(", ") || "–"),
  );
}

/** @param {number | null} value */
function tiebreakText(value) {
  return value === null ? "–" : String(Math.round(value * 100) / 100);
}

/** @param {Told} line */
function ratingText({ rating, interval }) {
  if (rating === null) return "";
  const whole = Math.round(Math.abs(rating));
  const text = `${rating < 0 ? "−" : "+"}${whole}`;
  return interval === null ? text : `${text} ± ${Math.round((interval[1] - interval[0]) / 2)}`;
}

/** @param {Told} told */
function showModel({ rating_model: model }) {
  byId("rating-model").hidden = !model;
  find(byId("rating-model"), "span").textContent = model;
}

function buildCrosstable() {
  cells = new Map();
  if (!byId("crosstable")) return;
  const names = [...entrants.keys()];
  const heads = names.map((name) => element("th", { scope: "col" }, element("span", {}, name)));
  byId("crosstable-head").replaceChildren(element("tr", {}, element("td"), ...heads));
  byId("crosstable").replaceChildren(
    ...names.map((name) => {
      const row = names.map((other) => {
        const cell = element("td", name === other ? { class: "self" } : {});
        cells.set(`${name} ${other}`, cell);
        return cell;
      });
      return element("tr", {}, element("th", { scope: "row", title: name }, name), ...row);
    }),
  );
  showPairs([...met.values()]);
}

/** @param {Told[]} pairs */
function showPairs(pairs) {
  for (const pair of pairs) {
    const { names, scores, played } = pair;
    met.set([...names].sort().join(" "), pair);
    for (const [seat, name] of names.entries()) {
      const other = names[1 - seat];
      const cell = cells.get(`${name} ${other}`);
      if (!cell) continue;
      cell.className = played ? `heat-${Math.round((scores[seat] / played) * HEATS)}` : "";
      cell.replaceChildren(...(played ? [matchesLink(points(scores[seat]), name, other)] : []));
    }
  }
}

/** @param {Told[]} list */
function showField(list) {
  const before = [...entrants.keys()].join(" ");
  entrants = new Map(list.map((entrant) => [entrant.name, entrant]));
  if ([...entrants.keys()].join(" ") !== before) buildCrosstable();
}

/** @param {Told} told */
function showBoard(told) {
  let board = boards.querySelector(`[data-match="${CSS.escape(told.match)}"]`);
  if (!board) {
    if (boards.childElementCount >= MOST_BOARDS) return;
    const link = element("a", { href: `/matches/${told.match}` }, told.seats.join(" – "));
    board = element("article", { "data-match": told.match }, element("h3", {}, link));
    board.append(element("pre", { class: "board", tabindex: "0" }), element("p", { class: "quiet" }));
    boards.append(board);
    byId("playing").hidden = false;
  }
  find(board, "pre").textContent = told.diagram;
  find(board, "p").textContent = `ply ${told.ply}, ${told.seats[told.seat]} (${marks[told.seat]}) to move`;
}

/** @param {Told} told */
function showOver(told) {
  boards.querySelector(`[data-match="${CSS.escape(told.match)}"]`)?.remove();
  byId("playing").hidden = boards.childElementCount === 0;
  const latest = byId("latest");
  latest.prepend(resultItem(told));
  while (latest.childElementCount > MOST_LATEST) latest.lastElementChild?.remove();
}

/** @param {Told} told */
function resultItem(told) {
  const link = element("a", { href: `/matches/${told.match}` }, told.seats.join(" – "));
  const how = element("span", { class: "quiet" }, told.reason);
  return element("li", {}, link, " ", element("b", {}, result(told.scores)), " ", how);
}

follow(id, {
  snapshot(told) {
    showStatus(told);
    lines = told.standings;
    met = new Map((told.pairs ?? []).map((/** @type {Told} */ pair) => [[...pair.names].sort().join(" "), pair]));
    entrants = new Map();
    showField(told.entrants);
    showStandings();
    showModel(told);
    boards.replaceChildren();
    told.running.forEach(showBoard);
    byId("playing").hidden = told.running.length === 0;
    byId("latest").replaceChildren(...told.latest.map(resultItem));
  },
  status: showStatus,
  field(told) {
    showField(told.entrants);
    showStandings();
  },
  standings(told) {
    lines = told.standings;
    showStandings();
    showModel(told);
    showPairs(told.pairs);
    showProgress(told);
  },
  match_start: showBoard,
  move: showBoard,
  match_over: showOver,
});
