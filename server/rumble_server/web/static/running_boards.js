// "Playing now" on a tournament's page: boards in fixed slots.

import { BoardCard } from "./board_card.js";
import { byId, setText, showText } from "./elements.js";
import { followed, offerBots, onFollow } from "./follow.js";
import { shown } from "./names.js";
import { paint } from "./paint.js";
import { Slots, STAY_MS } from "./slots.js";

/** Maximum number of slots; equal to the server's. */
const MOST_SLOTS = 24;
/** Number of slots added at a time, so that slots are seldom added. */
const STEP = 6;
const TICK_MS = 500;

/**
 * @typedef {import("./feed").Board} Board
 * @typedef {import("./feed").Entrant} Entrant
 * @typedef {import("./feed").MatchResult} MatchResult
 */

const section = byId("playing");
const boards = byId("boards");
const blank = /** @type {HTMLTemplateElement} */ (byId("slot"));
const slots = new Slots();
/** @type {BoardCard[]} */
const cards = [];
let tables = 0;
let elsewhere = 0;
let isOver = false;
let onFolded = () => {};

for (const article of boards.querySelectorAll("article")) {
  slots.add(article.dataset.match, Number(article.dataset.attempt));
  cards.push(new BoardCard(article));
}
setFollowed();
onFollow(() => {
  setFollowed();
  fill();
});
setInterval(fill, TICK_MS);

/** @param {Entrant[]} field */
export function showBots(field) {
  offerBots(field.map((entrant) => entrant.name));
  tables = Math.floor(field.length / Number(byId("tournament").dataset.seats));
  elsewhere = field.filter((entrant) => entrant.elsewhere).length;
  const text = `${elsewhere} of its bots ${elsewhere === 1 ? "has" : "have"} matches in other tournaments, too.`;
  showText(byId("elsewhere"), elsewhere ? text : "");
}

/** Show a match that has begun or gone on. @param {Board} board */
export function showBoard(board) {
  slots.show(board, performance.now());
  soon();
}

/** Show all boards anew. @param {Board[]} running @param {MatchResult[]} latest @param {Board[]} ended final positions */
export function showBoards(running, latest, ended) {
  slots.reset(running, latest, ended, performance.now());
  soon();
}

/** Show that a match is over. @param {MatchResult} result */
export function endBoard(result) {
  slots.end(result, performance.now());
  soon();
}

/**
 * Show the boards from the start of a tournament until the results of its last matches have been in view.
 * @param {string} status
 * @param {() => void} folded called when the boards have gone
 */
export function showPlaying(status, folded) {
  onFolded = folded;
  isOver = status === "finished" || status === "cancelled";
  if (status !== "lobby" && !isOver) section.hidden = false;
  soon();
}

/** Return the number of matches being played. */
export function countPlaying() {
  return slots.running.size;
}

/** Return whether no match is being played while bots have matches in other tournaments. */
export function waitsElsewhere() {
  return elsewhere > 0 && slots.running.size === 0;
}

function setFollowed() {
  slots.followed = followed();
  boards.classList.toggle("following", slots.followed !== "");
}

/** @param {number} count */
function grow(count) {
  const wanted = Math.min(MOST_SLOTS, count);
  while (cards.length < wanted) {
    boards.append(blank.content.cloneNode(true));
    slots.add();
    cards.push(new BoardCard(/** @type {HTMLElement} */ (boards.lastElementChild)));
  }
}

function soon() {
  paint("playing", fill);
}

function fill() {
  if (section.hidden) return;
  const now = performance.now();
  if (cards.length === 0) grow(Math.max(1, tables));
  if (slots.running.size > cards.length) grow(Math.ceil(slots.running.size / STEP) * STEP);
  slots.fill(now);
  setText(byId("playing-count"), String(slots.running.size));
  slots.all.forEach((slot, place) => {
    const isFirst = place === 0 && slots.followed;
    cards[place].show(slot, isFirst ? `${shown(slots.followed)} waits for its next match` : "no match", now);
  });
  section.hidden = isOver && slots.all.every((slot) => now - slot.overAt >= STAY_MS);
  if (section.hidden) onFolded();
}
