// One stream of events a page, and the banner that says when it is not connected.

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;

/**
 * Follow a tournament: `handlers` has a function of the data for each event; others are ignored. `onConnection` is told
 * whether what is shown can be trusted to be how things stand. Gives a function that ends it.
 */
export function follow(tournament, handlers, onConnection = () => {}) {
  const banner = document.getElementById("connection");
  const url = `/api/tournaments/${encodeURIComponent(tournament)}/events`;
  let wait = FIRST_WAIT_MS;
  let source;
  let ended = false;

  function connect() {
    if (ended) return;
    source = new EventSource(url);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      banner.hidden = true;
      onConnection(true);
    };
    source.onerror = () => {
      banner.textContent = "Not connected to the server: what you see may be old. Trying again…";
      banner.hidden = false;
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

/** An element with attributes and children; text stays text, whatever is in it. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Points as people write them: 5, 5½. */
export function points(value) {
  if (value % 1 !== 0.5) return String(value);
  return value < 1 ? "½" : `${Math.floor(value)}½`;
}

/** Scores with a colon; `null` is void. */
export function result(scores) {
  return scores === null ? "void" : scores.map(points).join(" : ");
}
