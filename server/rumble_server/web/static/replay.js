// @ts-check
// Stepping through a match by buttons, slider, keys, the list of moves, and addresses with `?ply=N`.

import { BoardView } from "./board.js";

const CHUNK = 400;
const PACE_MS = 900;

/**
 * @typedef {{board: string, last: number[], diagram: string | null, position: string}} Frame
 * @typedef {import("./drawing.js").Drawing} Drawing
 */

/** @param {string} id @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Quote a word of a shell's command line. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

/** The plies of a match and the one that is shown: while `follows` is set, the last. */
export class Replay {
  /** @type {Map<number, Frame>} */ #frames = new Map();
  /** @type {Drawing | null} */ #blank = null;
  #asked = 0;
  #playing = 0;
  #slider = /** @type {HTMLInputElement} */ (byId("slider"));
  #play = byId("play");
  #ask = byId("ask");
  #moves = byId("moves");

  /** @param {HTMLElement} page */
  constructor(page) {
    const { id = "", attempt, plies, ply, status, follows } = page.dataset;
    this.id = id;
    this.attempt = Number(attempt);
    this.plies = Number(plies);
    this.ply = Number(ply);
    this.over = status === "over";
    this.follows = follows === "yes";
    const root = /** @type {HTMLElement} */ (byId("board").firstElementChild);
    this.view = new BoardView(root, { label: page.querySelector("h1")?.textContent ?? "Board" });
    this.#listen();
  }

  /** Load and show the ply of the address. */
  async begin() {
    await this.go(this.ply, this.follows);
  }

  /**
   * Begin with another attempt at the match.
   * @param {number} attempt
   */
  restart(attempt) {
    this.attempt = attempt;
    this.#frames.clear();
    this.#blank = null;
    this.over = false;
    this.plies = this.ply = 0;
    this.follows = true;
  }

  /**
   * Take over how the match stands now, by the feed.
   * @param {{ply: number, drawing: Drawing | null, diagram: string, position: string}} data
   */
  take(data) {
    const { drawing, diagram, position } = data;
    const [board, last] = [drawing?.board ?? "", drawing?.last ?? []];
    this.#blank ??= drawing;
    this.#frames.set(data.ply, { board, last, diagram: drawing ? null : diagram, position });
    this.plies = data.ply;
    if (this.follows) this.#show(data.ply);
    else this.#tell();
  }

  /**
   * Show a ply. With `follow`, stay at the last ply as the match goes on.
   * @param {number} ply @param {boolean} follow
   */
  async go(ply, follow = false) {
    ply = Math.min(Math.max(ply, 0), this.plies);
    this.follows = follow || (this.over && ply === this.plies);
    this.ply = ply;
    this.#asked += 1;
    const asked = this.#asked;
    if (!this.#frames.has(ply)) await this.#load(ply);
    if (asked !== this.#asked) return;
    if (this.#frames.has(ply)) this.#show(ply);
  }

  /** @param {number} ply */
  async #load(ply) {
    const first = Math.floor(ply / CHUNK) * CHUNK;
    const answer = await fetch(`/api/matches/${encodeURIComponent(this.id)}/boards?first=${first}&limit=${CHUNK}`);
    if (!answer.ok) return;
    const data = await answer.json();
    if (data.attempt !== this.attempt) return;
    this.#blank = data.drawing;
    data.boards.forEach((/** @type {Frame} */ frame, /** @type {number} */ index) => {
      this.#frames.set(first + index, frame);
    });
  }

  /** @param {number} ply */
  #show(ply) {
    const frame = this.#frames.get(ply);
    if (!frame) return;
    this.ply = ply;
    const { board, last, diagram, position } = frame;
    this.view.show({ drawing: this.#blank && { ...this.#blank, board, last }, diagram: diagram ?? "" });
    this.#ask.textContent = `${this.#ask.dataset.ask} --position ${quoted(position)}`;
    const asks = !this.over || ply < this.plies;
    byId("asking").hidden = !asks;
    /** @type {HTMLElement} */ (this.#ask.closest(".command")).hidden = !asks;
    this.#tell();
  }

  /** Show which ply it is in slider, buttons, list of moves and address. */
  #tell() {
    this.#slider.max = String(this.plies);
    this.#slider.value = String(this.ply);
    const live = this.follows && !this.over;
    byId("ply").textContent = `ply ${this.ply} of ${this.plies}${live ? ", live" : ""}`;
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".replay [data-go]"))) {
      const back = link.dataset.go === "first" || link.dataset.go === "back";
      link.toggleAttribute("aria-disabled", this.ply === (back ? 0 : this.plies));
      if (link.hasAttribute("aria-disabled")) link.setAttribute("aria-disabled", "true");
      if (link.dataset.go === "back") link.setAttribute("href", `${location.pathname}?ply=${Math.max(0, this.ply - 1)}`);
      if (link.dataset.go === "on") link.setAttribute("href", `${location.pathname}?ply=${Math.min(this.plies, this.ply + 1)}`);
    }
    this.#moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.#moves.children[this.ply - 1]?.querySelector("a");
    current?.setAttribute("aria-current", "step");
    if (current) this.#reveal(current);
    else this.#moves.scrollTop = 0;
    const address = this.follows ? location.pathname : `${location.pathname}?ply=${this.ply}`;
    if (location.pathname + location.search !== address) history.replaceState(null, "", address);
  }

