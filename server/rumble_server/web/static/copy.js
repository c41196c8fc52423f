// A button on every `.command` that copies its text.

import { button } from "./elements.js";

const SHOWN_MS = 2000;

/**
 * Put a text on the clipboard. Over plain HTTP from another machine browsers have no `navigator.clipboard`; so the
 * text is selected and copied by a command.
 * @param {HTMLElement} source
 * @returns {Promise<boolean>}
 */
async function copy(source) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(source.textContent ?? "").then(
      () => true,
      () => false,
    );
  }
  getSelection()?.selectAllChildren(source);
  const done = document.execCommand("copy");
  getSelection()?.removeAllRanges();
  return done;
}

for (const command of document.querySelectorAll(".command")) {
  const source = command.querySelector("pre");
  if (!source) continue;
  const made = button("Copy", async () => {
    made.textContent = (await copy(source)) ? "Copied" : "Failed";
    setTimeout(() => (made.textContent = "Copy"), SHOWN_MS);
  });
  command.classList.toggle("lines", (source.textContent ?? "").trim().includes("\n"));
  command.append(made);
}
