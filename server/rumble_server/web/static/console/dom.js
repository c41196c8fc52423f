// Helpers of the console's pages.

import { byId } from "../live.js";

/**
 * Return the input with this id.
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/**
 * Return the select with this id.
 * @param {string} id
 * @returns {HTMLSelectElement}
 */
export function select(id) {
  return /** @type {HTMLSelectElement} */ (byId(id));
}

/**
 * Replace the children of an element, unless the new children are equal. If a child with a `data-focus` had the focus,
 * the new child with the same `data-focus` gets the focus, or else the box around the children.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
export function replace(parent, children) {
  if (parent.children.length === children.length && children.every((each, at) => each.isEqualNode(parent.children[at]))) {
    return;
  }
  const active = document.activeElement;
  const focus = active instanceof HTMLElement && parent.contains(active) ? active.dataset.focus : undefined;
  parent.replaceChildren(...children);
  if (focus === undefined) return;
  const same = [...parent.querySelectorAll("[data-focus]")].find((each) => each.getAttribute("data-focus") === focus);
  const next = same ?? parent.closest("[tabindex]");
  if (next instanceof HTMLElement) next.focus();
}

/**
 * Carry out a command, and show its error in the page's `#problem`.
 * @param {() => Promise<unknown>} command
 */
export async function attempt(command) {
  byId("problem").hidden = true;
  try {
    await command();
  } catch (error) {
    byId("problem").textContent = /** @type {Error} */ (error).message;
    byId("problem").hidden = false;
  }
}

/**
 * Write a time in the reader's language and time zone.
 * @param {number} ms
 * @returns {string}
 */
export function moment(ms) {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