  /** Scroll the list of moves, but not the page. @param {HTMLElement} move */
  #reveal(move) {
    const [inside, around] = [move.getBoundingClientRect(), this.#moves.getBoundingClientRect()];
    if (inside.top < around.top) this.#moves.scrollTop -= around.top - inside.top;
    if (inside.bottom > around.bottom) this.#moves.scrollTop += inside.bottom - around.bottom;
  }

  // --- what the reader does ---

  /** @param {string | undefined} where */
  #step(where) {
    this.#pause();
    if (where === "first") this.go(0);
    else if (where === "back") this.go(this.ply - 1);
    else if (where === "on") this.go(this.ply + 1);
    else this.go(this.plies, true);
  }

  #pause() {
    clearInterval(this.#playing);
    this.#playing = 0;
    this.#play.textContent = "Play";
  }

  #toggle() {
    if (this.#playing) return this.#pause();
    if (this.ply === this.plies) this.go(0);
    this.#play.textContent = "Pause";
    this.#playing = setInterval(() => {
      if (this.ply < this.plies) this.go(this.ply + 1, this.ply + 1 === this.plies);
      if (this.ply >= this.plies && this.over) this.#pause();
    }, PACE_MS);
  }

  #listen() {
    /** @type {Record<string, string>} */
    const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
    this.#slider.hidden = this.#play.hidden = false;
    this.#slider.addEventListener("input", () => {
      this.#pause();
      const ply = Number(this.#slider.value);
      this.go(ply, ply === this.plies);
    });
    this.#play.addEventListener("click", () => this.#toggle());
    document.querySelector(".replay")?.addEventListener("click", (event) => {
      const link = /** @type {Element} */ (event.target).closest("[data-go]");
      if (!(link instanceof HTMLElement) || isElsewhere(event)) return;
      event.preventDefault();
      this.#step(link.dataset.go);
    });
    this.#moves.addEventListener("click", (event) => {
      const link = /** @type {Element} */ (event.target).closest("a");
      if (!link || isElsewhere(event)) return;
      event.preventDefault();
      this.#pause();
      this.go(Number(new URL(link.href).searchParams.get("ply")));
    });
    document.addEventListener("keydown", (event) => {
      const step = keys[event.key];
      const busy = /** @type {Element} */ (event.target).closest("input, select, textarea");
      if (!step || busy || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#step(step);
    });
  }
}

/** Whether a click opens a link in another tab or window. @param {Event} event */
function isElsewhere(event) {
  return event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);
}
