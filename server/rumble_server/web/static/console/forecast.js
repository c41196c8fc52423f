// What the tournament in the form would come to: how many matches, and about how long.

import { byId } from "../live.js";
import { input } from "./dom.js";
import { Refused, request } from "./api.js";

const PAUSE_MS = 250;
const FEWEST = 2;

const told = byId("forecast");
const expected = input("expected-bots");
/** Whether the host has said how many bots come; until then it is as many as are connected. */
let isChosen = false;
/** The number of questions: an answer that comes after the next question is not shown. */
let asked = 0;
/** @type {() => void} */
let askAgain = () => {};

/**
 * Show the forecast of what is in the form, after every change of it.
 * @param {HTMLFormElement} form
 * @param {() => Record<string, unknown>} configuration reads the form
 */
export function forecastOf(form, configuration) {
  /** @type {number | undefined} */
  let timer;
  askAgain = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask(configuration()), PAUSE_MS);
  };
  form.addEventListener("input", (event) => {
    isChosen ||= event.target === expected;
    askAgain();
  });
}

/** Expect as many bots as are connected, unless the host has said how many. @param {number} connected */
export function expectBots(connected) {
  const bots = String(Math.max(connected, FEWEST));
  if (isChosen || (expected.value === bots && told.textContent)) return;
  expected.value = bots;
  askAgain();
}

/** @param {Record<string, unknown>} config */
async function ask(config) {
  const question = (asked += 1);
  let text = `No forecast: ${expected.validationMessage}`;
  if (expected.checkValidity()) {
    try {
      text = (await request("POST", `host/forecast?bots=${expected.value}`, { ...config, name: "forecast" })).text;
    } catch (error) {
      text = `No forecast: ${/** @type {Refused} */ (error).message}`;
    }
  }
  if (question === asked && told.textContent !== text) told.textContent = text;
}
