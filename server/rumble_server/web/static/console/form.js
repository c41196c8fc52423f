// The form that creates a tournament.

import { Refused, request } from "./api.js";
import { input, select } from "./dom.js";
import { forecastOf } from "./forecast.js";
import { byId, element, onSubmit, showProblem } from "../elements.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

const form = /** @type {HTMLFormElement} */ (byId("create-form"));
const summary = byId("summary");
const format = select("f-format");
const game = select("f-game");
const seats = input("f-seats");
const openings = select("f-openings");
const own = /** @type {HTMLTextAreaElement} */ (byId("f-openings-own"));
/** The selector of the settings of the chosen game. */
const SETTINGS = "fieldset:enabled [data-setting]";

/** The values for the API of texts in controls, by the kind of the control. @type {Record<string, (text: string) => unknown>} */
const READINGS = {
  integer: Number,
  seconds: (text) => Math.round(Number(text) * 1000),
  moment: (text) => new Date(text).getTime(),
  numbers: (text) => (/^[a-z]+$/i.test(text) ? text : text.split(",").map((each) => (each.trim() === "" ? null : Number(each)))),
  list: (text) => text.split(",").map((each) => each.trim()),
};

/** Id of the tournament that the form changes; null if the form creates one. @type {string | null} */
let editing = null;

/** Return the controls of a selector, by default of all fields but the settings of the game. */
function controls(selector = "[data-field]") {
  return [.../** @type {NodeListOf<Control>} */ (form.querySelectorAll(selector))];
}

/** Show the fields of the chosen game, seats, format and openings. */
function adapt() {
  for (const fieldset of /** @type {NodeListOf<HTMLFieldSetElement>} */ (form.querySelectorAll("fieldset[data-game]"))) {
    fieldset.disabled = fieldset.hidden = fieldset.dataset.game !== game.value;
  }
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-formats], [data-for-two]"))) {
    const formats = (field.dataset.formats ?? format.value).split(" ");
    field.hidden = !formats.includes(format.value) || ("forTwo" in field.dataset && Number(seats.value) > 2);
  }
  own.hidden = openings.value !== "own";
}

/** Return a control's value for the API; undefined for an empty control. @param {Control} control */
function valueOf(control) {
  const text = control.value.trim();
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked;
  if (control === openings && text === "own") return lines(own.value);
  return text === "" ? undefined : (READINGS[control.dataset.kind ?? ""]?.(text) ?? text);
}

/** @param {string} text */
function lines(text) {
  const words = text.split("\n").map((line) => line.trim().split(/\s+/));
  return words.filter((line) => line[0] !== "");
}

function configuration() {
  /** @type {Record<string, any>} */
  const config = {};
  for (const control of controls()) {
    const value = control.closest(".field")?.hasAttribute("hidden") ? undefined : valueOf(control);
    if (value === undefined) continue;
    const [name, part] = (control.dataset.field ?? "").split(".");
    if (part === undefined) config[name] = value;
    else config[name] = { ...config[name], [part]: value };
  }
  // JSON leaves undefined values out.
  config.settings = Object.fromEntries(controls(SETTINGS).map((each) => [each.dataset.setting ?? "", valueOf(each)]));
  return config;
}

/** Return the control of a problem's field. @param {string} field @param {string} problem @returns {Control | undefined} */
function controlOf(field, problem) {
  if (field === "settings") {
    const meant = controls(SETTINGS).find((each) => problem.startsWith(each.dataset.setting ?? "?"));
    if (meant) return meant;
  }
  for (let name = field; name; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const found = controls().find((each) => each.dataset.field === name);
    if (found) return found;
  }
  return controls().find((each) => each.dataset.field?.startsWith(`${field}.`));
}

