// The rating chart, kept live. `pages/chart.py` computes the same scale.

import { tag } from "./drawing.js";
import { byId, element } from "./elements.js";
import { who } from "./names.js";
import { ratingText, signed } from "./standings.js";

const MOST_STEPS = 6;
const STEPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
/** @typedef {import("./feed").Standing} Standing */

let drawn = "";

/**
 * @param {Standing[]} lines
 * @param {string} model
 */
export function showRatings(lines, model) {
  const rated = lines.filter((line) => line.rating !== null).sort((one, other) => value(other) - value(one));
  byId("ratings").hidden = rated.length === 0;
  const now = JSON.stringify([model, rated.map((line) => [line.name, line.rating, line.interval])]);
  if (rated.length === 0 || now === drawn) return;
  drawn = now;
  const words = byId("rating-model").querySelector("span");
  if (words) words.textContent = model;
  const scale = scaleOf(rated);
  /** @type {number[]} */
  const ticks = [];
  for (let tick = scale.low; tick <= scale.high; tick += scale.step) ticks.push(tick);
  byId("ratings-axis").replaceChildren(...ticks.map((tick) => tag("text", { x: at(scale, tick), y: 12 }, signed(tick))));
  byId("ratings-rows").replaceChildren(...rated.map((line) => row(scale, ticks, line)));
}

/** @param {Standing} line */
function value(line) {
  return line.rating ?? 0;
}

/** @param {Standing[]} rated */
function scaleOf(rated) {
  const ends = rated.flatMap((line) => [value(line), ...(line.interval ?? [])]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const step = STEPS.find((each) => (most - least) / each <= MOST_STEPS - 1) ?? 10000;
  const low = Math.floor(least / step) * step;
  return { low, high: Math.max(Math.ceil(most / step) * step, low + step), step };
}

/**
 * @param {{low: number, high: number}} scale
 * @param {number} rating
 */
function at(scale, rating) {
  return `${((100 * (rating - scale.low)) / (scale.high - scale.low)).toFixed(2)}%`;
}

/**
 * @param {{low: number, high: number}} scale
 * @param {number[]} ticks
 * @param {Standing} line
 */
function row(scale, ticks, line) {
  const marks = ticks.map((tick) => tag("line", { class: "tick", x1: at(scale, tick), x2: at(scale, tick), y1: 0, y2: 18 }));
  if (line.interval) {
    const [x1, x2] = line.interval.map((end) => at(scale, end));
    marks.push(tag("line", { class: "interval", x1, x2, y1: 9, y2: 9 }));
  }
  marks.push(tag("circle", { cx: at(scale, value(line)), cy: 9, r: 5 }));
  const svg = tag("svg", { width: "100%", height: 18, "aria-hidden": "true" }, ...marks);
  return element(
    "tr",
    { "data-name": line.name },
    element("th", { scope: "row" }, who(line.name)),
    element("td", { class: "chart" }, svg),
    element("td", { class: "number" }, ratingText(line)),
  );
}
