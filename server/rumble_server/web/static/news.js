// News of a tournament for screen readers: a sentence for the whole page, every few seconds at most.

import { byId } from "./elements.js";
import { followed } from "./follow.js";
import { shown } from "./names.js";
import { countPlaying } from "./running_boards.js";
import { result } from "./texts.js";

/** Time in ms for which results are gathered. */
const NEWS_MS = 8000;
/** The place of the round in the parts of a match's id: `friday.1.2.1.1` is of round 2. */
const ROUND = -3;

/** @typedef {import("./feed").MatchResult} MatchResult */

/** @type {MatchResult[]} */
let results = [];
let round = 0;
let newRound = 0;
let isPlanned = false;

/** Tell of a result, unless the reader follows a bot that did not play. @param {MatchResult} data */
export function announce(data) {
  if (followed() && !data.seats.includes(followed())) return;
  results.push(data);
  plan();
}

/** Tell that a round has begun, if the match is its first. @param {string} match the id of the match */
export function announceRound(match) {
  const its = Number(match.split(".").at(ROUND));
  if (its <= round) return;
  if (round) {
    newRound = its;
    plan();
  }
  round = its;
}

function plan() {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(tell, NEWS_MS);
}

function tell() {
  const last = results[results.length - 1];
  const more = results.length > 1 ? `${results.length} results, the last: ` : "";
  const texts = last ? [`${more}${last.seats.map(shown).join(" against ")}, ${result(last.scores)}.`] : [];
  if (newRound) texts.push(`Round ${newRound} is paired.`);
  const playing = countPlaying();
  texts.push(playing === 1 ? "1 match is being played." : `${playing} matches are being played.`);
  byId("news").textContent = texts.join(" ");
  results = [];
  newRound = 0;
  isPlanned = false;
}
