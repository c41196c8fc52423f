// Keeps the page of a tournament live, by the events of the feed.

import { fetchAgain } from "./coming_again.js";
import { showColumns, showCrosstable } from "./crosstable.js";
import { byId, element, setText, showText } from "./elements.js";
import { follow } from "./live.js";
import { learn, shownIn, who } from "./names.js";
import { announce, announceRound } from "./news.js";
import { paint } from "./paint.js";
import { showExpected, showProgress } from "./progress.js";
import { showRatings } from "./ratings.js";
import { renewPart } from "./renew.js";
import { root } from "./root.js";
import { endBoard, showBoard, showBoards, showBots, showPlaying } from "./running_boards.js";
import { reached, showStandings } from "./standings.js";
import { placeText, points, result } from "./texts.js";

const MOST_LATEST = 12;
const MOST_BESIDE = 14;
const MOST_ABOVE = 40;
const PLACES = 3;
const MOST_ON_PODIUM = 6;
const PART_PACES_MS = { rounds: 4000, audit: 20000 };
const TICK_MS = 1000;

/** @typedef {import("./feed").Board} Board */
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
const ofTables = page.dataset.seats !== "2";
const inRounds = document.getElementById("rounds") !== null;

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
let hasSnapshot = false;
/** @type {MatchResult[]} */
let latest = [];

// --- the events ---

/** @param {Status} data */
function onStatus(data) {
  const before = status;
  status = data.status;
  paint("status", () => showStatus(data));
  paint("podium", showPodium);
  paint("crosstable", paintCrosstable);
  paint("progress", () => showProgress(data));
  showPlaying(status, () => paint("status", () => showStatus(data)));
  if (before !== status) refreshParts();
  if (before === "lobby" && status !== "lobby" && page.dataset.challengers === "yes") learnColumns();
}

/** @param {Standings | Snapshot} data */
function onStandings(data) {
  ({ standings: lines, gained_by: gainedBy, rating_model: model } = data);
  learn(lines);
  for (const pair of data.pairs ?? []) changed.set(pair.names.join(" "), pair);
  paint("standings", paintStandings);
  paint("crosstable", paintCrosstable);
  if (rated) paint("ratings", () => showRatings(lines, model));
  paint("podium", showPodium);
  paint("progress", () => showProgress(data));
}

/** @param {Entrant[]} data */
function onField(data) {
  learn(data);
  entrants = new Map(data.map((entrant) => [entrant.name, entrant]));
  showBots(data);
  paint("standings", paintStandings);
  paint("crosstable", paintCrosstable);
}

/** @param {Board} data */
function onStart(data) {
  showBoard(data);
  if (inRounds) announceRound(data.match);
}

/** @param {MatchResult} data */
function onOver(data) {
  endBoard(data);
  const others = latest.filter((each) => each.match !== data.match || each.attempt !== data.attempt);
  latest = (data.scores === null ? others : [data, ...others]).slice(0, MOST_LATEST);
  paint("latest", showLatest);
  if (data.scores === null) return; // void: not a result, the match is played again
  announce(data);
  refreshParts();
}

/** @param {Snapshot} data */
function onSnapshot(data) {
  if (hasSnapshot) refreshParts(); // events were missed
  hasSnapshot = true;
  onStatus(data);
  changed = new Map();
  allChanged = true;
  onField(data.entrants);
  onStandings(data);
  showBoards(data.running, data.latest, data.ended);
  if (inRounds) for (const { match } of [...data.running, ...data.latest]) announceRound(match);
  latest = data.latest;
  paint("latest", showLatest);
}

// --- the parts of the page ---

function paintStandings() {
  showStandings(lines, entrants, gainedBy);
}

function paintCrosstable() {
  if (page.classList.contains("unplayed")) return;
  showCrosstable(lines.map((line) => line.name), [...changed.values()], allChanged);
  changed = new Map();
  allChanged = false;
}

