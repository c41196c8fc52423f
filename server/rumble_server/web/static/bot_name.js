// The name of the reader's bot in every command of the page; the browser keeps the name.

import { byId } from "./live.js";
import { keptAs } from "./root.js";

const KEPT_AS = keptAs("rumble.bot-name");
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const RULE = "A name has 1 to 32 letters, digits and _ . -, and begins with a letter or a digit.";

/** @returns {string | null} */
function kept() {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null; // storage is forbidden, so the name lasts as long as the page
  }
}

/** @param {string} name */
function keep(name) {
  try {
    localStorage.setItem(KEPT_AS, name);
  } catch {
    return; // storage is forbidden
  }
}

const field = /** @type {HTMLInputElement} */ (byId("bot-name"));

/** Put the field's name into the commands, if the name is valid. */
function fill() {
  const name = field.value.trim();
  const fits = NAME.test(name);
  field.setAttribute("aria-invalid", String(!fits));
  byId("bot-name-error").textContent = fits ? "" : RULE;
  if (!fits) return;
  for (const place of document.querySelectorAll("[data-bot-name]")) place.textContent = name;
  keep(name);
}

const before = kept();
if (before !== null && NAME.test(before)) field.value = before;
byId("bot-name-field").hidden = false;
byId("bot-name-made").hidden = true;
field.addEventListener("input", fill);
fill();
