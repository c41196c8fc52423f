// The field of a tournament as the host sees it, with the commands for each bot.

import { byId, element } from "../live.js";
import { learn, shown, who } from "../names.js";
import { confirmed } from "./dialog.js";
import { replace } from "./dom.js";
import { request } from "./api.js";
import { root } from "../root.js";

/** @typedef {(done: string, command: () => Promise<any>) => Promise<boolean>} Act */

/** @param {any} bot */
function state(bot) {
  if (bot.withdrawn) return "left";
  if (!bot.connected) return bot.benched ? "away, benched" : "away";
  const playing = bot.playing ? `, plays ${bot.playing}` : "";
  return `connected${bot.benched ? ", benched" : playing}`;
}

/**
 * @param {any} bot
 * @param {string} text
 * @param {string} kind
 * @param {() => Promise<void>} act
 */
function button(bot, text, kind, act) {
  const made = element("button", { type: "button", class: `compact ${kind}`, "data-focus": `${bot.name} ${text}` }, text);
  made.append(element("span", { class: "unseen" }, ` ${shown(bot.name)}`));
  made.addEventListener("click", act);
  return made;
}

/**
 * @param {any} bot
 * @param {string} path
 * @param {boolean} over
 * @param {boolean} hasHalfByes
 * @param {Act} act
 */
function buttons(bot, path, over, hasHalfByes, act) {
  const found = [];
  if (bot.benched && !bot.withdrawn && !over) {
    found.push(
      button(bot, "Let play", "", async () => {
        await act(`${shown(bot.name)} plays again.`, () => request("POST", `${path}/unbench`, { name: bot.name }));
      }),
    );
  }
  if (bot.house === null && !bot.open) {
    found.push(
      button(bot, "Reset key…", "", async () => {
        const text =
          "The key that protects this name is forgotten on the whole server. The next login under the name claims it " +
          "with its own key. Do this only when the owner has lost the key.";
        const title = `Reset the key of ${shown(bot.name)}?`;
        if ((await confirmed({ title, text, yes: "Reset the key", danger: true })) === null) return;
        await act(`The key of ${shown(bot.name)} is forgotten.`, () => request("POST", `names/${encodeURIComponent(bot.name)}/reset`));
      }),
    );
  }
  if (bot.house === null && bot.open) {
    found.push(
      button(bot, "Give a key…", "", async () => {
        const text =
          "No key protects this name: anyone may log in under it. Enter the key that its owner logs in with (16 to 128 " +
          "characters); from then on only that key is accepted.";
        const question = { title: `Give ${shown(bot.name)} a key?`, text, yes: "Give the key", label: "Key" };
        const key = await confirmed(question);
        if (key === null) return;
        const path = `names/${encodeURIComponent(bot.name)}/reset`;
        await act(`A key protects ${shown(bot.name)}.`, () => request("POST", path, { key }));
      }),
    );
  }
  if (hasHalfByes && !bot.withdrawn && !over) {
    found.push(
      button(bot, "Bye…", "", async () => {
        const text = "It is not paired in that round, and gets half a point. The round must not be paired yet.";
        const label = "Round";
        const round = await confirmed({ title: `Give ${shown(bot.name)} a half-point bye?`, text, yes: "Give the bye", label });
        if (round === null) return;
        const body = { name: bot.name, round: Number(round) };
        await act(`${shown(bot.name)} has a half-point bye in round ${round}.`, () => request("POST", `${path}/bye`, body));
      }),
    );
  }
  for (const round of over ? [] : bot.bye_rounds) {
    found.push(
      button(bot, `No bye in round ${round}`, "", async () => {
        const body = { name: bot.name, round, take_back: true };
        await act(`${shown(bot.name)} has no bye in round ${round}.`, () => request("POST", `${path}/bye`, body));
      }),
    );
  }
  if (!bot.withdrawn && !over) {
    found.push(
      button(bot, "Remove…", "danger", async () => {
        const text =
          "It is out for good: it loses the matches that it is playing, and all that it still has to play. " +
          "Before the start it may join again.";
        const title = `Remove ${shown(bot.name)}?`;
        if ((await confirmed({ title, text, yes: "Remove it", danger: true })) === null) return;
        await act(`${shown(bot.name)} is removed.`, () => request("POST", `${path}/remove`, { name: bot.name }));
      }),
    );
  }
  return found;
}

/** @param {any} bot */
function fault(bot) {
  const last = bot.last_fault;
  if (last === null) return element("td", { class: "quiet" }, "no fault");
  const link = element("a", { href: `${root}/matches/${encodeURIComponent(last.match)}`, "data-focus": `${bot.name} fault` });
  link.textContent = last.termination.replaceAll("_", " ");
  const row = bot.faulty_in_a_row > 1 ? ` (${bot.faulty_in_a_row} in a row)` : "";
  return element("td", { class: "fault" }, link, `${row}: ${last.failure || last.reason}`);
}

/**
 * Show the field.
 * @param {any} view
 * @param {Act} act
 */
export function showBots(view, act) {
  const path = `tournaments/${encodeURIComponent(view.id)}`;
  const over = view.status === "finished" || view.status === "cancelled";
  const hasHalfByes = view.config.format === "swiss" && view.config.seats === 2;
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
    return element(
      "tr",
      {},
      name,
      element(
        "td",
        { class: "nowrap" },
        element("span", { class: `dot ${bot.connected ? "on" : "off"}`, "aria-hidden": "true" }),
        state(bot),
      ),
      fault(bot),
      element("td", {}, element("span", { class: "row tight" }, ...buttons(bot, path, over, hasHalfByes, act))),
    );
  });
  replace(byId("bots"), rows);
}
