// Requests that are made again by themselves while the server, or the part of it that answers, is being replaced.

/** What is answered then, by the server or by a proxy before it. */
export const REPLACED = new Set([421, 502, 503]);
/** In how many ms to ask again, where the answer does not say. */
export const SOON_MS = 1000;
const LONGEST_MS = 10_000;
const PATIENCE_MS = 30_000;

/**
 * Fetch as `fetch` does; ask again for up to 30 s while what answers is being replaced. After a 502 a command may have
 * been carried out, so that it is not sent again.
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function fetchAgain(address, options = {}) {
  for (let waited = 0; ; ) {
    const answer = await fetch(address, options);
    const isDone = answer.status === 502 && (options.method ?? "GET") !== "GET";
    if (!REPLACED.has(answer.status) || isDone || waited >= PATIENCE_MS) return answer;
    const told = 1000 * Number(answer.headers.get("Retry-After"));
    const wait = told > 0 ? Math.min(told, LONGEST_MS) : SOON_MS;
    waited += wait;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
