// The host tokens by name, a new token, and taking a token back.

import { byId, element } from "../live.js";
import { Refused, request } from "./api.js";
import { confirmed } from "./dialog.js";
import { input, moment, replace } from "./dom.js";

const PATH = "host/tokens";

async function show() {
  const { tokens } = await request("GET", PATH);
  replace(byId("tokens"), tokens.map(row));
  for (const button of byId("tokens").querySelectorAll("button")) button.disabled = tokens.length === 1;
}

/** @param {{name: string, since_ms: number, own: boolean}} token */
function row({ name, since_ms, own }) {
  const button = element("button", { type: "button", class: "compact", "data-focus": name }, "Take back…");
  button.setAttribute("aria-label", `Take back ${name}`);
  button.addEventListener("click", () => takeBack(name, own));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, own ? `${name} (the one you use)` : name),
    element("td", { class: "nowrap" }, moment(since_ms)),
    element("td", {}, button),
  );
}

/**
 * @param {string} name
 * @param {boolean} own
 */
async function takeBack(name, own) {
  const title = `Take back the token ${name}?`;
  const text = own ? "It is the one that you use: you will need another one." : "Whoever has it cannot host any more.";
  if ((await confirmed({ title, text, yes: "Take back", danger: true })) === null) return;
  await tell(() => request("POST", `${PATH}/${encodeURIComponent(name)}/remove`));
}

/** @param {() => Promise<any>} command */
async function tell(command) {
  byId("token-problem").hidden = true;
  byId("made").hidden = true;
  try {
    const told = await command();
    await show();
    return told;
  } catch (error) {
    byId("token-problem").textContent = /** @type {Refused} */ (error).message;
    byId("token-problem").hidden = false;
    return null;
  }
}

/** Show the tokens, and let the host make a token. */
export async function prepareTokens() {
  byId("token-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const made = await tell(() => request("POST", PATH, { name: input("token-name").value.trim() }));
    if (made === null) return;
    input("token-name").value = "";
    byId("made-name").textContent = made.name;
    byId("made-token").textContent = made.token;
    byId("made").hidden = false;
  });
  await show();
}
