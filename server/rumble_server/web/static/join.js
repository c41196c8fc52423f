// The page on which a pupil joins by a code: claims a name, leads on, and shows which step to the first move fails.

import { fetchAgain } from "./coming_again.js";
import { byId, onSubmit, showProblem, showText } from "./elements.js";
import { identity, keep, newKey } from "./identity.js";
import { openSocket } from "./play/connection.js";
import { root } from "./root.js";

const ASK_MS = 3000;
const PATIENCE_MS = 8000;
const SLIP_LETTERS = 8;
const OVER = "the tournament is over";
const FRESH_KEY = newKey(); // the same at each try, since the server may have joined the pupil in spite of an error

const form = /** @type {HTMLFormElement} */ (byId("join"));
const code = /** @type {HTMLInputElement} */ (byId("code"));
const display = /** @type {HTMLInputElement} */ (byId("display"));
const zip = /** @type {HTMLFormElement} */ (byId("zip-form"));
/** The place of each refusal on the page, by its code; any other refusal is shown below the form. */
const PLACES = new Map([
  ["unknown_code", code],
  ["name_taken", display],
  ["bad_display_name", display],
]);

/** Show a problem at a field, or below the form; an empty text hides it. @param {HTMLInputElement | null} field @param {string} text */
function complain(field, text) {
  if (field === null) return showText(byId("problem"), text);
  showProblem(field, byId(`${field.id}-error`), text);
  if (text) field.focus();
}

/** Show the state of a step. @param {string} step @param {"good" | "bad" | ""} state @param {string} text */
function showStep(step, state, text) {
  const line = document.querySelector(`[data-step="${step}"]`);
  const place = line?.querySelector("span");
  if (!(line instanceof HTMLElement) || !place || place.textContent === text) return;
  line.dataset.state = state;
  place.textContent = text;
}

/** Try a WebSocket, which some networks hold up, and end it after the server's first message. */
function tryConnection() {
  const socket = openSocket();
  const failed = () => showStep("connection", "bad", "this network does not let it through: tell your teacher");
  const timer = setTimeout(() => {
    failed();
    socket.close();
  }, PATIENCE_MS);
  showStep("connection", "", "trying…");
  socket.onmessage = () => {
    clearTimeout(timer);
    showStep("connection", "good", "works");
    socket.onclose = null;
    socket.close(1000);
  };
  socket.onclose = () => {
    clearTimeout(timer);
    failed();
  };
}

/** Show whether the pupil's bot has logged in and moved, until it has. @param {string} tournament @param {string} name */
async function watch(tournament, name) {
  const answer = await fetch(`${root}/api/tournaments/${encodeURIComponent(tournament)}`).catch(() => null);
  const view = answer?.ok ? await answer.json().catch(() => null) : null;
  if (view) {
    showStep("page", "good", "works");
    const isOver = ["finished", "cancelled"].includes(view.status);
    byId("is-over").hidden = !isOver;
    /** @param {{name: string}} each */
    const isMine = (each) => each.name === name;
    const moves = view.running.some((/** @type {any} */ board) => board.seats.includes(name) && board.ply > 0);
    const hasPlayed = view.standings.some((/** @type {any} */ line) => isMine(line) && line.played > 0);
    if (view.entrants.find(isMine)?.connected) showStep("login", "good", "it is here");
    else showStep("login", "", isOver ? OVER : "your bot has not logged in: play a version of it, or start your program");
    if (moves || hasPlayed) return showStep("move", "good", "made");
    if (isOver) return showStep("move", "", OVER);
    showStep("move", "", view.status === "lobby" ? "waiting for your teacher to start" : "waiting for your bot's match");
  } else showStep("page", "bad", "the server does not answer: is this computer still in the network?");
  setTimeout(() => watch(tournament, name), ASK_MS);
}

/** @param {{name: string, key: string, tournament: string, title: string}} joined */
function lead({ name, key, tournament, title }) {
  form.hidden = true;
  byId("joined").hidden = false;
  byId("tournament").textContent = title;
  /** @type {[string, string][]} */
  const links = [
    ["watch", `/tournaments/${encodeURIComponent(tournament)}`],
    ["write-here", `/code?tournament=${encodeURIComponent(tournament)}`],
    ["write-script", `/code?tournament=${encodeURIComponent(tournament)}&language=javascript`],
  ];
  for (const [id, path] of links) byId(id).setAttribute("href", root + path);
  for (const [field, value] of Object.entries({ name, key, tournament })) {
    const control = zip.elements.namedItem(field);
    if (control instanceof HTMLInputElement) control.value = value;
  }
  byId("title").textContent = "You are in";
  byId("title").focus();
  watch(tournament, name);
}

/** Ask to join, or with `slips` to redeem a slip. Show a refusal and return null. @param {string} what @param {object} wanted */
async function ask(what, wanted) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted) };
  const answer = await fetchAgain(`${root}/api/${what}`, options).catch(() => null);
  if (answer?.ok) return answer.json();
  const error = (await answer?.json().catch(() => null))?.error;
  const message = error?.message ?? "The server does not answer: is this computer in the right network?";
  complain(PLACES.get(error?.code) ?? null, message);
  return null;
}

onSubmit("join", async () => {
  for (const field of [code, display, null]) complain(field, "");
  if (!code.value.trim()) return complain(code, "Enter the code.");
  const isSlip = code.value.replace(/[\s-]/g, "").length === SLIP_LETTERS;
  if (!isSlip && !display.value.trim()) return complain(display, "Enter your name.");
  const own = identity()?.key ?? FRESH_KEY;
  const wanted = { code: code.value.trim(), display_name: display.value.trim(), key: own };
  const joined = await (isSlip ? ask("slips", { code: code.value }) : ask("join", wanted));
  if (joined === null) return;
  const { name, key = own, display_name } = joined; // a slip brings a key
  keep({ name, key, display: display_name });
  lead({ ...joined, key });
});

display.value = identity()?.display ?? "";
showStep("page", "good", "works");
tryConnection();
(code.value ? display : code).focus();