function clear() {
  summary.hidden = true;
  for (const each of form.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  for (const each of form.querySelectorAll(".error")) /** @type {HTMLElement} */ (each).hidden = true;
}

/** @param {{field: string, problem: string}[]} problems */
function complain(problems) {
  const items = problems.map(({ field, problem }) => {
    const control = field ? controlOf(field, problem) : undefined;
    if (!control) return element("li", {}, field ? `${field}: ${problem}` : problem);
    showProblem(control, byId(`${control.id}-error`), problem);
    control.closest("details")?.setAttribute("open", "");
    const label = form.querySelector(`label[for="${control.id}"]`)?.textContent?.trim() ?? field;
    const link = element("a", { href: `#${control.id}` }, `${label}: ${problem}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      control.focus();
    });
    return element("li", {}, link);
  });
  summary.replaceChildren(element("p", {}, editing === null ? "It was not created:" : "It was not changed:"), element("ul", {}, ...items));
  summary.hidden = false;
  summary.focus();
}

/** Write a value of a configuration as its control has it. @param {Control} control @param {any} value @returns {string} */
function written(control, value) {
  if (value === null || value === undefined) return "";
  switch (control.dataset.kind) {
    case "seconds":
      return String(value / 1000);
    case "moment":
      return new Date(value - new Date(value).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    default:
      if (Array.isArray(value)) return value.join(", ");
      if (typeof value === "object") return Object.entries(value).map(([name, part]) => `${name}=${part}`).join(", ");
      return String(value);
  }
}

/** Set a control. @param {Control} control @param {any} value */
function set(control, value) {
  if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value;
  else if (control === openings && Array.isArray(value)) {
    control.value = "own";
    own.value = value.map((line) => line.join(" ")).join("\n");
  } else control.value = written(control, value);
}

/**
 * Fill the form in with the configuration of a tournament, to copy it or, if `edit`, to change it.
 * @param {string} tournament
 * @param {boolean} edit
 */
async function fill(tournament, edit) {
  const { config, name } = await request("GET", `tournaments/${encodeURIComponent(tournament)}/host`);
  for (const control of controls()) {
    const [field, part] = (control.dataset.field ?? "").split(".");
    set(control, part === undefined ? config[field] : config[field][part]);
  }
  adapt();
  for (const control of controls(SETTINGS)) set(control, config.settings[control.dataset.setting ?? ""]);
  byId("create-title").textContent = edit ? `Change ${name}` : `Create a tournament like ${name}`;
  byId("create-yes").textContent = edit ? "Save" : "Create";
  if (edit) editing = tournament;
  byId("create").scrollIntoView();
}

/** Fill the form in as the page's address asks. */
export async function fillAsAsked() {
  const query = new URLSearchParams(location.search);
  const tournament = query.get("edit") ?? query.get("like");
  if (tournament !== null) await fill(tournament, query.has("edit"));
}

/** Return the problems that the browser finds. @returns {{field: string, problem: string}[]} */
function problemsHere() {
  return controls()
    .filter((each) => !each.closest("[hidden]") && !each.checkValidity())
    .map((each) => ({ field: each.dataset.field ?? "", problem: each.validationMessage }));
}

/**
 * Set the form up; `created` is called with the id of the new tournament.
 * @param {(id: string) => void} created
 */
export function prepare(created) {
  for (const each of [game, format, openings]) each.addEventListener("change", adapt);
  input("f-classroom").addEventListener("change", () => {
    input("f-late_join").checked = input("f-classroom").checked;
    input("f-listed").checked = !input("f-classroom").checked;
  });
  seats.addEventListener("input", adapt);
  adapt();
  forecastOf(form, configuration);
  const yes = /** @type {HTMLButtonElement} */ (byId("create-yes"));
  addEventListener("pageshow", () => (yes.disabled = false)); // the host may come back from the new tournament
  onSubmit("create-form", async () => {
    clear();
    const problems = problemsHere();
    if (problems.length) return complain(problems);
    yes.disabled = true; // until the page of the tournament opens
    try {
      const path = editing === null ? "tournaments" : `tournaments/${encodeURIComponent(editing)}/config`;
      created((await request(editing === null ? "POST" : "PUT", path, configuration())).id);
    } catch (error) {
      yes.disabled = false;
      const refused = /** @type {Refused} */ (error);
      complain(refused.detail?.length ? refused.detail : [{ field: "", problem: refused.message }]);
    }
  });
}
