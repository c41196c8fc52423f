// Helpers of the console's pages.

import { byId, showText } from "../elements.js";
import { shownIn } from "../names.js";

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
 * Carry out a command and `show` its effect. Return the answer; null for a refused command. An error of either is shown.
 * @param {() => Promise<any>} command
 * @param {string} place the id of the element for the error
 * @param {() => Promise<unknown>} show
 */
export async function attempt(command, place = "problem", show = async () => {}) {
  const problem = byId(place);
  problem.hidden = true;
  let answer = null;
  try {
    answer = await command();
    await show();
  } catch (error) {
    showText(problem, shownIn(/** @type {Error} */ (error).message));
    problem.scrollIntoView({ block: "nearest" });
  }
  return answer;
}
