// One tournament in the console: how it stands, live, and everything that its host can do.

import { byId, element, follow, result } from "../live.js";
import { showBots } from "./bots.js";
import { confirmed } from "./dialog.js";
import { input, moment, replace } from "./dom.js";
import { prepareHouse } from "./house.js";
import { prepareInvite } from "./invite.js";
import { ask, Refused, whenLoggedIn } from "./session.js";

const MOST_MATCHES = 12;
const SOON_MS = 300;

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

/** @param {string} text */
function tell(text) {
  byId("told").textContent = text;
}

/**
 * Carry out a command, and tell how it went. Gives whether it was done.
 * @param {string} done
 * @param {() => Promise<any>} command
 */
async function act(done, command) {
  byId("problem").hidden = true;
  tell("");
  try {
    await command();
  } catch (error) {
    const problem = byId("problem");
    problem.textContent = /** @type {Refused} */ (error).message;
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
    return false;
  }
  tell(done);
  await look();
  return true;
}

/** Ask how things stand, as only the host is told. */
async function look() {
  const view = await ask("GET", `${path}/host`);
  byId("name").textContent = view.name;
  document.title = `${view.name} – Console – Rumble`;
  byId("about").textContent = `${view.game}, ${view.config.format}, created ${moment(view.created_at_ms)}`;
  lateJoin = view.config.late_join;
  showStatus(view);
  showBots(view, act);
  showConfig(view.config);
  showMatches();
}

/** @param {any} told */
function showStatus(told) {
  status = told.status;
  const badge = byId("status");
  badge.textContent = status;
  badge.className = `status ${status}`;
  badge.hidden = false;
  byId("reason").textContent = told.reason;
  byId("reason").hidden = !told.reason;
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
    invite: isOpen,
  };
  const active = document.activeElement;
  for (const [name, isShown] of Object.entries(shown)) byId(name).hidden = !isShown;
  if (active instanceof HTMLElement && active.closest(".actions") && active.hidden) byId("told").focus();
}

/** @param {any} told */
function showProgress(told) {
  total = told.matches_total ?? 0;
  const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
  bar.max = total || 1;
  bar.value = told.matches_over;
  byId("count").textContent = total ? `${told.matches_over} of ${total} matches` : "not started";
}

/** @param {any} config */
function showConfig(config) {
  const lines = Object.entries(config).filter(([name, value]) => value !== null && name !== "name" && name !== "invite");
  const shown = lines.flatMap(([name, value]) => [
    element("dt", {}, name.replaceAll("_", " ")),
    element("dd", {}, inWords(value)),
  ]);
  replace(byId("config"), shown);
}

/** A choice as people read it. @param {any} value @returns {string} */
function inWords(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => (Array.isArray(each) ? each.join(" ") : inWords(each))).join(", ");
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).map(([name, part]) => `${name.replaceAll("_", " ")} ${inWords(part)}`);
  return parts.join(", ") || "none";
}

/** @param {any} match @param {string} what */
function matchRow(match, what) {
  const cells = [
    element("th", { scope: "row", class: "nowrap" }, element("a", { href: `/matches/${match.match}` }, match.match)),
    element("td", {}, match.seats.join(" – ")),
    element("td", {}, what),
  ];
  const actions = element("td", {});
  if (status === "running" || status === "paused") {
    const button = element("button", { type: "button", class: "compact", "data-focus": match.match }, "Replay…");
    button.append(element("span", { class: "unseen" }, ` ${match.match}`));
    button.addEventListener("click", () => replay(match.match));
    actions.append(button);
  }
  return element("tr", {}, ...cells, actions);
}

function showMatches() {
  const latest = [...over.values()].reverse().slice(0, MOST_MATCHES);
  const rows = [
    ...[...running.values()].slice(0, MOST_MATCHES).map((match) => matchRow(match, "playing")),
    ...latest.map((match) => matchRow(match, `${result(match.scores)}, ${match.reason}`)),
  ];
  byId("no-match").hidden = rows.length > 0;
  byId("matches-table").hidden = rows.length === 0;
  replace(byId("matches"), rows);
}

/** @param {string} match */
async function replay(match) {
  const text = running.has(match)
    ? "It is being played: what was played so far is void, and it begins anew."
    : "Its result does not count any more, and the standings change at once; it is played again as its next attempt.";
  if ((await confirmed({ title: `Replay ${match}?`, text, yes: "Replay it", danger: true })) === null) return;
  await act(`${match} is played again.`, () => ask("POST", `${path}/replay`, { match }));
}

/** Look again soon: several events make one request. */
function lookSoon() {
  if (asked) return;
  asked = true;
  setTimeout(() => {
    asked = false;
    if (!byId("content").hidden) look().catch((error) => tell(error.message));
  }, SOON_MS);
}

/** @param {any} match */
function finish(match) {
  running.delete(match.match);
  over.delete(match.match);
  if (match.scores !== null) over.set(match.match, match);
  if (over.size > 2 * MOST_MATCHES) over.delete([...over.keys()][0]);
}

function watch() {
  follow(id, {
    snapshot(told) {
      running.clear();
      over.clear();
      for (const match of told.running) running.set(match.match, match);
      for (const match of [...told.latest].reverse()) over.set(match.match, match);
      showStatus(told);
      showProgress(told);
      lookSoon();
    },
    status(told) {
      showStatus(told);
      showProgress(told);
      lookSoon();
    },
    standings(told) {
      showProgress(told);
      lookSoon();
    },
    field: lookSoon,
    match_start(match) {
      over.delete(match.match);
      running.set(match.match, match);
      lookSoon();
    },
    match_over(match) {
      finish(match);
      lookSoon();
    },
  });
}

byId("start").addEventListener("click", () => act("It has started.", () => ask("POST", `${path}/start`)));
byId("resume").addEventListener("click", () => act("It goes on.", () => ask("POST", `${path}/resume`)));
byId("pause").addEventListener("click", async () => {
  const text = "Matches that are being played go on to their end; none starts until you resume it.";
  const reason = await confirmed({ title: "Pause it?", text, yes: "Pause", label: "What the bots are told (if anything)" });
  if (reason === null) return;
  await act("It is paused.", () => ask("POST", `${path}/pause`, reason.trim() ? { reason: reason.trim() } : {}));
});
byId("end").addEventListener("click", async () => {
  const text = "It is over at once: the standings count as they are, and matches that are being played are broken off.";
  if ((await confirmed({ title: "End it now?", text, yes: "End it", danger: true })) === null) return;
  await act("It is finished.", () => ask("POST", `${path}/end`));
});
byId("cancel").addEventListener("click", async () => {
  const text = "It is over at once, and nothing of it counts. This cannot be taken back.";
  if ((await confirmed({ title: "Cancel the tournament?", text, yes: "Cancel the tournament", danger: true })) === null) return;
  await act("It is cancelled.", () => ask("POST", `${path}/cancel`));
});
byId("replay-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await replay(input("replay-match").value.trim());
});

let isSetUp = false;
whenLoggedIn(async () => {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    byId("login").remove();
    byId("problem").textContent = error.message;
    byId("problem").hidden = false;
    return new Promise(() => {}); // there is nothing to show
  }
  if (isSetUp) return;
  isSetUp = true;
  await Promise.all([prepareHouse(id, async (done) => (tell(done), look())), prepareInvite(id, act)]);
  watch();
});
