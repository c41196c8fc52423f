// Adding house bots to the field.

import { request } from "./api.js";
import { attempt, input, select } from "./dom.js";
import { byId, element, onSubmit } from "../elements.js";

/**
 * Show the reference bots, and let the host add house bots; `done` is called with a text about each addition.
 * @param {string} tournament
 * @param {(done: string) => Promise<void>} done
 */
export async function prepareHouse(tournament, done) {
  const path = `tournaments/${encodeURIComponent(tournament)}/house`;
  const bots = select("house-bot");
  /** @type {Map<string, string>} */
  const about = new Map();

  async function show() {
    const data = await request("GET", path);
    const chosen = bots.value;
    for (const each of data.bots) about.set(each.bot, each.about);
    bots.replaceChildren(...data.bots.map((/** @type {any} */ each) => element("option", {}, each.bot)));
    if (about.has(chosen)) bots.value = chosen;
    byId("house-room").textContent = `Room for ${data.room} on this server.`;
    byId("no-house").hidden = data.bots.length > 0;
    byId("house-form").hidden = data.bots.length === 0;
    explain();
  }

  function explain() {
    byId("house-about").textContent = about.get(bots.value) ?? "";
  }

  bots.addEventListener("change", explain);
  onSubmit("house-form", async () => {
    const count = Number(input("house-count").value);
    const name = input("house-name").value.trim();
    const body = { bot: bots.value, count, ...(name ? { name } : {}) };
    if ((await attempt(() => request("POST", path, body), "house-error")) === null) return;
    input("house-name").value = "";
    input("house-count").value = "1";
    await Promise.all([show(), done(count === 1 ? `${bots.value} is added.` : `${count} of ${bots.value} are added.`)]);
  });
  await show();
}
