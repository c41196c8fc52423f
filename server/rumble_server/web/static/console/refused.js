// The bots whose login or join was refused, with the reasons.

import { request } from "./api.js";
import { replace } from "./dom.js";
import { byId, element, tableRow } from "../elements.js";
import { moment } from "../times.js";

/** Show the refused bots; with `tournament`, only bots that asked for it or for no tournament. @param {string} [tournament] */
export async function showRefused(tournament) {
  const { refused } = await request("GET", "refused");
  const shown = refused.filter((/** @type {any} */ bot) => tournament === undefined || [tournament, null].includes(bot.tournament));
  byId("refused").hidden = shown.length === 0;
  replace(byId("refused-bots"), shown.map((/** @type {any} */ bot) => row(bot, tournament === undefined)));
}

/** @param {any} bot @param {boolean} named true to name the bot's tournament */
function row(bot, named) {
  const name = element("th", { scope: "row" }, bot.name);
  if (named && bot.tournament !== null) name.append(element("div", { class: "quiet small" }, `for ${bot.tournament}`));
  const times = bot.times === 1 ? "" : `, ${bot.times} times`;
  return tableRow(name, element("td", { class: "fault" }, bot.message), `${moment(bot.at_ms)}${times}`, bot.address);
}
