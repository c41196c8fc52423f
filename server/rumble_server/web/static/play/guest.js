// The person's name, and the key that protects the name, kept by the browser.

import { keptAs } from "../root.js";

/** @typedef {{name: string, key: string}} Guest */

const KEPT_AS = keptAs("rumble.guest");
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const KEY_BYTES = 16;

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
function newKey() {
  const digits = randomHex(KEY_BYTES);
  return `rumble_${digits}${checksum(digits)}`;
}

/** Make a name that is probably unused: `guest-7f3a9c`. */
export function newName() {
  return `guest-${randomHex(3)}`;
}

/** @param {string} name */
export function isName(name) {
  return NAME.test(name);
}

/**
 * Return the guest that this browser keeps, or a new one.
 * @returns {Guest}
 */
export function guest() {
  const kept = read();
  if (kept) return kept;
  const made = { name: newName(), key: newKey() };
  keep(made);
  return made;
}

/** @returns {Guest | null} */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "null");
    return kept && isName(kept.name) && typeof kept.key === "string" && kept.key.length >= 16 ? kept : null;
  } catch {
    return null; // storage is forbidden or holds other content, so the guest lasts as long as the page
  }
}

/**
 * Keep a guest for the next visit. Return whether the browser allows it.
 * @param {Guest} kept
 */
export function keep(kept) {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}
