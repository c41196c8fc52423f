// @ts-check
// Steps through a match: by addresses with `?ply=N`, by hand, or by itself.

import { BoardView } from "./board.js";
import { readJson } from "./coming_again.js";

const CHUNK = 400;
const PACE_MS = 900;
const LEAST_MS = 100;
const MOST_MS = 3000;

/**
 * @typedef {{board: string, last: number[], diagram: string | null, position: string}} Frame
 * @typedef {import("./drawing.js").Drawing} Drawing
 * @typedef {import("./moves_list.js").Course} Course
 */

/** The plies of a match and the shown ply, which is the last while `follows` is set. */
export class Replay {
  /** @type {Map<number, Frame>} */ #frames = new Map();
  /** @type {Drawing | null} */ #blank = null;
  /** @type {Course} */ course = { written: [], movers: [], thought_ms: [] };
  #asked = 0;
  #playing = 0;
  #learning = false;

  /**
   * @param {HTMLElement} page
   * @param {{onShow: (frame: Frame) => void, onCourse: () => void, onPlaying: (plays: boolean) => void}} handlers `onShow`
   *   is called for another ply or another number of plies, `onCourse` for a newer `course`
   */
  constructor(page, handlers) {
    const { id = "", attempt, plies, ply, status, follows } = page.dataset;
    this.id = id;
    this.attempt = Number(attempt);
    this.plies = Number(plies);
    this.ply = Number(ply);
    this.over = status === "over";
    this.follows = follows === "yes";
    this.handlers = handlers;
    /** The speed of playing: a factor, or NaN for the times of the moves. */
    this.speed = 1;
    const root = /** @type {HTMLElement} */ (document.getElementById("board")?.firstElementChild);
    this.view = new BoardView(root, { label: page.querySelector("h1")?.textContent ?? "Board" });
  }

  /** Forget the boards without a position. They hid something during the match, and show everything after it. */
  uncover() {
    for (const [ply, { position }] of this.#frames) if (!position) this.#frames.delete(ply);
  }

  /**
   * Begin with another attempt at the match.
   * @param {number} attempt
   */
  restart(attempt) {
    this.attempt = attempt;
    this.#frames.clear();
    this.#blank = null;
    this.course = { written: [], movers: [], thought_ms: [] };
    this.over = false;
    this.plies = this.ply = 0;
    this.follows = true;
  }

  /**
   * Take over the newest position from the feed.
   * @param {{ply: number, drawing: Drawing | null, diagram: string, position: string}} data
   */
  take(data) {
    const { drawing, diagram, position } = data;
    const [board, last] = [drawing?.board ?? "", drawing?.last ?? []];
    this.#blank ??= drawing;
    this.#frames.set(data.ply, { board, last, diagram: drawing ? null : diagram, position });
    this.plies = data.ply;
    this.#show(this.follows ? data.ply : this.ply);
    this.#learn();
  }

  /**
   * Show a ply. With `follow`, stay at the last ply during the match.
   * @param {number} ply @param {boolean} follow
   */
  async go(ply, follow = false) {
    ply = Math.min(Math.max(ply, 0), this.plies);
    this.follows = follow || (this.over && ply === this.plies);
    this.ply = ply;
    this.#asked += 1;
    const asked = this.#asked;
    if (!this.#frames.has(ply)) await this.#load(Math.floor(ply / CHUNK) * CHUNK);
    if (asked === this.#asked) this.#show(ply);
  }

  /** Look at the board from the other side. */
  flip() {
    this.view.flipped = !this.view.flipped;
    this.#show(this.ply);
  }

  /** True if the board looks different from the other side. */
  get hasSides() {
    return Boolean(this.#blank?.facing);
  }

  /** Load the written moves and times, which the feed does not have, in one request at a time. */
  async #learn() {
    if (this.#learning) return;
    this.#learning = true;
    for (let before = -1; before < this.course.written.length && this.course.written.length < this.plies; ) {
      before = this.course.written.length;
      await this.#load(before + 1);
    }
    this.#learning = false;
  }

  /** Load the course so far, and boards from ply `first` on. @param {number} first */
  async #load(first) {
    const { over } = this;
    const data = await readJson(`matches/${encodeURIComponent(this.id)}/boards?first=${first}&limit=${CHUNK}`);
    if (data?.attempt !== this.attempt || over !== this.over) return; // boards of before the end may hide something
    this.#blank = data.drawing;
    data.boards.forEach((/** @type {Frame} */ frame, /** @type {number} */ index) => {
      this.#frames.set(first + index, frame);
    });
    if (data.plies < this.course.written.length) return;
    this.course = data;
    this.handlers.onCourse();
  }

  /** @param {number} ply */
  #show(ply) {
    const frame = this.#frames.get(ply);
    if (!frame) return;
    this.ply = ply;
    const { board, last, diagram } = frame;
    this.view.show({ drawing: this.#blank && { ...this.#blank, board, last }, diagram: diagram ?? "" });
    const address = this.follows ? location.pathname : `${location.pathname}?ply=${ply}`;
    if (location.pathname + location.search !== address) history.replaceState(null, "", address);
    this.handlers.onShow(frame);
  }

  // --- playing by itself ---

  pause() {
    clearTimeout(this.#playing);
    this.#playing = 0;
    this.handlers.onPlaying(false);
  }

  /** Play, or pause. */
  toggle() {
    if (this.#playing) return this.pause();
    if (this.ply === this.plies) this.go(0);
    this.handlers.onPlaying(true);
    this.#playing = setTimeout(() => this.#goOn(), this.#delay());
  }

  /** Change the speed of playing. @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (!this.#playing) return;
    clearTimeout(this.#playing);
    this.#playing = setTimeout(() => this.#goOn(), this.#delay());
  }

  #goOn() {
    if (this.ply < this.plies) this.go(this.ply + 1, this.ply + 1 === this.plies);
    if (this.ply >= this.plies && this.over) return this.pause();
    this.#playing = setTimeout(() => this.#goOn(), this.#delay());
  }

  /** Return the time in ms for which the shown ply stays. */
  #delay() {
    const thought = this.course.thought_ms[this.ply] ?? PACE_MS;
    return Number.isNaN(this.speed) ? Math.min(Math.max(thought, LEAST_MS), MOST_MS) : PACE_MS / this.speed;
  }
}
