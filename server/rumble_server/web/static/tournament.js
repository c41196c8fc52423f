// Keeps the page of a tournament live. The server has rendered it; every event says how things stand now.

import { showCrosstable, showRows } from "./crosstable.js";
import { byId, element, follow, points, result } from "./live.js";
import { paint, setText } from "./paint.js";
import { removeBoard, showBoard, showBoards } from "./playing.js";
import { showExpected, showProgress } from "./progress.js";
import { showRatings } from "./ratings.js";
import { showStandings } from "./standings.js";

const MOST_LATEST = 12;
const PLACES = 3;
const MOST_ON_PODIUM = 6;
const NEWS_MS = 5000;
const PART_PACES_MS = { rounds: 4000, audit: 20000 };
const TICK_MS = 1000;

/** @typedef {import("./feed").Entrant} Entrant */
/** @typedef {import("./feed").MatchResult} MatchResult */
/** @typedef {import("./feed").Pair} Pair */
/** @typedef {import("./feed").Snapshot} Snapshot */
/** @typedef {import("./feed").Standing} Standing */
/** @typedef {import("./feed").Standings} Standings */
/** @typedef {import("./feed").Status} Status */

const page = byId("tournament");
const id = page.dataset.id ?? "";
const rated = page.dataset.rated === "yes";
const marks = (page.dataset.marks ?? "").split(" ");

/** @type {Map<string, Entrant>} */
let entrants = new Map();
/** @type {Standing[]} */
let lines = [];
let gainedBy = 0;
let model = "";
let status = byId("status").textContent ?? "";
/** @type {Map<string, Pair>} */
let changed = new Map();
let allChanged = false;
/** @type {MatchResult[]} */
let latest = [];

// --- what is told ---

/** @param {Status} told */
function onStatus(told) {
  const before = status;
  status = told.status;
  paint("status", () => showStatus(told));
  paint("podium", showPodium);
  paint("progress", () => showProgress(told));
  if (before !== status) refreshParts();
  if (before === "lobby" && status === "running" && page.dataset.format === "gauntlet") learnRows();
}

/** @param {Standings | Snapshot} told */
function onStandings(told) {
  ({ standings: lines, gained_by: gainedBy, rating_model: model } = told);
  for (const pair of told.pairs ?? []) changed.set(pair.names.join(" "), pair);
  paint("standings", paintStandings);
  paint("crosstable", paintCrosstable);
  if (rated) paint("ratings", () => showRatings(lines, model));
  paint("podium", showPodium);
  paint("progress", () => showProgress(told));
}

/** @param {Entrant[]} told */
function onField(told) {
  entrants = new Map(told.map((entrant) => [entrant.name, entrant]));
  paint("standings", paintStandings);
  paint("crosstable", paintCrosstable);
}

/** @param {MatchResult} told */
function onOver(told) {
  removeBoard(told.match);
  const others = latest.filter((each) => each.match !== told.match || each.attempt !== told.attempt);
  latest = (told.scores === null ? others : [told, ...others]).slice(0, MOST_LATEST);
  paint("latest", showLatest);
  if (told.scores === null) return; // void: not a result, the match is played again
  tell(told);
  refreshParts();
}

/** @param {Snapshot} told */
function onSnapshot(told) {
  onStatus(told);
  changed = new Map();
  allChanged = true;
  onField(told.entrants);
  onStandings(told);
  showBoards(marks, told.running);
  latest = told.latest;
  paint("latest", showLatest);
}

// --- how it is shown ---

function paintStandings() {
  showStandings(id, rated, lines, entrants, gainedBy);
}

function paintCrosstable() {
  showCrosstable(id, [...entrants.keys()], [...changed.values()], allChanged);
  changed = new Map();
  allChanged = false;
}

/** @param {Status} told */
function showStatus(told) {
  const badge = byId("status");
  setText(badge, told.status);
  badge.className = `status ${told.status}`;
  setText(byId("reason"), told.reason);
  byId("reason").hidden = !told.reason;
  byId("reason").className = told.status === "finished" ? "quiet" : "notice warn";
  page.classList.toggle("over", ["finished", "cancelled"].includes(told.status));
  const connect = document.getElementById("connect");
  if (connect && ["finished", "cancelled"].includes(told.status)) connect.hidden = true;
  const closed = document.getElementById("closed");
  if (closed) closed.hidden = told.status === "lobby" || closed.dataset.late === "yes";
}

function showPodium() {
  const placed = status === "finished" && page.dataset.format !== "gauntlet" ? lines.filter((line) => line.rank <= PLACES && line.played) : [];
  const shown = placed.length <= MOST_ON_PODIUM ? placed : [];
  byId("podium").hidden = shown.length === 0;
  const items = shown.map((line) => {
    const name = element("b", {}, line.name);
    const medal = element("span", { class: "medal" }, String(line.rank));
    const score = element("span", { class: "quiet" }, `${points(line.points)} points`);
    return element("li", { class: `place-${line.rank}` }, medal, " ", name, " ", score);
  });
  byId("podium-places").replaceChildren(...items);
}

function showLatest() {
  byId("no-results").hidden = latest.length > 0;
  const items = latest.map((told) => {
    const link = element("a", { href: `/matches/${told.match}` }, told.seats.join(" – "));
    const how = element("span", { class: "quiet small" }, told.reason);
    return element("li", {}, link, " ", element("b", {}, result(told.scores)), " ", how);
  });
  byId("latest").replaceChildren(...items);
}

// --- for those who listen: results, at most every few seconds ---

/** @type {MatchResult[]} */
let untold = [];

/** @param {MatchResult} told */
function tell(told) {
  untold.push(told);
  if (untold.length > 1) return;
  setTimeout(() => {
    const last = untold[untold.length - 1];
    const more = untold.length > 1 ? `${untold.length} results, the last: ` : "";
    byId("news").textContent = `${more}${last.seats.join(" against ")}, ${result(last.scores)}.`;
    untold = [];
  }, NEWS_MS);
}

// --- parts that the server alone makes: rounds and audit ---

/** @type {Set<string>} */
const partsDue = new Set();

/** Fetch them, not too often: at once would mean everybody at once. */
function refreshParts() {
  for (const [name, pace] of Object.entries(PART_PACES_MS)) {
    const part = document.getElementById(name);
    if (!part || partsDue.has(name)) continue;
    partsDue.add(name);
    setTimeout(() => {
      partsDue.delete(name);
      refresh(part);
    }, pace * (0.5 + Math.random()));
  }
}

/** Who the challengers of a gauntlet are is known when it starts; the page says it. */
async function learnRows() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("crosstable");
  showRows(id, fresh?.dataset.rows?.split(" ").filter(Boolean) ?? []);
}

/** @param {HTMLElement} part */
async function refresh(part) {
  const answer = await fetch(part.dataset.source ?? "").catch(() => null);
  if (!answer?.ok) return; // the next result asks again
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
  if (!fresh || fresh.innerHTML.trim() === part.innerHTML.trim()) return;
  const open = part.querySelector("details")?.open ?? false;
  part.replaceChildren(...fresh.childNodes);
  part.hidden = false;
  const details = part.querySelector("details");
  if (details) details.open = open;
}

setInterval(showExpected, TICK_MS);
follow(id, {
  snapshot: onSnapshot,
  status: onStatus,
  field: (told) => onField(told.entrants),
  standings: onStandings,
  match_start: (told) => showBoard(marks, told),
  move: (told) => showBoard(marks, told),
  match_over: onOver,
});
