// The page on which a host makes, voids and prints the slips of pupils.

import { request, whenLoggedIn } from "./api.js";
import { attempt } from "./dom.js";
import { button, byId, element } from "../elements.js";

const content = byId("content");
const path = `tournaments/${encodeURIComponent(content.dataset.id ?? "")}`;
/** Slips made on this page, by the pupil's name. @type {Map<string, {code: string, until_ms: number}>} */
const slips = new Map();
/** @type {any[]} */
let pupils = [];

/** @param {any} pupil */
function strip(pupil) {
  const slip = slips.get(pupil.name);
  const who = pupil.display_name ?? pupil.name;
  const makes = button(slip === undefined ? "Make a slip" : "Make another", () => act(() => make(pupil)), {}, `for ${who}`);
  const voids = button("Void the slip", () => act(() => voidSlip(pupil)), {}, `for ${who}`);
  const line = element("li", {}, element("p", { class: "who" }, element("bdi", {}, who)));
  if (slip !== undefined) {
    const { code, until_ms } = slip;
    const until = new Date(until_ms).toLocaleDateString("en-GB", { day: "numeric", month: "long" });
    line.append(
      element("p", {}, `Until ${until}, on any computer: open ${content.dataset.join} and enter, once,`),
      element("p", { class: "slip-code" }, `${code.slice(0, 4)} ${code.slice(4)}`),
    );
  }
  line.append(element("div", { class: "row" }, makes, voids));
  return line;
}

function show() {
  byId("slips").replaceChildren(...pupils.map(strip));
}

/** @param {any} pupil */
async function make(pupil) {
  slips.set(pupil.name, await request("POST", `${path}/slips`, { name: pupil.name }));
}

/** @param {any} pupil */
async function voidSlip(pupil) {
  const { message } = await request("DELETE", `${path}/slips/${encodeURIComponent(pupil.name)}`);
  slips.delete(pupil.name);
  byId("outcome").textContent = message;
}

/** Carry out a command, and show its result. @param {() => Promise<void>} command */
async function act(command) {
  byId("outcome").textContent = "";
  await attempt(command);
  show();
}

byId("all").addEventListener("click", () =>
  act(async () => {
    for (const pupil of pupils) await make(pupil);
    byId("outcome").textContent = `${pupils.length} slips are ready to print.`;
  }),
);
byId("print").addEventListener("click", () => print());
whenLoggedIn(async () => {
  const view = await request("GET", `${path}/host`);
  pupils = view.field.filter((/** @type {any} */ bot) => bot.by_code && !bot.withdrawn);
  byId("count").textContent = `${pupils.length === 1 ? "1 pupil" : `${pupils.length || "No"} pupils`} came by a join code.`;
  byId("slips").hidden = /** @type {HTMLButtonElement} */ (byId("all")).disabled = pupils.length === 0;
  show();
});
