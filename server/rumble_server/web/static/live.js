// One stream of events a page, and the banner that says when it is not connected.

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;

/**
 * The data of an event of the feed, as docs/FEED.md has it.
 * @typedef {Record<string, any>} Told
 */

/**
 * The element of an id, which every page that uses it has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no #${id}`);
  return found;
}

/**
 * The first element below `parent` that a selector finds, which there always is.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {Element}
 */
export function find(parent, selector) {
  const found = parent.querySelector(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/**
 * Follow a tournament: `handlers` has a function of the data for each event; others are ignored.
 * @param {string} tournament
 * @param {Record<string, (told: Told) => void>} handlers
 */
export function follow(tournament, handlers) {
  const banner = byId("connection");
  const url = `/api/tournaments/${encodeURIComponent(tournament)}/events`;
  let wait = FIRST_WAIT_MS;

  function connect() {
    const source = new EventSource(url);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      banner.hidden = true;
    };
    source.onerror = () => {
      banner.textContent = "Not connected to the server: what you see may be old. Trying again…";
      banner.hidden = false;
      if (source.readyState === EventSource.CLOSED) {
        // The browser has given up (the server answered with an error); we have not.
        setTimeout(connect, wait);
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    };
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => handle(JSON.parse(event.data)));
    }
  }
  connect();
}

/**
 * An element with attributes and children; text stays text, whatever is in it.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Points as people write them: 5, 5½.
 * @param {number} value
 */
export function points(value) {
  if (value % 1 !== 0.5) return String(value);
  return value < 1 ? "½" : `${Math.floor(value)}½`;
}

/**
 * Scores with a colon; `null` is void.
 * @param {number[] | null} scores
 */
export function result(scores) {
  return scores === null ? "void" : scores.map(points).join(" : ");
}