/** @param {Status} data */
function showStatus(data) {
  const badge = byId("status");
  setText(badge, data.status);
  badge.className = `status ${data.status}`;
  showText(byId("reason"), shownIn(data.reason));
  byId("reason").className = data.status === "finished" ? "quiet" : "notice warn";
  const isOver = ["finished", "cancelled"].includes(data.status);
  const size = (lines.length > MOST_BESIDE ? " wide" : "") + (lines.length > MOST_ABOVE ? " huge" : "");
  page.className = `${data.status}${isOver && byId("playing").hidden ? " over" : ""}${data.started_at_ms === null ? " unplayed" : ""}${size}`;
  setText(byId("standings-title"), data.started_at_ms === null ? "Field" : "Standings");
  showJoining(isOver);
}

/** @param {boolean} isOver */
function showJoining(isOver) {
  const connect = document.getElementById("connect");
  const isOpen = status === "lobby" || (!isOver && connect?.dataset.late === "yes");
  if (connect) connect.hidden = !isOpen;
  byId("closed").hidden = isOpen || isOver;
  if (connect && isOpen && status !== "lobby" && connect.nextElementSibling !== byId("closed")) byId("closed").before(connect);
}

function showPodium() {
  const placed = status === "finished" && page.dataset.winner === "yes" ? lines.filter((line) => line.rank <= PLACES && line.played) : [];
  const shown = placed.length <= MOST_ON_PODIUM ? placed : [];
  byId("podium").hidden = shown.length === 0;
  const items = shown.map((line) => {
    const name = element("b", {}, who(line.name));
    const medal = element("span", { class: "medal" }, String(line.rank));
    const text = page.dataset.bracket === "yes" ? reached(line.rank, shown.filter((each) => each.rank === 1).length) : `${points(line.points)} points`;
    const score = element("span", { class: "quiet" }, text);
    return element("li", { class: `place-${line.rank}` }, medal, " ", name, " ", score);
  });
  byId("podium-places").replaceChildren(...items);
}

/** Return the bots of a table, each with its place. @param {Element[]} names @param {number[]} scores */
function placed(names, scores) {
  return names.flatMap((name, seat) => [seat ? ", " : "", name, " ", element("b", {}, placeText(scores, seat))]);
}

function showLatest() {
  byId("no-results").hidden = latest.length > 0;
  const items = latest.map((data) => {
    const how = element("span", { class: "quiet small" }, shownIn(data.reason));
    const names = data.seats.map((name) => element("span", {}, who(name)));
    const href = `${root}/matches/${data.match}`;
    if (ofTables) return element("li", {}, element("a", { href }, ...placed(names, data.scores ?? [])), " ", how);
    const link = element("a", { href }, names[0], " – ", names[1]);
    return element("li", {}, link, " ", element("b", {}, result(data.scores)), " ", how);
  });
  byId("latest").replaceChildren(...items);
}

// --- parts that only the server makes: rounds and audit ---

/** @type {Set<string>} */
const partsDue = new Set();

/** Fetch the parts soon, at a random time, so that readers do not ask all at once. */
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

/** Read the challengers of a gauntlet from the page, which names them once the gauntlet has started. */
async function learnColumns() {
  const answer = await fetchAgain(location.href).catch(() => null);
  if (!answer?.ok) return;
  showColumns(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

/** @param {HTMLElement} part */
async function refresh(part) {
  const answer = await fetchAgain(part.dataset.source ?? "").catch(() => null);
  if (!answer?.ok) return; // the next result asks again
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
  if (!fresh) return;
  renewPart(part, fresh);
  part.hidden = false;
}

setInterval(showExpected, TICK_MS);
follow(id, {
  snapshot: onSnapshot,
  status: onStatus,
  field: (data) => onField(data.entrants),
  standings: onStandings,
  match_start: onStart,
  move: showBoard,
  match_over: onOver,
});
