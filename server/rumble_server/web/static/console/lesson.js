// The buttons of a lesson: start without the absent, again, a final, a message to all bots, listed or not, the door.

import { byId } from "../live.js";
import { confirmed } from "./dialog.js";
import { request } from "./api.js";
import { root } from "../root.js";

/** @typedef {(done: string, command: () => Promise<any>) => Promise<boolean>} Act */

/** Number of bots in a final. */
const FINALISTS = 8;

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
 * Make the next tournament, and go to its page, which starts it with those who are there.
 * @param {string} path @param {object} wanted
 */
async function next(path, wanted) {
  const made = await request("POST", `${path}/again`, wanted);
  location.assign(`${root}/console/${encodeURIComponent(made.id)}?start`);
}

/** Start the tournament if the page's address asks for it. @param {string} path @param {Act} act */
export async function startIfAsked(path, act) {
  if (!new URLSearchParams(location.search).has("start")) return;
  history.replaceState(null, "", location.pathname);
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
    return act(done, () => request("PUT", `${path}/config`, { ...shown.config, listed }));
  });
  onClick("tell", async () => {
    const text = "Every bot of the tournament gets it as a notice; its program shows it.";
    const message = (await confirmed({ title: "Tell all bots", text, yes: "Tell them", label: "Message" }))?.trim();
    if (message) await act("They are told.", () => request("POST", `${path}/notice`, { message }));
  });
}
