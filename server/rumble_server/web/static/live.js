// The stream of events of a page, and the banner of a lost connection.

import { REPLACED, SOON_MS } from "./coming_again.js";
import { byId, showText } from "./elements.js";
import { root } from "./root.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;
const QUIET_MS = 4000; // between two checks; after three silent checks a stream is lost, since events come every 5 s

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
