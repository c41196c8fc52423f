// The field of a tournament as the host sees it, with the commands for each bot.

import { request } from "./api.js";
import { replace } from "./dom.js";
import { button, byId, element, tableRow } from "../elements.js";
import { learn, shown, shownIn, who } from "../names.js";
import { root } from "../root.js";

/** @typedef {import("./dialog.js").Act} Act */

/** @param {any} bot */
function state(bot) {
  if (bot.withdrawn) return "left";
  if (!bot.connected) return bot.benched ? "away, benched" : "away";
  const playing = bot.playing ? `, plays ${bot.playing}` : "";
  return `connected${bot.benched ? ", benched" : playing}`;
}

/**
 * Make the buttons of the commands for a bot.
 * @param {any} bot
 * @param {string} path of the tournament in the API
 * @param {boolean} over
 * @param {boolean} hasHalfByes
 * @param {Act} act
 */
function buttons(bot, path, over, hasHalfByes, act) {
  const { name } = bot;
  const whom = shown(name);
  const isIn = !bot.withdrawn && !over;
  const keyPath = `names/${encodeURIComponent(name)}/reset`;
  /** @type {HTMLButtonElement[]} */
  const made = [];
  /** @param {string} text @param {Parameters<Act>} command @param {string} [kind] */
  const add = (text, command, kind = "") => {
    made.push(button(text, () => act(...command), { class: `compact ${kind}`, "data-focus": `${name} ${text}` }, whom));
  };
  if (bot.benched && isIn) add("Let play", [`${whom} plays again.`, () => request("POST", `${path}/unbench`, { name })]);
  if (bot.house === null && !bot.open) {
    const text =
      "The key that protects this name is forgotten on the whole server. The next login under the name claims it " +
      "with its own key, and programs with the old key are signed out. Do this only when the owner has lost the key.";
    const question = { title: `Reset the key of ${whom}?`, text, yes: "Reset the key", danger: true };
    add("Reset key…", [`The key of ${whom} is forgotten.`, () => request("POST", keyPath), question]);
  }
  if (bot.house === null && bot.open) {
    const text =
      "No key protects this name: anyone may log in under it. Enter the key that its owner logs in with (16 to 128 " +
      "characters); from then on only that key is accepted.";
    const question = { title: `Give ${whom} a key?`, text, yes: "Give the key", label: "Key" };
    add("Give a key…", [`A key protects ${whom}.`, (key) => request("POST", keyPath, { key }), question]);
  }
  if (hasHalfByes && isIn) {
    const text = "It is not paired in that round, and gets half a point. The round must not be paired yet.";
    const question = { title: `Give ${whom} a half-point bye?`, text, yes: "Give the bye", label: "Round" };
    const done = (/** @type {string} */ round) => `${whom} has a half-point bye in round ${round}.`;
    add("Bye…", [done, (round) => request("POST", `${path}/bye`, { name, round: Number(round) }), question]);
  }
  for (const round of over ? [] : bot.bye_rounds) {
    const takeBack = () => request("POST", `${path}/bye`, { name, round, take_back: true });
    add(`No bye in round ${round}`, [`${whom} has no bye in round ${round}.`, takeBack]);
  }
  if (isIn) {
    const text =
      "It is out for good: it loses the matches that it is playing, and all that it still has to play. " +
      "Before the start it may join again.";
    const question = { title: `Remove ${whom}?`, text, yes: "Remove it", danger: true };
    add("Remove…", [`${whom} is removed.`, () => request("POST", `${path}/remove`, { name }), question], "danger");
  }
  return made;
}

/** @param {any} bot */
function fault(bot) {
  const last = bot.last_fault;
  if (last === null) return element("td", { class: "quiet" }, "no fault");
  const link = element("a", { href: `${root}/matches/${encodeURIComponent(last.match)}`, "data-focus": `${bot.name} fault` });
  link.textContent = last.termination.replaceAll("_", " ");
  const row = bot.faulty_in_a_row > 1 ? ` (${bot.faulty_in_a_row} in a row)` : "";
  return element("td", { class: "fault" }, link, `${row}: ${last.failure || shownIn(last.reason)}`);
}

/**
 * Show the field.
 * @param {any} view
 * @param {Act} act
 */
export function showBots(view, act) {
  const path = `tournaments/${encodeURIComponent(view.id)}`;
  const over = view.status === "finished" || view.status === "cancelled";
  const withHalfByes = (byId("bots-table").dataset.halfByes ?? "").split(" ");
  const hasHalfByes = withHalfByes.includes(view.config.format) && view.config.seats === 2;
  learn(view.field);
  const there = view.field.filter((/** @type {any} */ bot) => bot.connected).length;
  byId("bots-count").textContent = view.field.length ? `${there} of ${view.field.length} connected` : "";
  byId("nobody").hidden = view.field.length > 0;
  byId("bots-table").hidden = view.field.length === 0;
  const rows = view.field.map((/** @type {any} */ bot) => {
    const name = element("th", { scope: "row" }, who(bot.name));
    if (bot.display_name) name.append(" ", element("span", { class: "quiet small" }, bot.name));
    if (bot.house !== null) name.append(" ", element("span", { class: "badge accent" }, `house: ${bot.house}`));
    const made = [bot.version === null ? "" : `version ${bot.version}`, bot.client ?? ""].filter(Boolean).join(", ");
    if (made) name.append(element("div", { class: "quiet small" }, made));
    if (bot.open) name.append(" ", element("span", { class: "badge warn", title: "no key protects the name" }, "open name"));
    const dot = element("span", { class: `dot ${bot.connected ? "on" : "off"}`, "aria-hidden": "true" });
    const actions = element("span", { class: "row tight" }, ...buttons(bot, path, over, hasHalfByes, act));
    return tableRow(name, element("td", { class: "nowrap" }, dot, state(bot)), fault(bot), actions);
  });
  replace(byId("bots"), rows);
}
