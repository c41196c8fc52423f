// @ts-check
// Downloading a match's transcript, for who may.

/** @param {HTMLFormElement} form @param {string} match */
export function offerTranscript(form, match) {
  const who = /** @type {HTMLSelectElement} */ (form.elements.namedItem("who"));
  const secret = /** @type {HTMLInputElement} */ (form.elements.namedItem("secret"));
  const named = /** @type {HTMLElement} */ (form.querySelector("#secret-name"));
  const told = /** @type {HTMLElement} */ (form.querySelector("#transcript-told"));
  form.hidden = false;
  who.addEventListener("change", () => {
    named.textContent = who.selectedIndex === 0 ? "host token" : "bot's key";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    told.textContent = "Asking…";
    try {
      told.textContent = await download();
    } catch (error) {
      told.textContent = error instanceof TypeError ? `The server cannot be asked: ${error.message}` : String(error);
    }
  });

  async function download() {
    const is = who.selectedIndex === 0 ? `Bearer ${secret.value}` : `Bot ${who.value}:${secret.value}`;
    const answer = await fetch(`/api/matches/${encodeURIComponent(match)}/transcript`, { headers: { Authorization: is } });
    if (answer.status === 401) return "This is not the right one.";
    if (!answer.ok) return (await answer.json()).error.message;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = `${match}.jsonl`;
    link.click();
    URL.revokeObjectURL(link.href);
    return `Downloaded as ${link.download}.`;
  }
}
