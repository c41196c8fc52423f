// @ts-check
// The form that downloads a match's transcript.

import { fetchAgain } from "./coming_again.js";
import { element, onSubmit } from "./elements.js";
import { root } from "./root.js";

/** @param {HTMLFormElement} form @param {string} match */
export function offerTranscript(form, match) {
  const who = /** @type {HTMLSelectElement} */ (form.elements.namedItem("who"));
  const secret = /** @type {HTMLInputElement} */ (form.elements.namedItem("secret"));
  const secretName = /** @type {HTMLElement} */ (form.querySelector("#secret-name"));
  const message = /** @type {HTMLElement} */ (form.querySelector("#transcript-outcome"));
  form.hidden = false;
  who.addEventListener("change", () => {
    secretName.textContent = who.selectedIndex === 0 ? "host token" : "bot's key";
  });
  onSubmit(form.id, async () => {
    message.textContent = "Asking…";
    try {
      message.textContent = await download();
    } catch (error) {
      message.textContent = error instanceof TypeError ? `The server cannot be asked: ${error.message}` : String(error);
    }
  });

  async function download() {
    const authorization = who.selectedIndex === 0 ? `Bearer ${secret.value}` : `Bot ${who.value}:${secret.value}`;
    const answer = await fetchAgain(`${root}/api/matches/${encodeURIComponent(match)}/transcript`, { headers: { Authorization: authorization } });
    if (answer.status === 401) return "The server does not accept this token or key.";
    if (!answer.ok) return (await answer.json()).error.message;
    const link = element("a", { href: URL.createObjectURL(await answer.blob()), download: `${match}.jsonl` });
    link.click();
    URL.revokeObjectURL(link.href);
    return `Downloaded as ${link.download}.`;
  }
}
