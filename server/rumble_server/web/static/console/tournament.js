// The page of a tournament in the console: its live state, and the host's commands.

import { keepShowing, Refused, request, whenLoggedIn } from "./api.js";
import { showBots } from "./bots.js";
import { confirmed } from "./dialog.js";
import { attempt, input, replace } from "./dom.js";
import { prepareHouse } from "./house.js";
import { prepareInvite } from "./invite.js";
import { prepareLesson, showLesson, startIfAsked } from "./lesson.js";
import { showRefused } from "./refused.js";
import { button, byId, element, onSubmit, showText, tableRow } from "../elements.js";
import { follow } from "../live.js";
import { shown, shownIn } from "../names.js";
import { root } from "../root.js";
import { result } from "../texts.js";
import { moment } from "../times.js";

const MOST_MATCHES = 12;
const SOON_MS = 300;
const REFUSED_MS = 3000;

const id = byId("content").dataset.id ?? "";
const path = `tournaments/${encodeURIComponent(id)}`;
/** @type {Map<string, any>} */
const running = new Map();
/** @type {Map<string, any>} */
const over = new Map();
let status = "";
let total = 0;
let asked = false;
let lateJoin = false;
let isActing = false;

/** @param {string} text */
function showOutcome(text) {
  byId("outcome").textContent = text;
}

/** @type {import("./dialog.js").Act} */
async function act(done, command, question) {
  const answer = question ? await confirmed(question) : isActing ? null : ""; // a double click is one command
  if (answer === null) return false;
  showOutcome("");
  isActing = true;
  const isDone = await attempt(() => command(answer).then(() => true), "problem", refresh);
  isActing = false;
  if (!isDone) return false;
  showOutcome(typeof done === "string" ? done : done(answer));
  return true;
}

/** Show the tournament as only the host sees it. */
async function refresh() {
  const view = await request("GET", `${path}/host`);
  byId("name").textContent = view.name;
  document.title = `${view.name} – Console – Rumble`;
  byId("about").textContent = `${view.game_title}, ${view.config.format}, created ${moment(view.created_at_ms)}`;
  lateJoin = view.config.late_join;
  showStatus(view);
  showBots(view, act);
  showLesson(view);
  showConfig({ ...view.config, game: view.game_title });
  showMatches();
}

/** @param {any} data */
function showStatus(data) {
  if (status !== data.status) showOutcome(""); // the sentence of an earlier command fits no more
  status = data.status;
  const badge = byId("status");
  badge.textContent = status;
  badge.className = `status ${status}`;
  badge.hidden = false;
  showText(byId("reason"), shownIn(data.reason));
  const isOver = status === "finished" || status === "cancelled";
  const isOpen = status === "lobby" || (!isOver && lateJoin);
  const shown = {
    start: status === "lobby",
    pause: status === "running",
    resume: status === "paused",
    end: status === "running" || status === "paused",
    cancel: !isOver,
    "replay-form": status === "running" || status === "paused",
    house: isOpen,
    door: isOpen,
    invite: isOpen,
  };
  const active = document.activeElement;
  for (const [name, isShown] of Object.entries(shown)) byId(name).hidden = !isShown;
  if (active instanceof HTMLElement && active.closest(".actions") && active.hidden) byId("outcome").focus();
}

/** @param {any} data */
function showProgress(data) {
  total = data.matches_total ?? 0;
  const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
  bar.max = total || 1;
  bar.value = data.matches_over;
  byId("count").textContent = total ? `${data.matches_over} of ${total} matches` : "not started";
}

/** @param {any} config */
function showConfig(config) {
  const lines = Object.entries(config).filter(([name, value]) => value !== null && name !== "name" && name !== "invite");
  const shown = lines.flatMap(([name, value]) => [
    element("dt", {}, title(name)),
    element("dd", {}, inWords(value, name)),
  ]);
  replace(byId("config"), shown);
}

/** Write the name of a choice for people. @param {string} name */
function title(name) {
  return name.replace(/_ms$/, "").replaceAll("_", " ");
}

/** Write a choice for people, ms as seconds. @param {any} value @param {string} [name] @returns {string} */
function inWords(value, name = "") {
  if (name.endsWith("_ms")) return `${value / 1000} s`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => (Array.isArray(each) ? each.join(" ") : inWords(each))).join(", ");
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).map(([name, part]) => `${title(name)} ${inWords(part, name)}`);
  return parts.join(", ") || "none";
}

