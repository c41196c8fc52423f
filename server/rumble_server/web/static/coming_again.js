// Requests that are repeated while the server, or the node that answers, is being replaced.

import { root } from "./root.js";

/**
 * Ask the API of the club as `fetchAgain` does; null without an answer, or for an error.
 * @param {string} path below /api/
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function readJson(path, options) {
  const answer = await fetchAgain(`${root}/api/${path}`, options).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
}

/** The statuses of answers by a server that is being replaced, or by a proxy before the server. */
export const REPLACED = new Set([421, 502, 503]);
/** Time in ms until a request is repeated, if the answer does not tell a time. */
export const SOON_MS = 1000;
const LONGEST_MS = 10_000;
const PATIENCE_MS = 30_000;

/**
 * Fetch as `fetch` does, but repeat the request for up to 30 s while the server is being replaced. A command is not
 * repeated after a 502, because the command may have been carried out.
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function fetchAgain(address, options = {}) {
  for (let waited = 0; ; ) {
    const answer = await fetch(address, options);
    const isDone = answer.status === 502 && (options.method ?? "GET") !== "GET";
    if (!REPLACED.has(answer.status) || isDone || waited >= PATIENCE_MS) return answer;
    const askedMs = 1000 * Number(answer.headers.get("Retry-After"));
    const wait = askedMs > 0 ? Math.min(askedMs, LONGEST_MS) : SOON_MS;
    waited += wait;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
