// The bans of addresses and names: the list, a new ban, and lifting a ban.

import { byId, element } from "../live.js";
import { Refused, request } from "./api.js";
import { input, moment, replace, select } from "./dom.js";

async function show() {
  const { bans } = await request("GET", "bans");
  byId("no-bans").hidden = bans.length > 0;
  byId("ban-list").hidden = bans.length === 0;
  replace(byId("bans"), bans.map(row));
}

/** @param {{address: string | null, name: string | null, until_ms: number | null, reason: string}} ban */
function row({ address, name, until_ms, reason }) {
  const whom = name ?? address ?? "";
  const button = element("button", { type: "button", class: "compact", "data-focus": whom }, "Let in");
  button.setAttribute("aria-label", `Let ${whom} in`);
  button.addEventListener("click", () => tell(() => request("POST", "bans/lift", name === null ? { address } : { name })));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, whom),
    element("td", { class: "nowrap" }, until_ms === null ? "let in" : moment(until_ms)),
    element("td", {}, reason),
    element("td", {}, button),
  );
}

/** Carry out a command, show the bans, and return whether the command succeeded. @param {() => Promise<any>} command */
async function tell(command) {
  byId("ban-problem").hidden = true;
  try {
    await command();
    await show();
    return true;
  } catch (error) {
    byId("ban-problem").textContent = /** @type {Refused} */ (error).message;
    byId("ban-problem").hidden = false;
    return false;
  }
}

function given() {
  const [whom, minutes] = [input("ban-whom").value.trim(), input("ban-minutes").value.trim()];
  const ban = select("ban-kind").value === "name" ? { name: whom } : { address: whom };
  return { ...ban, reason: input("ban-reason").value.trim(), ...(minutes === "" ? {} : { minutes: Number(minutes) }) };
}

/** Show the bans, and let the host ban. */
export async function prepareBans() {
  const form = /** @type {HTMLFormElement} */ (byId("ban-form"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await tell(() => request("POST", "bans", given()))) form.reset();
  });
  await show();
}
