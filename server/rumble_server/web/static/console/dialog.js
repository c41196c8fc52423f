// The dialog that asks before a command is carried out.

import { input } from "./dom.js";
import { byId } from "../elements.js";

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} text the effect of the command
 * @property {string} yes the label of the button for yes
 * @property {boolean} [danger]
 * @property {string} [label] of a text field; without it the dialog has no field
 */

/**
 * Carries out a command, after a yes to any `question`, and shows its result. Returns whether the command succeeded. The
 * text `done` and the command may depend on the text that the host entered for the question.
 * @typedef {(done: string | ((answer: string) => string), command: (answer: string) => Promise<any>, question?: Question)
 *   => Promise<boolean>} Act
 */

/**
 * Ask, and return null for no (or Escape), else the entered text, which is empty without a `label`.
 * @param {Question} question
 * @returns {Promise<string | null>}
 */
export function confirmed({ title, text, yes, danger = false, label }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
  byId("dialog-title").textContent = title;
  byId("dialog-text").textContent = text;
  byId("dialog-yes").textContent = yes;
  byId("dialog-yes").className = danger ? "danger" : "primary";
  byId("dialog-field").hidden = label === undefined;
  byId("dialog-label").textContent = label ?? "";
  input("dialog-input").value = "";
  dialog.returnValue = "no";
  dialog.showModal();
  byId(label === undefined ? "dialog-no" : "dialog-input").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? input("dialog-input").value : null), {
      once: true,
    });
  });
}

// Enter in the field means yes; the browser would press the form's first button, which is no.
input("dialog-input").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    byId("dialog-yes").click();
  }
});
