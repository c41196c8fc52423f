// The bans of addresses and names: the list, a new ban, and lifting a ban.

import { request } from "./api.js";
import { attempt, input, replace, select } from "./dom.js";
import { button, byId, element, onSubmit, tableRow } from "../elements.js";
import { moment } from "../times.js";

/** Show the bans. */
export async function showBans() {
  const { bans } = await request("GET", "bans");
  byId("no-bans").hidden = bans.length > 0;
  byId("ban-list").hidden = bans.length === 0;
  replace(byId("bans"), bans.map(row));
}

/** @param {{address: string | null, name: string | null, until_ms: number | null, reason: string}} ban */
function row({ address, name, until_ms, reason }) {
  const whom = name ?? address ?? "";
  const lift = () => send("bans/lift", name === null ? { address } : { name });
  const until = element("td", { class: "nowrap" }, until_ms === null ? "let in" : moment(until_ms));
  return tableRow(whom, until, reason, button("Let in", lift, { "data-focus": whom, "aria-label": `Let ${whom} in` }));
}

/**
 * Send a command and show the bans. Return the server's answer; null for a refused command.
 * @param {string} path
 * @param {object} body
 */
function send(path, body) {
  return attempt(() => request("POST", path, body), "ban-problem", showBans);
}

function given() {
  const [whom, minutes] = [input("ban-whom").value.trim(), input("ban-minutes").value.trim()];
  const ban = select("ban-kind").value === "name" ? { name: whom } : { address: whom };
  return { ...ban, reason: input("ban-reason").value.trim(), ...(minutes === "" ? {} : { minutes: Number(minutes) }) };
}

onSubmit("ban-form", async () => {
  if (await send("bans", given())) /** @type {HTMLFormElement} */ (byId("ban-form")).reset();
});