/** @param {any} data of the match @param {string} what */
function matchRow({ match, seats }, what) {
  const link = element("a", { href: `${root}/matches/${match}` }, match);
  const mayAct = status === "running" || status === "paused";
  return tableRow(
    element("th", { scope: "row", class: "nowrap" }, link),
    element("td", { class: "pairing" }, seats.map(shown).join(" – ")),
    what,
    mayAct ? button("Play again…", () => playAgain(match), { "data-focus": match }, match) : "",
  );
}

function showMatches() {
  const latest = [...over.values()].reverse().slice(0, MOST_MATCHES);
  const rows = [
    ...[...running.values()].slice(0, MOST_MATCHES).map((match) => matchRow(match, "playing")),
    ...latest.map((match) => matchRow(match, `${result(match.scores)}, ${shownIn(match.reason)}`)),
  ];
  byId("no-match").hidden = rows.length > 0;
  byId("matches-table").hidden = rows.length === 0;
  replace(byId("matches"), rows);
}

/** @param {string} match */
function playAgain(match) {
  const text = running.has(match)
    ? "It is being played: this attempt is void, and the next attempt begins."
    : "Its result no longer counts, and the standings change at once. It is played again as its next attempt.";
  const question = { title: `Play ${match} again?`, text, yes: "Play it again", danger: true };
  return act(`${match} is played again.`, () => request("POST", `${path}/replay`, { match }), question);
}

/** Read the tournament soon: one request for several events. */
function refreshSoon() {
  if (asked) return;
  asked = true;
  setTimeout(() => {
    asked = false;
    if (!byId("content").hidden) refresh().catch((error) => showOutcome(error.message));
  }, SOON_MS);
}

/** @param {any} match */
function finish(match) {
  running.delete(match.match);
  over.delete(match.match);
  if (match.scores !== null) over.set(match.match, match);
  if (over.size > 2 * MOST_MATCHES) over.delete([...over.keys()][0]);
}

/** @param {any} data */
function onStatus(data) {
  showStatus(data);
  showProgress(data);
}

/** @type {Record<string, (data: any) => void>} */
const HANDLERS = {
  snapshot(data) {
    running.clear();
    over.clear();
    for (const match of data.running) running.set(match.match, match);
    for (const match of [...data.latest].reverse()) over.set(match.match, match);
    onStatus(data);
  },
  status: onStatus,
  standings: showProgress,
  field() {},
  match_start(match) {
    over.delete(match.match);
    running.set(match.match, match);
  },
  match_over: finish,
};

/** Follow the tournament, and read it again after each event. */
function watch() {
  const handlers = Object.entries(HANDLERS).map(([kind, handle]) => {
    return [kind, (/** @type {any} */ data) => (handle(data), refreshSoon())];
  });
  follow(id, Object.fromEntries(handlers));
}

prepareLesson(path, act);
byId("start").addEventListener("click", () => act("It has started.", () => request("POST", `${path}/start`)));
byId("resume").addEventListener("click", () => act("It goes on.", () => request("POST", `${path}/resume`)));
byId("pause").addEventListener("click", () => {
  const text = "Running matches finish; none starts until you resume the tournament.";
  const question = { title: "Pause it?", text, yes: "Pause", label: "What the bots are told (if anything)" };
  act("It is paused.", (reason) => request("POST", `${path}/pause`, reason.trim() ? { reason: reason.trim() } : {}), question);
});
byId("end").addEventListener("click", () => {
  const text = "It is over at once: the standings count as they are, and running matches are aborted.";
  act("It is finished.", () => request("POST", `${path}/end`), { title: "End it now?", text, yes: "End it", danger: true });
});
byId("cancel").addEventListener("click", () => {
  const text = "It is over at once, and nothing of it counts. This cannot be undone.";
  const question = { title: "Cancel the tournament?", text, yes: "Cancel the tournament", danger: true };
  act("It is cancelled.", () => request("POST", `${path}/cancel`), question);
});
onSubmit("replay-form", () => playAgain(input("replay-match").value.trim()));

let isSetUp = false;
whenLoggedIn(async () => {
  try {
    await refresh();
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    byId("login").remove();
    showText(byId("problem"), error.message);
    return new Promise(() => {}); // never resolves, so that the content of the page stays hidden
  }
  if (isSetUp) return;
  isSetUp = true;
  keepShowing(() => showRefused(id), REFUSED_MS, (error) => showOutcome(error.message));
  await Promise.all([showRefused(id), prepareHouse(id, async (done) => (showOutcome(done), refresh())), prepareInvite(id, act)]);
  watch();
  await startIfAsked(path, act);
});
