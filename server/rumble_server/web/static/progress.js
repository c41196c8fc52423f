// The progress of a tournament, and the estimate of its end.

import { byId, setText } from "./elements.js";
import { waitsElsewhere } from "./running_boards.js";

const MINUTE_MS = 60_000;

/** @typedef {import("./feed").Progress} Progress */
/** @typedef {import("./feed").Expected} Expected */

/** @type {Expected | null} */
let expected = null;
/** The time in ms at which `expected` arrived. */
let arrivedAt = 0;

/** @param {Progress} data */
export function showProgress(data) {
  const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
  byId("progress").hidden = data.matches_total === null;
  bar.max = data.matches_total || 1;
  bar.value = data.matches_over;
  setText(byId("count"), `${data.matches_over} of ${data.matches_total ?? 0} matches`);
  setText(byId("headline"), data.headline);
  expected = data.expected;
  arrivedAt = performance.now();
  showExpected();
}

/** Show the remaining time: the estimate less the time since the estimate arrived. After that time the end is late. */
export function showExpected() {
  const left = expected && expected.remaining_ms - (performance.now() - arrivedAt);
  const pace = expected && `at the pace of the last ${expected.results}`;
  const text = left === null ? "" : left > 0 ? `${duration(left)} to go, ${pace}` : "later than expected";
  setText(byId("expected"), waitsElsewhere() ? "waits for bots that play elsewhere" : text);
}

/** @param {number} ms */
function duration(ms) {
  const minutes = Math.ceil(ms / MINUTE_MS);
  if (ms < MINUTE_MS) return "less than a minute";
  if (minutes < 60) return `about ${minutes} min`;
  if (minutes < 48 * 60) return `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `about ${Math.round(minutes / 1440)} days`;
}
