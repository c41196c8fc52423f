// The host tokens by name, a new token, and taking a token back.

import { request } from "./api.js";
import { confirmed } from "./dialog.js";
import { attempt, input, replace } from "./dom.js";
import { button, byId, element, onSubmit, tableRow } from "../elements.js";
import { moment } from "../times.js";

const PATH = "host/tokens";

/** Show the tokens. */
export async function showTokens() {
  const { tokens } = await request("GET", PATH);
  replace(byId("tokens"), tokens.map(row));
  for (const button of byId("tokens").querySelectorAll("button")) button.disabled = tokens.length === 1;
}

/** @param {{name: string, since_ms: number, own: boolean}} token */
function row({ name, since_ms, own }) {
  const since = element("td", { class: "nowrap" }, moment(since_ms));
  const attributes = { "data-focus": name, "aria-label": `Take back ${name}` };
  return tableRow(own ? `${name} (the one you use)` : name, since, button("Take back…", () => takeBack(name, own), attributes));
}

/**
 * @param {string} name
 * @param {boolean} own
 */
async function takeBack(name, own) {
  const title = `Take back the token ${name}?`;
  const text = own ? "It is the one that you use: you will need another one." : "Whoever has it cannot host any more.";
  if ((await confirmed({ title, text, yes: "Take back", danger: true })) === null) return;
  await send(`${PATH}/${encodeURIComponent(name)}/remove`);
}

/**
 * Send a command and show the tokens. Return the server's answer; null for a refused command.
 * @param {string} path
 * @param {object} [body]
 */
function send(path, body) {
  byId("made").hidden = true;
  return attempt(() => request("POST", path, body), "token-problem", showTokens);
}

onSubmit("token-form", async () => {
  const made = await send(PATH, { name: input("token-name").value.trim() });
  if (made === null) return;
  input("token-name").value = "";
  byId("made-name").textContent = made.name;
  byId("made-token").textContent = made.token;
  byId("made").hidden = false;
});
