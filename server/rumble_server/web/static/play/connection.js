// The connection to `/bot`: logs in, passes messages on, and connects again while the page needs a connection.

import { root } from "../root.js";

/** @typedef {import("./frames.js").Frame} Frame */
/** @typedef {import("../identity.js").Identity} Identity */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 1000; // short, because browsers do not tell a page why a connection was refused
const BACK_AT_ONCE = 1012;
const NEVER_AGAIN = new Set([4001, 4003, 4004, 4008, 4010]); // after 4008 the person waits a minute, then goes on

/** Open the WebSocket of bots. */
export function openSocket() {
  return new WebSocket(new URL(`${root}/bot`, location.href.replace(/^http/, "ws")), ["rumble.v1"]);
}

export class Connection {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Identity | null} */
  #guest = null;
  #wait = FIRST_WAIT_MS;
  /** @type {number | undefined} */
  #timer;

  /**
   * @param {object} tell
   * @param {(frame: Frame) => void} tell.frame  a message of the server
   * @param {(code: number, waitMs: number | null) => void} tell.lost  the connection ended; the next try is in `waitMs`, or never (null)
   * @param {() => boolean} tell.wanted  whether to connect again
   * @param {(features: string[]) => Record<string, unknown>} [tell.wishes]  more fields of the login
   */
  constructor(tell) {
    this.tell = tell;
    this.ready = false;
    addEventListener("online", () => this.#hurry());
    addEventListener("offline", () => this.#drop());
    addEventListener("pagehide", () => this.close());
  }

  /**
   * Log in as a guest, unless already logged in. Return whether the guest was logged in already.
   * @param {Identity} guest
   */
  open(guest) {
    if (this.ready && this.#guest?.name === guest.name) return true;
    this.close();
    this.#guest = guest;
    this.#wait = FIRST_WAIT_MS;
    this.#connect();
    return false;
  }

  /**
   * Send a message. Return false if there is no connection.
   * @param {Record<string, unknown>} message
   */
  send(message) {
    if (!this.ready || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** End the connection for good. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = this.#socket;
    this.#socket = null;
    this.ready = false;
    socket?.close(1000);
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = openSocket();
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#received(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#lost(event.code);
    };
  }

  /** @param {Frame} frame */
  #received(frame) {
    if (frame.type === "welcome") {
      const { name, key } = /** @type {Identity} */ (this.#guest);
      const wishes = this.tell.wishes?.(frame.features) ?? { client: "the play page" };
      this.#socket?.send(JSON.stringify({ type: "login", name, key, ...wishes }));
      return;
    }
    if (frame.type === "session") {
      this.ready = true;
      this.#wait = FIRST_WAIT_MS;
    }
    this.tell.frame(frame);
  }

  /** @param {number} code */
  #lost(code) {
    const atOnce = code === BACK_AT_ONCE && this.ready;
    this.#socket = null;
    this.ready = false;
    const again = this.tell.wanted() && !NEVER_AGAIN.has(code);
    const waitMs = again ? (atOnce ? 0 : this.#wait * (0.5 + Math.random() / 2)) : null;
    if (waitMs !== null) {
      this.#timer = setTimeout(() => this.#connect(), waitMs);
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
    }
    this.tell.lost(code, waitMs);
  }

  /** Connect at once, because the network is back. */
  #hurry() {
    if (this.#timer !== undefined) this.#connect();
  }

  /** End the connection, because the network is gone; the socket may not notice for minutes. */
  #drop() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#lost(1006);
    socket.close();
  }
}
