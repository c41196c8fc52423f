// Keeps the page of all tournaments live: fetches the page again and replaces its lists.

import { REPLACED, SOON_MS } from "./coming_again.js";
import { byId, showText } from "./elements.js";
import { showTimes } from "./times.js";

const PACE_MS = 10_000;
const PARTS = ["tournaments", "bots"];

/** Fetch the page again and show it, unless the page is hidden, and set the time of the next fetch. */
async function refresh() {
  const answer = document.hidden ? null : await fetch(location.pathname + location.search).catch(() => null);
  if (!document.hidden) await show(answer);
  setTimeout(refresh, answer && REPLACED.has(answer.status) ? SOON_MS : PACE_MS);
}

/** @param {Response | null} answer */
async function show(answer) {
  showText(byId("connection"), answer?.ok ? "" : "Not connected to the server: what you see may be old. Trying again…");
  const text = answer?.ok ? await answer.text().catch(() => null) : null;
  if (text === null) return;
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const id of PARTS) {
    const [shown, next] = [byId(id), fresh.getElementById(id)];
    if (!next || shown.contains(document.activeElement)) continue; // a list with the focus is left alone
    showTimes(next);
    for (const fold of next.querySelectorAll("details")) {
      const before = document.getElementById(fold.id);
      if (before instanceof HTMLDetailsElement) fold.open = before.open;
    }
    if (next.innerHTML === shown.innerHTML) continue;
    shown.replaceChildren(...next.childNodes);
    shown.hidden = next.hidden;
  }
  // An invitation code that is no longer valid would count as a wrong code at each fetch.
  if (!fresh.querySelector("a.brand[href*='invite=']")) history.replaceState(null, "", location.pathname);
}

setTimeout(refresh, PACE_MS);
