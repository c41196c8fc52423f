// One stream of events a page, the banner that says when it is not connected, and what pages build of events.

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;

/**
 * The element with this id; the server has put it on the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Follow a tournament: `handlers` has a function of the data for each event; others are ignored. The browser resumes
 * after a gap (`Last-Event-ID`), and the server then tells what was missed, or everything. `onConnection` is told
 * whether what is shown can be trusted to be how things stand. Gives a function that ends it.
 * @param {string} tournament
 * @param {Record<string, (data: any) => void>} handlers
 * @param {(connected: boolean) => void} onConnection
 */
export function follow(tournament, handlers, onConnection = () => {}) {
  const banner = byId("connection");
  const url = `/api/tournaments/${encodeURIComponent(tournament)}/events`;
  let wait = FIRST_WAIT_MS;
  /** @type {EventSource} */
  let source;
  let ended = false;

  function connect() {
    if (ended) return;
    source = new EventSource(url);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      banner.hidden = true;
      banner.textContent = "";
      onConnection(true);
    };
    source.onerror = () => {
      if (banner.hidden) {
        const since = new Date().toLocaleTimeString();
        banner.textContent = `Not connected to the server since ${since}: what you see is as it was then. Trying again…`;
        banner.hidden = false;
      }
      onConnection(false);
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
  return () => {
    ended = true;
    source.close();
    banner.hidden = true;
  };
}

/**
 * An element with attributes and children; text stays text, whatever is in it.
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
 * Points as people write them: 5, 5½.
 * @param {number} value
 * @returns {string}
 */
export function points(value) {
  if (value % 1 !== 0.5) return String(value);
  return value < 1 ? "½" : `${Math.floor(value)}½`;
}

/**
 * Scores with a colon; `null` is void.
 * @param {number[] | null} scores
 * @returns {string}
 */
export function result(scores) {
  return scores === null ? "void" : scores.map(points).join(" : ");
}
