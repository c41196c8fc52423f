// The administrator's page: all clubs with quotas and use, the form of a club, new host tokens, removal.

import { keepShowing, Refused, request, whenLoggedIn } from "./api.js";
import { confirmed } from "./dialog.js";
import { attempt, input, replace } from "./dom.js";
import { button, byId, element, onSubmit, tableRow } from "../elements.js";
import { moment } from "../times.js";

/** @typedef {Record<string, number | null>} Quotas */
/** @typedef {{name: string, title: string, listed: boolean, house: boolean, since_ms: number, tournaments: number,
 *   bots: number, quotas: Quotas, used: Quotas | null}} Club */

const AGAIN_MS = 5000;
const MAIN = "main";
const NEW_HINT = "Empty: what the server gives to a new club.";
const CHANGED_HINT = "Empty: no quota.";

/** The club that the form changes; null for a new club. @type {Club | null} */
let changing = null;

/** @returns {HTMLInputElement[]} */
function quotaInputs() {
  return [...byId("club-form").querySelectorAll("input")].filter((each) => each.dataset.quota !== undefined);
}

/** @param {Club} club */
function rootOf(club) {
  return club.name === MAIN ? "" : `/c/${club.name}`;
}

/** @param {string} quota @param {number | null} value */
function amount(quota, value) {
  if (value === null) return "no quota";
  if (quota !== "bytes") return value.toLocaleString();
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${(value / 1000 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[power]}`;
}

async function show() {
  /** @type {{clubs: Club[]}} */
  const { clubs } = await request("GET", "clubs");
  replace(byId("clubs"), clubs.map(row));
}

/** @param {Club} club */
function row(club) {
  const tournaments = club.tournaments === 1 ? "1 tournament runs" : `${club.tournaments} tournaments run`;
  const bots = club.bots === 1 ? "1 bot is connected" : `${club.bots} bots are connected`;
  const name = element("a", { href: `${rootOf(club)}/`, "data-focus": club.name }, club.title || club.name);
  const house = club.house ? ", with house bots" : "";
  const shown = `${club.listed ? "listed" : "not listed"}${house}`;
  const about = club.name === MAIN ? `always there${house}` : `${club.name}, ${shown}, since ${moment(club.since_ms)}`;
  const buttons = [
    buttonOf(club, "Change…", () => change(club)),
    buttonOf(club, "New host token…", () => makeToken(club)),
    ...(club.name === MAIN ? [] : [buttonOf(club, "Remove…", () => remove(club))]),
  ];
  const head = element("th", { scope: "row" }, name, element("br"), element("span", { class: "quiet small" }, about));
  return tableRow(head, `${tournaments}, ${bots}`, uses(club), element("div", { class: "row tight" }, ...buttons));
}

/** @param {Club} club */
function uses(club) {
  const lines = quotaInputs().map((each) => {
    const quota = each.dataset.quota ?? "";
    const most = amount(quota, club.quotas[quota]);
    const used = club.used === null ? null : amount(quota, club.used[quota]);
    const has = club.quotas[quota] === null ? (used ?? most) : used === null ? `at most ${most}` : `${used} of ${most}`;
    return [element("dt", {}, each.dataset.label ?? ""), element("dd", {}, has)];
  });
  return element("dl", { class: "config" }, ...lines.flat());
}

/** @param {Club} club @param {string} text @param {() => void} act */
function buttonOf(club, text, act) {
  const label = `${text.replace("…", "")}: ${club.title || club.name}`;
  return button(text, act, { "data-focus": `${club.name} ${text}`, "aria-label": label });
}

/**
 * Carry out a command, and show the clubs. Return the answer; null for a refused command.
 * @param {string} done the text after a success
 * @param {() => Promise<any>} command
 */
async function carryOut(done, command) {
  byId("made").hidden = true;
  byId("outcome").textContent = "";
  const answer = await attempt(command, "problem", show);
  if (answer !== null) byId("outcome").textContent = done;
  return answer;
}

/** Fill the form with a club to change, or (null) for a new club. @param {Club | null} club */
function fill(club) {
  changing = club;
  byId("club-title").textContent = club === null ? "Create a club" : `Change ${club.title || club.name}`;
  byId("club-save").textContent = club === null ? "Create" : "Save";
  byId("club-back").hidden = club === null;
  byId("quota-hint").textContent = club === null ? NEW_HINT : CHANGED_HINT;
  input("club-name").value = club?.name ?? "";
  input("club-name").readOnly = club !== null;
  input("club-shown").value = club?.title ?? "";
  input("club-listed").checked = club?.listed ?? false;
  input("club-house").checked = club?.house ?? false;
  for (const id of ["club-listed", "club-house"]) input(id).disabled = club?.name === MAIN;
  for (const each of quotaInputs()) each.value = String(club?.quotas[each.dataset.quota ?? ""] ?? "");
}

/** @param {Club} club */
function change(club) {
  fill(club);
  byId("club-title").focus();
  byId("club").scrollIntoView();
}

async function save() {
  const filled = quotaInputs().filter((each) => changing !== null || each.value !== "");
  const quotas = Object.fromEntries(
    filled.map((each) => [each.dataset.quota, each.value === "" ? null : each.valueAsNumber]),
  );
  const flags = { listed: input("club-listed").checked, house: input("club-house").checked };
  const body = { title: input("club-shown").value.trim(), ...(changing?.name === MAIN ? {} : flags), quotas };
  const name = input("club-name").value;
  const saved =
    changing === null
      ? await carryOut(`The club ${name} is created. Make a host token of it next.`, () => request("POST", "clubs", { name, ...body }))
      : await carryOut(`${name} is changed.`, () => request("PATCH", `clubs/${name}`, body));
  if (saved !== null) fill(null);
}

/** @param {Club} club */
async function makeToken(club) {
  const title = `A host token of ${club.title || club.name}`;
  const text = "Whoever has it may host there. It is shown once.";
  const name = await confirmed({ title, text, yes: "Make it", label: "Its name, such as whose it is" });
  if (name === null) return;
  // The request goes to the club itself: in a cluster only the node that leads the club can answer.
  const made = await carryOut("", () => request("POST", "host/tokens", { name: name.trim() }, rootOf(club)));
  if (made === null) return;
  byId("made-name").textContent = made.name;
  byId("made-club").textContent = club.title || club.name;
  byId("made-club").setAttribute("href", `${rootOf(club)}/console`);
  byId("made-token").textContent = made.token;
  byId("made").hidden = false;
  byId("made").scrollIntoView({ block: "nearest" });
}

/** @param {Club} club */
async function remove(club) {
  const title = `Remove ${club.title || club.name} for good?`;
  const text = "Its tournaments, bots and pages are gone at once, and its name is never given again.";
  const typed = await confirmed({ title, text, yes: "Remove", danger: true, label: `Type ${club.name} to remove it` });
  if (typed === null) return;
  await carryOut(`${club.name} is removed.`, () => {
    if (typed.trim() !== club.name) throw new Refused(0, `Nothing was removed: ${typed} is not the name ${club.name}.`);
    return request("DELETE", `clubs/${club.name}`);
  });
  if (changing?.name === club.name) fill(null);
}

onSubmit("club-form", save);
byId("club-back").addEventListener("click", () => fill(null));
fill(null);
whenLoggedIn(show);
keepShowing(show, AGAIN_MS);
