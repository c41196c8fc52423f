// The names under which people see bots: a display name, where the bot has one, or else the bot's name.

import { element, setText } from "./elements.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** The display names by the names of bots. @type {Map<string, string>} */
const known = new Map();

/** Learn the display names of bots. @param {Iterable<{name: string, display_name?: string}>} bots */
export function learn(bots) {
  for (const { name, display_name: display } of bots) if (display) known.set(name, display);
}

/** Learn display names by name. @param {Record<string, string>} names */
export function learnNames(names) {
  for (const [name, display] of Object.entries(names)) known.set(name, display);
}

/** Return the name of a bot for a text; a display name keeps its own direction of writing. @param {string} name */
export function shown(name) {
  const display = known.get(name);
  return display === undefined ? name : `\u2068${display}\u2069`;
}

/** Write a sentence that holds names of bots with the names under which people see them. @param {string} text */
export function shownIn(text) {
  return text.replace(/\w[\w.-]+\b/g, shown);
}

/** Return the name of a bot for an element. @param {string} name @returns {string | HTMLElement} */
export function who(name) {
  const display = known.get(name);
  return display === undefined ? name : element("bdi", {}, display);
}

/**
 * Show the name of a bot as the text of an element, if it differs. Returns whether the text changed.
 * @param {Element} target
 * @param {string} name
 */
export function setWho(target, name) {
  const display = known.get(name);
  if (display === undefined) return setText(target, name);
  const differs = target.textContent !== display;
  if (differs) target.replaceChildren(who(name));
  return differs;
}

/** Return whether a text may be the name of a bot. @param {string} text */
export function isName(text) {
  return NAME.test(text);
}
