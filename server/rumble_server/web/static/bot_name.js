// The name of the reader's bot in every command of the page; the browser keeps the name.

import { byId, showProblem } from "./elements.js";
import { isName } from "./names.js";
import { keep, kept, keptAs } from "./root.js";

const KEPT_AS = keptAs("rumble.bot-name");
const RULE = "A name has 1 to 32 letters, digits and _ . -, and begins with a letter or a digit.";

const field = /** @type {HTMLInputElement} */ (byId("bot-name"));

/** Put the field's name into the commands, if the name is valid. */
function fill() {
  const name = field.value.trim();
  showProblem(field, byId("bot-name-error"), isName(name) ? "" : RULE);
  if (!isName(name)) return;
  for (const place of document.querySelectorAll("[data-bot-name]")) place.textContent = name;
  keep(KEPT_AS, name);
}

const before = kept(KEPT_AS);
if (before !== null && isName(before)) field.value = before;
byId("bot-name-field").hidden = false;
byId("bot-name-made").hidden = true;
field.addEventListener("input", fill);
fill();
