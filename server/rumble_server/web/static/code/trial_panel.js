// The part of the page that shows a trial of the draft, ply by ply.

import { Trial } from "./trial.js";
import { DrawnBoard } from "../drawn_board.js";
import { byId, element } from "../elements.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./trial.js").Ply} Ply */

/** @param {string} id */
const chosen = (id) => /** @type {HTMLSelectElement} */ (byId(id)).value;

export class TrialPanel {
  /** @type {Ply[]} */ #plies = [];
  #board = new DrawnBoard(byId("trial-board"));
  #button = /** @type {HTMLButtonElement} */ (byId("test"));
  #slider = /** @type {HTMLInputElement} */ (byId("ply"));
  #runs = false;
  /** The bot's seat in the trial in view. */ #seat = 0;
  #draft;
  #trial;

  /** @param {Draft} draft @param {Pool} pool */
  constructor(draft, pool) {
    this.#draft = draft;
    this.#trial = new Trial(pool);
    this.#button.addEventListener("click", () => (this.#runs ? this.#trial.stop() : this.#test()));
    this.#slider.addEventListener("input", () => this.#show(Number(this.#slider.value)));
    this.#button.disabled = false;
    const load = () => pool.referee().catch((error) => this.#end(`Python cannot be loaded: ${error.message}`, "bad"));
    // Loading Python would slow down the start of a JavaScript bot, so it waits until somebody uses the editor.
    if (draft.language === "python") pool.warm().then(load, load);
    else byId("editor").addEventListener("focusin", load, { once: true });
  }

  async #test() {
    this.#runs = true;
    this.#button.textContent = "Stop";
    this.#end("The referee gets ready…", "");
    const game = this.#draft.game;
    const terms = {
      ...{ language: this.#draft.language, source: this.#draft.source, game },
      settings: JSON.parse(byId("code-page").dataset.settings ?? "{}"),
      seat: Number(chosen("trial-seat")),
      bot: chosen("trial-bot"),
    };
    try {
      /** @type {Ply[]} */ const plies = [];
      const { text, good, line, output } = await this.#trial.play(terms, (ply) => {
        plies.push(ply);
        [this.#plies, this.#seat] = [plies, terms.seat]; // until the first ply, the trial before stays in view
        this.#showNewest();
      });
      this.#end(text, good ? "good" : "bad");
      if (line !== null) this.#draft.line(line);
      if (output) this.#print(output);
    } catch (error) {
      this.#end(`Python cannot be loaded: ${/** @type {Error} */ (error).message}`, "bad");
    }
    this.#runs = false;
    this.#button.textContent = "Test";
  }

  /** @param {string} text @param {string} look */
  #end(text, look) {
    byId("trial-end").textContent = text;
    byId("trial-end").className = `notice ${look}`;
  }

  #showNewest() {
    if (this.#plies.length === 1) this.#end("Your bot plays…", "");
    byId("trial").hidden = false;
    this.#slider.max = String(this.#plies.length - 1);
    this.#slider.value = this.#slider.max;
    this.#show(this.#plies.length - 1);
  }

  /** @param {number} number */
  #show(number) {
    const { seat, text, drawing, diagram, output } = this.#plies[number];
    const who = seat === null ? "" : seat === this.#seat ? "your bot: " : "opponent: ";
    const words = number === 0 ? "The start" : `Ply ${number}, ${who}${text}`;
    if (drawing) this.#board.show(drawing, words);
    else byId("trial-board").replaceChildren(element("pre", {}, diagram || text));
    byId("ply-text").textContent = words;
    this.#slider.setAttribute("aria-valuetext", words);
    this.#print(output);
  }

  /** @param {string} output */
  #print(output) {
    byId("output").textContent = output || "Nothing printed at this ply.";
  }
}
