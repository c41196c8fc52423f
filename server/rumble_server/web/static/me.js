// The page of a bot's owner: the last loss, the faults with their frames, and the scores of each version.

import { fetchAgain } from "./coming_again.js";
import { byId, element, showText } from "./elements.js";
import { identity } from "./identity.js";
import { learnNames, shownIn, who } from "./names.js";
import { root } from "./root.js";
import { moment } from "./times.js";

/** @typedef {{match: string, game: string, seat: number, against: string[], version: string, termination: string, reason: string, at_ms: number}} Loss */
/** @typedef {{kind: string, count: number, newest: Loss, turn: string, answer: string}} Fault */
/** @typedef {{version: string, against: string, won: number, drawn: number, lost: number}} Score */
/** @typedef {{name: string, takes_challenges: boolean, damaged: number, last_loss: Loss | null, faults: Fault[], scores: Score[], display_names: Record<string, string>}} Answer */

/** @param {Loss} loss */
function pathOf(loss) {
  return `${root}/matches/${encodeURIComponent(loss.match)}`;
}

/** @param {string} version */
function versionText(version) {
  return version === "" ? "" : `, version ${version}`;
}

/** @param {Loss} loss */
function lossText(loss) {
  const names = loss.against.flatMap((name, at) => [at ? ", " : "", who(name)]);
  const when = moment(loss.at_ms);
  return element("p", {}, "Against ", ...names, `${versionText(loss.version)}, ${when}: ${shownIn(loss.reason)}`);
}

/** @param {Loss | null} loss */
function lossPart(loss) {
  if (loss === null) return element("p", { class: "quiet" }, "Your bot has lost no match.");
  const flipped = loss.seat === 1 ? "?flipped=true" : "";
  const board = element("img", { src: `${pathOf(loss)}/board.svg${flipped}`, alt: `The board at the end of ${loss.match}` });
  board.addEventListener("error", () => board.remove()); // a game without pictures
  const link = element("a", { class: "button", href: pathOf(loss) }, "Look at the match");
  return element("div", { class: "loss" }, board, element("div", {}, lossText(loss), element("p", {}, link)));
}

/**
 * Write a frame as lines, each with a field; a frame that was cut off stays as it is.
 * @param {string} frame
 */
function readable(frame) {
  try {
    const fields = Object.entries(JSON.parse(frame));
    return fields.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
  } catch {
    return frame;
  }
}

/** @param {string} title @param {string} text */
function box(title, text) {
  return element("figure", {}, element("figcaption", { class: "quiet small" }, title), element("pre", { tabindex: "0", "aria-label": title }, text));
}

/** Return the ply of a turn, as a part of the match page's address. @param {string} turn */
function plyOf(turn) {
  const ply = /"ply":(\d+)/.exec(turn);
  return ply === null ? "" : `?ply=${ply[1]}`;
}

/** @param {Fault} fault */
function faultPart(fault) {
  const times = fault.count === 1 ? "once" : `${fault.count} times`;
  return element(
    "div",
    { class: "fault" },
    element("h3", {}, `${fault.kind.replaceAll("_", " ")}, ${times}`),
    element("p", {}, "The newest is in ", element("a", { href: pathOf(fault.newest) + plyOf(fault.turn) }, fault.newest.match), `${versionText(fault.newest.version)}.`),
    element(
      "div",
      { class: "frames" },
      box("The turn", readable(fault.turn) || "Your bot was asked for no move, or the turn is no longer kept."),
      box("Your bot's answer", readable(fault.answer) || "There was none."),
      box("The verdict", shownIn(fault.newest.reason)),
    ),
  );
}

/** @param {Score} score */
function row(score) {
  const counts = [score.won, score.drawn, score.lost].map((count) => element("td", { class: "number" }, `${count}`));
  return element("tr", {}, element("td", {}, score.version || "–"), element("th", { scope: "row" }, who(score.against)), ...counts);
}

/** @param {Answer} answer */
function show(answer) {
  learnNames(answer.display_names);
  const play = `${root}/play?against=${encodeURIComponent(answer.name)}`;
  byId("play").replaceChildren(
    answer.takes_challenges
      ? element("a", { class: "button primary", href: play }, "Play against my bot")
      : element("span", { class: "quiet" }, "While your bot is connected and takes challenges, you can play against it here."),
  );
  byId("loss").replaceChildren(lossPart(answer.last_loss));
  const faults = answer.faults.map(faultPart);
  byId("faults").replaceChildren(...(faults.length ? faults : [element("p", { class: "quiet" }, "Your bot has made none.")]));
  byId("scores").replaceChildren(...answer.scores.map(row));
  byId("no-scores").hidden = answer.scores.length > 0;
  byId("scores").closest(".scroll")?.toggleAttribute("hidden", answer.scores.length === 0);
  byId("content").hidden = false;
  showText(byId("state"), answer.damaged ? `${answer.damaged} tournaments are damaged: this page leaves them out.` : "");
}

async function ask() {
  const own = identity();
  const message = byId("state");
  if (own === null) {
    message.replaceChildren("This browser has no bot yet. ", element("a", { href: `${root}/join` }, "Join with a code"), ".");
    return;
  }
  try {
    const answer = await fetchAgain(`${root}/api/me`, { headers: { Authorization: `Bot ${own.name}:${own.key}` } });
    if (answer.ok) show(await answer.json());
    else if (answer.status === 401) message.textContent = `The server does not know ${own.name} with the key of this browser.`;
    else message.textContent = (await answer.json()).error.message;
  } catch {
    message.textContent = "The server does not answer. Is it running?";
  }
}

ask();
