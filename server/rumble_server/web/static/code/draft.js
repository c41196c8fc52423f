// The code that is being written: an editor, and what the browser keeps of each language and game.

import { byId, element } from "../elements.js";
import { keep, kept, keptAs } from "../root.js";

/** @typedef {import("./sandbox.js").Language} Language */
/** @typedef {{text: () => string, show: (text: string, language: Language) => void, line: (number: number) => void}} Editor */

const SAVE_MS = 500;

/** A plain field, where the server has no editor. @param {HTMLElement} place @param {() => void} changed @returns {Editor} */
function plain(place, changed) {
  const attributes = { "aria-labelledby": "editor-label", spellcheck: "false", autocapitalize: "none", wrap: "off" };
  const field = element("textarea", attributes);
  field.addEventListener("input", changed);
  place.append(field);
  return {
    text: () => field.value,
    show: (text) => (field.value = text),
    line(number) {
      const lines = field.value.split("\n");
      const start = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
      field.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
      field.focus();
    },
  };
}

export class Draft {
  /** @type {Editor} */ #editor;
  #language = /** @type {HTMLSelectElement} */ (byId("language"));
  #game = /** @type {HTMLSelectElement} */ (byId("game"));
  /** @type {number | undefined} */ #timer;

  /** @param {HTMLElement} place @param {string | undefined} files the address of the editor's folder, if there is one */
  static async open(place, files) {
    const draft = new Draft();
    const changed = () => draft.#later();
    if (files) {
      const { editor } = await import(`${files}/editor.js`);
      draft.#editor = editor(place.attachShadow({ mode: "open" }), "Your bot's code", changed);
    } else draft.#editor = plain(place, changed);
    draft.#show();
    for (const choice of [draft.#language, draft.#game]) choice.addEventListener("change", () => draft.#show());
    addEventListener("pagehide", () => draft.keep());
    byId("start-again").addEventListener("click", () => {
      const isNew = draft.#editor.text() === draft.#start();
      if (isNew || confirm("Replace your code by the starting code?")) draft.#editor.show(draft.#start(), draft.language);
    });
    return draft;
  }

  constructor() {
    this.#editor = { text: () => "", show() {}, line() {} };
  }

  get language() {
    return /** @type {Language} */ (this.#language.value);
  }

  get game() {
    return this.#game.value;
  }

  get source() {
    return this.#editor.text();
  }

  /** @param {number} number */
  line(number) {
    this.#editor.line(number);
  }

  /** Keep the draft in the browser. */
  keep() {
    clearTimeout(this.#timer);
    if (this.#isChanged) keep(this.#shownAs, this.source);
  }

  #shownAs = "";
  #isChanged = false;

  #later() {
    this.#isChanged = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), SAVE_MS);
  }

  #start() {
    const own = document.getElementById(`start-${this.language}-${this.game}`);
    return (own ?? byId(`start-${this.language}`)).textContent ?? "";
  }

  /** Show the draft of the chosen language and game. */
  #show() {
    this.keep();
    this.#shownAs = keptAs(`rumble.draft.${this.language}.${this.game}`);
    this.#editor.show(kept(this.#shownAs) ?? this.#start(), this.language);
    this.#isChanged = false;
  }
}
