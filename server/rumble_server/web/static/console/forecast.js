// The forecast of the tournament in the form: the number of matches, and the approximate time.

import { Refused, request } from "./api.js";
import { input } from "./dom.js";
import { byId } from "../elements.js";

const PAUSE_MS = 250;
const FEWEST = 2;

const line = byId("forecast");
const expected = input("expected-bots");
/** True if the host has entered the number of bots; until then the number of connected bots is used. */
let isChosen = false;
/** Number of questions, so that an answer that arrives after a further question is not shown. */
let asked = 0;
/** @type {() => void} */
let askAgain = () => {};

/**
 * Show the forecast of the tournament in the form, after every change of the form.
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

/** Set the number of bots to the number connected, unless the host has entered one. @param {number} connected */
export function expectBots(connected) {
  const bots = String(Math.max(connected, FEWEST));
  if (isChosen || (expected.value === bots && line.textContent)) return;
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
  if (question === asked && line.textContent !== text) line.textContent = text;
}
