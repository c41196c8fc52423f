// The page that shows who of a class is in, missing or refused.

import { keepShowing, request, whenLoggedIn } from "./api.js";
import { attempt, replace } from "./dom.js";
import { byId, element, onSubmit, tableRow } from "../elements.js";
import { moment } from "../times.js";

const AGAIN_MS = 3000;

const id = byId("content").dataset.id ?? "";
const path = `tournaments/${encodeURIComponent(id)}`;
const names = /** @type {HTMLTextAreaElement} */ (byId("names"));
/** The field as last shown. @type {any[]} */
let field = [];

/** Return a name for comparison. @param {string} name */
function folded(name) {
  return name.normalize("NFKC").toLowerCase().trim();
}

/** @param {any} bot */
function shownName(bot) {
  return bot.display_name ?? bot.name;
}

/** @param {string} name @param {any} bot @param {any} refusal @param {boolean} expected */
function row(name, bot, refusal, expected) {
  const here = bot?.connected ? "in" : bot ? "in, but its bot is away" : "missing";
  const state = expected ? here : `${here}; not on your list`;
  const why = refusal ? `${refusal.message} (${moment(refusal.at_ms)}${refusal.times > 1 ? `, ${refusal.times} times` : ""})` : "";
  const badge = bot ? state : element("span", { class: "status cancelled" }, state);
  return tableRow(element("bdi", {}, name), badge, element("td", { class: "fault" }, why));
}

async function show() {
  const [view, { refused }] = await Promise.all([request("GET", `${path}/host`), request("GET", "refused")]);
  field = view.field.filter((/** @type {any} */ bot) => bot.house === null && !bot.withdrawn);
  const bots = new Map(field.flatMap((bot) => [[folded(bot.name), bot], [folded(shownName(bot)), bot]]));
  const refusals = new Map([...refused].reverse().map((/** @type {any} */ each) => [folded(each.name), each]));
  const expected = view.roster.map((/** @type {string} */ name) => [name, bots.get(folded(name))]);
  const known = new Set(expected.map((/** @type {any[]} */ [, bot]) => bot));
  const others = field.filter((bot) => !known.has(bot));
  const hasRoster = view.roster.length > 0;
  const rows = [
    ...expected.map((/** @type {any[]} */ [name, bot]) => row(name, bot, refusals.get(folded(name)), true)),
    ...others.map((bot) => row(shownName(bot), bot, refusals.get(folded(shownName(bot))), !hasRoster)),
  ];
  const shown = new Set([...bots.keys(), ...view.roster.map(folded)]);
  rows.push(...[...refusals].filter(([name]) => !shown.has(name)).map(([, each]) => row(each.name, undefined, each, false)));
  const there = field.filter((bot) => bot.connected).length;
  const missing = expected.filter((/** @type {any[]} */ [, bot]) => !bot).length;
  byId("count").textContent = `${field.length} in, ${there} of them with a bot that is here${hasRoster ? `; ${missing} missing` : ""}.`;
  replace(byId("pupils"), rows);
  return view;
}

/** @param {string[]} given */
function save(given) {
  return attempt(() => request("PUT", `${path}/roster`, { names: given }), "problem", show);
}

onSubmit("roster-form", () => {
  const lines = names.value.split("\n").map((line) => line.trim());
  save([...new Set(lines.filter(Boolean))]);
});
byId("take").addEventListener("click", async () => {
  names.value = field.map(shownName).join("\n");
  await save(field.map(shownName));
});

whenLoggedIn(async () => {
  const { roster } = await show();
  names.value ||= roster.join("\n"); // after a further login the names stay as the host left them
});
keepShowing(show, AGAIN_MS, (error) => (byId("count").textContent = error.message));
