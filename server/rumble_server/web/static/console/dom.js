// Small things that the pages of the console share.

import { byId } from "../live.js";

/**
 * An input of the page.
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/**
 * A select of the page.
 * @param {string} id
 * @returns {HTMLSelectElement}
 */
export function select(id) {
  return /** @type {HTMLSelectElement} */ (byId(id));
}

/**
 * Put new children in place of the old, unless they look the same. Whoever was on a control with a `data-focus` stays
 * on the one that now has it, or at least in the same place.
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
 * A moment of the server as people here write it.
 * @param {number} ms
 * @returns {string}
 */
export function moment(ms) {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
