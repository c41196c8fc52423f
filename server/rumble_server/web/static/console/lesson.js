// The buttons of a lesson: start without the absent, again, a final, a message to all bots, listed or not, the door.

import { request } from "./api.js";
import { confirmed } from "./dialog.js";
import { byId } from "../elements.js";
import { keep, kept, keptAs, root } from "../root.js";

/** @typedef {import("./dialog.js").Act} Act */

/** Number of bots in a final. */
const FINALISTS = 8;

/** Key of the session's storage with the id of a tournament to start; in an address, a link could start any tournament. */
const TO_START = keptAs("rumble.start");

/** The tournament as last shown. @type {any} */
let shown = null;

/** Show the buttons that fit the tournament. @param {any} view */
export function showLesson(view) {
  shown = view;
  const isOver = view.status === "finished" || view.status === "cancelled";
  const people = view.field.filter((/** @type {any} */ bot) => bot.house === null && !bot.connected).length;
  const hasPupils = view.field.some((/** @type {any} */ bot) => bot.by_code);
  byId("start-there").hidden = view.status !== "lobby" || people === 0 || view.field.length - people < 2;
  byId("start-there").textContent = `Start without the ${people} who ${people === 1 ? "is" : "are"} away`;
  byId("again").hidden = byId("final").hidden = !isOver || !hasPupils;
  byId("tell").hidden = byId("list").hidden = isOver;
  byId("list").textContent = view.config.listed ? "Hide" : "Show in the list";
  byId("edit").hidden = view.status !== "lobby";
  byId("slips").hidden = !hasPupils;
  byId("results").hidden = view.started_at_ms === null;
}

/**
 * Make the next tournament, once for a double click, and go to its page, which starts it with those who are there.
 * @param {string} path @param {object} wanted
 */
async function next(path, wanted) {
  const buttons = ["again", "final"].map((each) => /** @type {HTMLButtonElement} */ (byId(each)));
  for (const button of buttons) button.disabled = true;
  try {
    const made = await request("POST", `${path}/again`, wanted);
    keep(TO_START, made.id, "sessionStorage");
    location.assign(`${root}/console/${encodeURIComponent(made.id)}`);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Start the tournament if it was just made by "Again". @param {string} path @param {Act} act */
export async function startIfAsked(path, act) {
  if (path !== `tournaments/${encodeURIComponent(kept(TO_START, "sessionStorage") ?? "")}`) return;
  keep(TO_START, null, "sessionStorage");
  await act("It has started.", () => request("POST", `${path}/start`, { without_absent: true }));
}

/**
 * Set the buttons up; `act` carries out a command and shows its result.
 * @param {string} path of the tournament in the API
 * @param {Act} act
 */
export function prepareLesson(path, act) {
  const onClick = (/** @type {string} */ id, /** @type {() => Promise<any>} */ does) => byId(id).addEventListener("click", does);
  onClick("start-there", () => act("It has started.", () => request("POST", `${path}/start`, { without_absent: true })));
  onClick("again", () => act("", () => next(path, {})));
  onClick("final", () => act("", () => next(path, { top: FINALISTS })));
  onClick("list", () => {
    const listed = !shown.config.listed;
    const done = listed ? "The list of tournaments shows it." : "The list of tournaments does not show it.";
    return act(done, async () => {
      const { config } = await request("GET", `${path}/host`); // another host may have changed it
      return request("PUT", `${path}/config`, { ...config, listed });
    });
  });
  onClick("tell", async () => {
    const text = "Every bot of the tournament gets it as a notice; its program shows it.";
    const message = (await confirmed({ title: "Tell all bots", text, yes: "Tell them", label: "Message" }))?.trim();
    if (message) await act("They are told.", () => request("POST", `${path}/notice`, { message }));
  });
}
