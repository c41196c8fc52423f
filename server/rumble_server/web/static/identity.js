// The person at this browser: the bot's name, its key, and a pupil's display name. One for each browser and club.

import { button, element } from "./elements.js";
import { isName } from "./names.js";
import { keep as keepText, kept as keptText, keptAs, root } from "./root.js";

/** @typedef {{name: string, key: string, display: string | null}} Identity `display` is null for a guest */

const KEPT_AS = keptAs("rumble.guest");
const KEY_BYTES = 16;

/** The identity of this page, if the browser keeps nothing. @type {Identity | null} */
let held = null;

/** @param {number} bytes */
function randomHex(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(drawn, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Compute the CRC-32 of a text of ASCII, as 8 hexadecimal digits.
 * @param {string} text
 */
function checksum(text) {
  let crc = -1;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

/** Make a key in the form of made secrets, which the server never counts as guesses. */
export function newKey() {
  const digits = randomHex(KEY_BYTES);
  return `rumble_${digits}${checksum(digits)}`;
}

/** Make a name that is probably unused: `guest-7f3a9c`. */
export function newName() {
  return `guest-${randomHex(3)}`;
}

/**
 * Return the identity that this browser keeps.
 * @returns {Identity | null}
 */
export function identity() {
  try {
    const kept = JSON.parse(keptText(KEPT_AS) ?? "null");
    const isWhole = kept && isName(kept.name) && typeof kept.key === "string" && kept.key.length >= 16;
    return isWhole ? { name: kept.name, key: kept.key, display: kept.display ?? null } : held;
  } catch {
    return held; // storage holds other content, so the identity lasts as long as the page
  }
}

/**
 * Keep an identity for the next visit, or where the browser forbids that, for this page. Return the identity.
 * @param {Identity} kept
 */
export function keep(kept) {
  held = kept;
  keepText(KEPT_AS, JSON.stringify(kept));
  show();
  return kept;
}

/** Forget the identity, before another person uses this computer. */
export function forget() {
  held = null;
  keepText(KEPT_AS, null);
  show();
}

const WARNING =
  "This browser then forgets the name and its key. Only a slip from your teacher brings the name back.";

/** Forget the identity if the person agrees, and open a page. @param {string} question @param {string} path */
function leave(question, path) {
  if (!confirm(`${question}\n\n${WARNING}`)) return;
  forget();
  location.assign(root + path);
}

/** Fill the page's `data-identity` elements; an element with the value `pupil` leaves guests out. */
function show() {
  const who = identity();
  for (const place of document.querySelectorAll("[data-identity]")) {
    if (!(place instanceof HTMLElement)) continue;
    place.hidden = who === null || (place.dataset.identity === "pupil" && who.display === null);
    if (who === null) continue;
    const name = who.display ?? who.name;
    place.replaceChildren(
      "You are ",
      element("a", { href: `${root}/me` }, element("bdi", {}, name)),
      ". ",
      button("Not you?", () => leave(`You are not ${name}?`, "/join")),
      " ",
      button("Leave this computer", () => leave("Leave this computer?", "/")),
    );
  }
}

addEventListener("storage", (event) => {
  if (event.key === KEPT_AS || event.key === null) show();
});
show();
