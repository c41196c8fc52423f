// The stream of events of a page, the banner of a lost connection, and helpers for showing events.

import { REPLACED, SOON_MS } from "./coming_again.js";
import { setText } from "./paint.js";
import { root } from "./root.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;
const QUIET_MS = 4000; // between two checks; after three silent checks a stream is lost, since events come every 5 s

/**
 * Return the element with this id. Throws if the page has none.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Follow a tournament: `handlers` has a function for the data of each type of event; other events are ignored. After a
 * gap the browser resumes (`Last-Event-ID`), and the server sends the missed events, or a snapshot. `onConnection` is
 * called with true or false when the connection changes. Returns a function that ends the stream.
 * @param {string} tournament
 * @param {Record<string, (data: any) => void>} handlers
 * @param {(connected: boolean) => void} onConnection
 */
export function follow(tournament, handlers, onConnection = () => {}) {
  const banner = byId("connection");
  const url = `${root}/api/tournaments/${encodeURIComponent(tournament)}/events`;
  let wait = FIRST_WAIT_MS;
  /** @type {EventSource} */
  let source;
  let ended = false;
  let quiet = 0;
  const heard = () => (quiet = 0);
  const watch = setInterval(() => {
    if (source.readyState === EventSource.CLOSED || ++quiet <= 3) return;
    source.close();
    lost();
    connect();
  }, QUIET_MS);

  /** Ask for the error after which the browser gave the stream up, and connect again at a fitting time. */
  async function again() {
    const status = await fetch(url, { method: "HEAD" }).then((answer) => answer.status, () => 0);
    if (REPLACED.has(status)) wait = SOON_MS;
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }

  function lost() {
    const since = `Not connected to the server since ${new Date().toLocaleTimeString()}`;
    if (banner.hidden) showText(banner, `${since}: what you see is as it was then. Trying again…`);
    onConnection(false);
  }

  function connect() {
    if (ended) return;
    heard();
    source = new EventSource(url);
    source.onopen = () => {
      heard();
      wait = FIRST_WAIT_MS;
      showText(banner, "");
      onConnection(true);
    };
    source.onerror = () => {
      lost();
      if (source.readyState === EventSource.CLOSED) again();
    };
    source.addEventListener("alive", heard);
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
        heard();
        handle(JSON.parse(event.data));
      });
    }
  }
  connect();
  return () => {
    ended = true;
    clearInterval(watch);
    source.close();
    banner.hidden = true;
  };
}

/**
 * Make an element with attributes and children; text is never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Show a text in its place; an empty text hides the place.
 * @param {HTMLElement} place
 * @param {string} text
 */
export function showText(place, text) {
  setText(place, text);
  place.hidden = !text;
}

/**
 * Show the problem with the content of a field; an empty text removes the problem.
 * @param {Element} field
 * @param {HTMLElement} place
 * @param {string} text
 */
export function showProblem(field, place, text) {
  showText(place, text);
  if (text) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/** Return whether a text may be the name of a bot. @param {string} text */
export function isName(text) {
  return NAME.test(text);
}

/**
 * Make a small button; `unseen` is the rest of its name, for screen readers.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string>} attributes
 * @param {string} unseen
 */
export function button(text, act, attributes = {}, unseen = "") {
  const made = element("button", { type: "button", class: "compact", ...attributes }, text);
  if (unseen) made.append(element("span", { class: "unseen" }, ` ${unseen}`));
  made.addEventListener("click", act);
  return made;
}

/**
 * Make a row of a table from cells, or from the content of a heading and of cells.
 * @param {(Node | string)[]} contents
 */
export function tableRow(...contents) {
  const cells = contents.map((each, place) => {
    if (each instanceof HTMLTableCellElement) return each;
    return place ? element("td", {}, each) : element("th", { scope: "row" }, each);
  });
  return element("tr", {}, ...cells);
}

/**
 * Call `act` in place of sending a form, unless the last call is not done, as after a double click.
 * @param {string} id
 * @param {() => unknown} act
 */
export function onSubmit(id, act) {
  let isBusy = false;
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      await act();
    } finally {
      isBusy = false;
    }
  });
}

/**
 * Write points with a half as a fraction, or to two places: 5, 5½, 1.33.
 * @param {number} value
 * @returns {string}
 */
export function points(value) {
  if (value % 1 !== 0.5) return String(Math.round(value * 100) / 100);
  return value < 1 ? "½" : `${Math.floor(value)}½`;
}

/**
 * Write who is to move: one or two names, the number of bots, or nothing. web/texts.py writes the same.
 * @param {string[]} names
 * @param {number[]} movers
 * @returns {string}
 */
export function moversText(names, movers) {
  const who = movers.length > 2 ? `${movers.length} bots` : movers.map((seat) => names[seat]).join(" and ");
  return who && `${who} to move`;
}

/**
 * Write the score of a seat, or its place at a table.
 * @param {number[]} scores
 * @param {number} seat
 * @returns {string}
 */
export function seatText(scores, seat) {
  return scores.length === 2 ? points(scores[seat]) : placeText(scores, seat);
}

/**
 * Write the place of a seat, by the scores of all seats.
 * @param {number[]} scores
 * @param {number} seat
 * @returns {string}
 */
export function placeText(scores, seat) {
  return String(1 + scores.filter((each) => each > scores[seat]).length);
}

/**
 * Write scores with a colon, or the places of a table: `placed 1, 3, 2`; `null` is void.
 * @param {number[] | null} scores
 * @returns {string}
 */
export function result(scores) {
  if (scores === null) return "void";
  const texts = scores.map((_, seat) => seatText(scores, seat));
  return scores.length > 2 ? `placed ${texts.join(", ")}` : texts.join(" : ");
}
