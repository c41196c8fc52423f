// The versions of this browser's bot, which the server keeps.

import { fetchAgain } from "../coming_again.js";
import { root } from "../root.js";

/** @typedef {import("../identity.js").Identity} Identity */
/** @typedef {import("./sandbox.js").Language} Language */
/** @typedef {{language: Language, source: string}} Version */

export class Versions {
  /** @type {Map<number, Version>} */
  #known = new Map();
  #headers;

  /** @param {Identity} identity */
  constructor({ name, key }) {
    this.#headers = { Authorization: `Bot ${name}:${key}`, "Content-Type": "application/json" };
  }

  /** Save a version, and return its number. Throws an Error with the server's reason. @param {Version} version */
  async save(version) {
    const { number } = await this.#ask("", { method: "POST", body: JSON.stringify(version) });
    this.#known.set(number, version);
    return /** @type {number} */ (number);
  }

  /** Return a saved version. @param {number} number @returns {Promise<Version>} */
  async get(number) {
    const known = this.#known.get(number) ?? (await this.#ask(`/${number}`));
    this.#known.set(number, known);
    return known;
  }

  /** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
  async #ask(path, options = {}) {
    const answer = await fetchAgain(`${root}/api/versions${path}`, { ...options, headers: this.#headers });
    const message = await answer.json();
    if (!answer.ok) throw new Error(message.error?.message ?? `the server answered ${answer.status}`);
    return message;
  }
}
