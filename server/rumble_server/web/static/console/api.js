// Requests with a token, which is kept in this tab: the host's, or on the page of clubs the administrator's.

import { fetchAgain } from "../coming_again.js";
import { byId, onSubmit } from "../elements.js";
import { keep, kept, keptAs, root } from "../root.js";

const login = byId("login").dataset;
const KEY = keptAs(login.keptAs ?? "");
/** The token of this tab; null before the login. */
let token = kept(KEY, "sessionStorage");

/** An error answer of the server, or a request without an answer. */
export class Refused extends Error {
  /**
   * @param {number} status 0: no answer
   * @param {string} message
   * @param {{field: string, problem: string}[]} detail
   */
  constructor(status, message, detail = []) {
    super(message);
    this.status = status;
    this.detail = detail;
  }
}

/**
 * Ask the API with the token. Throws Refused. An invalid token brings back the login.
 * @param {string} method
 * @param {string} path below /api/
 * @param {object} [body]
 * @param {string} [club] the root of the club to ask; by default the page's club
 * @returns {Promise<any>}
 */
export async function request(method, path, body, club) {
  const answer = await send(method, path, token ?? "", body, club);
  return answer.json();
}

/**
 * Fetch a picture from the API, as the address of an image.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function picture(path) {
  const answer = await send("GET", path, token ?? "");
  return `data:image/svg+xml,${encodeURIComponent(await answer.text())}`;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {string} secret
 * @param {object} [body]
 * @param {string} [club]
 */
async function send(method, path, secret, body, club = root) {
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${secret}` };
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetchAgain(`${club}/api/${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  } catch {
    throw new Refused(0, "The server does not answer. Is it running?");
  }
  if (answer.ok) return answer;
  const data = await answer.json().catch(() => null);
  const error = data?.error ?? { message: `The server answers ${answer.status}.`, detail: [] };
  if (answer.status === 401) showLogin("The token is no longer valid: enter it again.");
  throw new Refused(answer.status, error.message, error.detail);
}

/** Keep a token for this page, and where the browser allows that, for this tab. @param {string | null} given */
function remember(given) {
  token = given;
  keep(KEY, given, "sessionStorage");
}

/** @param {string} problem */
function showLogin(problem) {
  remember(null);
  byId("content").hidden = true;
  byId("logout").hidden = true;
  byId("login").hidden = false;
  byId("token-error").textContent = problem;
}

/**
 * Show the content of the page again after each pause, while the content is in view.
 * @param {() => Promise<unknown>} show
 * @param {number} pauseMs
 * @param {(error: Error) => void} failed
 */
export async function keepShowing(show, pauseMs, failed = () => {}) {
  if (!byId("content").hidden && !document.hidden) await show().catch(failed);
  setTimeout(() => keepShowing(show, pauseMs, failed), pauseMs);
}

/**
 * Show the page's content after the login; at once if this tab has the token.
 * @param {() => Promise<void>} show
 */
export function whenLoggedIn(show) {
  const field = /** @type {HTMLInputElement} */ (byId("token"));

  async function enter() {
    await show();
    byId("login").hidden = true;
    byId("content").hidden = false;
    byId("logout").hidden = false;
  }

  byId("logout").addEventListener("click", () => {
    remember(null);
    location.reload();
  });
  onSubmit("login-form", async () => {
    const given = field.value.trim();
    byId("token-error").textContent = "";
    field.removeAttribute("aria-invalid");
    try {
      if (!/^[\x21-\x7e]+$/.test(given)) throw new Refused(0, "A token has only plain letters, digits and signs.");
      const answer = await send("GET", login.check ?? "", given);
      // A token made by the server works even after too many wrong tokens of others at the same address.
      remember(answer.headers.get("Rumble-Token") ?? given);
    } catch (error) {
      const refused = /** @type {Refused} */ (error);
      byId("token-error").textContent = refused.status === 401 ? (login.wrong ?? "") : refused.message;
      field.setAttribute("aria-invalid", "true");
      field.focus();
      field.select();
      return;
    }
    field.value = "";
    await enter();
    byId("main").querySelector("h1")?.setAttribute("tabindex", "-1");
    byId("main").querySelector("h1")?.focus();
  });
  if (token === null) field.focus();
  else enter().catch((error) => (byId("token-error").textContent = error.message));
}
