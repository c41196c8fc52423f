// @ts-check
// A board in an element of the page: positions, and the choice of a move by clicks, touch or keys.

import { cellName, circle, HEXAGON, inWords, path, Plan, range, rect, tag } from "./drawing.js";
import { DrawnBoard } from "./drawn_board.js";
import { button, element } from "./elements.js";

/**
 * @typedef {import("./drawing.js").Drawing} Drawing
 * @typedef {number[][]} Path For each click, the cells that may be clicked; the move will show on the first of them.
 * @typedef {{drawing: Drawing | null, diagram: string}} Shown
 */

/** Minimum width of a cell in CSS pixels for a finger; on smaller cells a tap has to be confirmed. */
const FINGER_PX = 36;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/** @type {Record<string, string>} */
const KEY_SIGNS = { arrowup: "↑", arrowdown: "↓", arrowleft: "←", arrowright: "→" };

/**
 * A board in an element of the page. It shows positions, and lets a person choose a move: by click, by touch, or by
 * the arrow keys, Enter or Space, and Escape. On small cells, a tap only shows the move. A second tap on the move,
 * or a button, plays the move. Moves with keys of their own are chosen by these keys anywhere on the page.
 */
export class BoardView {
  /** @type {Shown | null} */ #shown = null;
  /** @type {Map<string, Path> | null} */ #moves = null;
  /** @type {(move: string) => void} */ #onMove = () => {};
  /** @type {number[]} */ #clicked = [];
  /** @type {Record<string, string[]>} */ #words = {};
  /** The moves with keys of their own, by key in lower case. @type {Map<string, string>} */ #keys = new Map();
  /** The move that waits for its confirmation. @type {string | null} */ #aimed = null;
  /** True if the last press was a finger's. */ #byTouch = false;
  #cursor = 0;
  /** @type {Element | null} */ #drawn = null;
  #frame = element("div", { class: "frame" });
  #choices = element("div", { class: "choices", role: "group", "aria-label": "Moves to choose from" });
  #said = element("p", { class: "unseen", role: "status" });
  #picture = new DrawnBoard(this.#frame);
  /** The layer over the picture during a choice, and its cursor. @type {Element | null} */ #overlay = null;
  /** @type {Element | null} */ #mark = null;

  /**
   * @param {HTMLElement} root the element around the board; its content stays until `show`
   * @param {{label?: string, flipped?: boolean}} options `flipped`: seen from the second seat, where the game has sides
   */
  constructor(root, { label = "Board", flipped = false } = {}) {
    this.label = label;
    this.flipped = flipped;
    this.#frame.append(...root.childNodes);
    this.root = root;
    root.classList.add("drawn");
    root.replaceChildren(this.#frame);
  }

  /**
   * Show a position: an event of the feed, a match, or an answer of `/api/games/{game}/board`. A choice that has begun
   * goes on.
   * @param {Shown} board
   */
  show(board) {
    if (board.drawing?.board !== this.#shown?.drawing?.board) this.#unclick();
    this.#shown = board;
    this.#draw();
  }

  /**
   * Let the person choose one of `moves`, each with its path; `onMove` is called once, with the move's text. `keys` are
   * the keys of moves that a single key makes, and `words` the texts that people write for moves, the usual one first.
   * @param {Record<string, Path>} moves
   * @param {(move: string) => void} onMove
   * @param {Record<string, string>} keys
   * @param {Record<string, string[]>} words
   */
  choose(moves, onMove, keys = {}, words = {}) {
    this.#words = words;
    if (!this.#choices.isConnected) this.#prepare();
    this.#moves = new Map(Object.entries(moves));
    this.#keys = new Map(Object.entries(keys).map(([move, key]) => [key.toLowerCase(), move]));
    document.addEventListener("keydown", this.#shortcut);
    this.#onMove = onMove;
    this.#unclick();
    const first = [...this.#next()][0];
    if (first !== undefined && !this.#next().has(this.#cursor)) this.#cursor = first;
    this.#draw();
  }

  /** Stop the choice. */
  stop() {
    this.#moves = null;
    this.#keys.clear();
    document.removeEventListener("keydown", this.#shortcut);
    this.#unclick();
    this.#draw();
  }

  /** Add the parts that only a choice of moves needs. */
  #prepare() {
    this.root.append(this.#choices, this.#said);
    this.root.addEventListener("pointerdown", (event) => (this.#byTouch = event.pointerType === "touch"), true);
  }

  #unclick() {
    this.#clicked = [];
    this.#aimed = null;
  }

  // --- the moves to choose from ---

  /** @returns {[string, Path][]} the moves that begin with the cells clicked so far */
  #fitting() {
    const fits = (/** @type {Path} */ path) => this.#clicked.every((cell, click) => path[click]?.includes(cell));
    return [...(this.#moves ?? [])].filter(([, path]) => path.length && fits(path));
  }

  /** @returns {Set<number>} the cells that may be clicked next */
  #next() {
    return new Set(this.#fitting().flatMap(([, path]) => path[this.#clicked.length] ?? []));
  }

  /** @param {number} cell @returns {number[]} the cells where moves will show after a click on this cell */
  #landing(cell) {
    const clicks = this.#fitting().map(([, path]) => path[this.#clicked.length] ?? []);
    return [...new Set(clicks.filter((cells) => cells.includes(cell)).map((cells) => cells[0]))];
  }

  /** @returns {[string, Path][]} the moves whose whole path was clicked */
  #complete() {
    return this.#fitting().filter(([, path]) => this.#clicked.length && path.length === this.#clicked.length);
  }

  /** Return whether cells are too small for a finger. */
  #isSmall() {
    const scale = this.#drawn instanceof SVGGraphicsElement ? this.#drawn.getScreenCTM()?.a : undefined;
    return scale !== undefined && 100 * scale < FINGER_PX;
  }

  /** @param {number} cell @param {boolean} confirms true if a move by this cell has to be confirmed */
  #click(cell, confirms = false) {
    const aimed = this.#aimed;
    if (aimed !== null) this.#clicked.pop();
    this.#cursor = cell;
    if (this.#next().has(cell)) {
      this.#clicked.push(cell);
    } else {
      const before = this.#clicked[0];
      this.#clicked = [];
      if (cell !== before && this.#next().has(cell)) this.#clicked = [cell];
    }
    const complete = this.#complete();
    const move = complete.length === 1 ? complete[0][0] : null;
    if (move !== null && (!confirms || move === aimed)) return this.#take(move);
    this.#aimed = move;
    this.#draw();
    if (move !== null) this.#said.textContent = `${move}: tap it again to play it`;
  }

  /** @param {string} move */
  #take(move) {
    const onMove = this.#onMove;
    this.stop();
    onMove(move);
  }

  // --- drawing ---

  #draw() {
    if (!this.#shown) return;
    const { drawing, diagram } = this.#shown;
    this.#overlay?.remove();
    this.#overlay = null;
    if (drawing) {
      const drawn = this.#picture.show(drawing, this.label, this.flipped);
      if (drawn !== this.#drawn) this.#listen(drawn);
      this.#drawn = drawn;
      if (this.#moves && !this.#keys.size) this.#open(drawing, drawn);
      else this.#close(drawn);
    } else {
      this.#drawn = element("pre", { class: "board", "aria-label": this.label }, diagram);
      this.#frame.replaceChildren(this.#drawn);
    }
    this.#drawChoices(drawing);
  }

  /** @param {Drawing | null} drawing */
  #drawChoices(drawing) {
    if (!this.#choices.isConnected) return;
    const confirms = this.#isSmall() && matchMedia("(any-pointer: coarse)").matches;
    this.root.classList.toggle("confirms", confirms);
    const offered = [...(this.#moves ?? [])].filter(([, path]) => !path.length || !drawing);
    const complete = this.#complete();
    const moves = [...(drawing ? complete : []), ...offered].map(([move]) => move);
    const named = (/** @type {string} */ move) => this.#words[move]?.[0] ?? move;
    const texts = moves.map((move) => (move === this.#aimed ? `Play ${named(move)}` : named(move)));
    if (confirms && this.#moves && !moves.length) texts.push("Tap a place; then confirm it here.");
    if (this.#keys.size) texts.push(`Keys: ${[...this.#keys.keys()].map((key) => KEY_SIGNS[key] ?? key.toUpperCase()).join(" ")}`);
    const before = [...this.#choices.children].map((button) => button.textContent);
    if (texts.join("\n") === before.join("\n")) return;
    const shown = texts.map((text, place) => {
      const move = moves[place];
      if (move === undefined) return element("span", {}, text);
      return button(text, () => this.#take(move), { class: move === this.#aimed ? "primary" : "" });
    });
    this.#choices.replaceChildren(...shown);
    if (complete.length > 1) shown[0].focus();
  }

  /** @param {SVGElement} drawn */
  #listen(drawn) {
    drawn.addEventListener("pointerleave", () => this.#overlay?.querySelector(".ghosts")?.replaceChildren());
    drawn.addEventListener("keydown", (event) => this.#key(event));
    drawn.addEventListener("focus", () => this.#tell());
  }

  /** End the choice on the picture. @param {SVGElement} drawn */
  #close(drawn) {
    drawn.setAttribute("role", "img");
    drawn.removeAttribute("tabindex");
  }

  /**
   * Let a move be chosen on the picture.
   * @param {Drawing} drawing @param {SVGElement} drawn
   */
  #open(drawing, drawn) {
    const plan = new Plan(drawing, this.flipped);
    const next = this.#next();
    const aim = this.#aimed === null ? [] : this.#aim(plan, this.#aimed);
    const clicked = this.#aimed === null ? this.#clicked : this.#clicked.slice(0, -1);
    const chosen = clicked.map((cell) => circle("chosen", plan.cell(cell), 44));
    const spread = [...next].flatMap((cell) => this.#landing(cell));
    const few = this.#clicked.length > 0 || new Set(spread).size * 3 < drawing.board.length;
    const options = few ? [...new Set(spread)].map((cell) => circle("option", plan.cell(cell), 13)) : [];
    const ghosts = tag("g", { class: "ghosts" });
    const targets = range(drawing.board.length).map((cell) => {
      const [x, y] = plan.cell(cell);
      const kind = next.has(cell) ? "target open" : "target";
      const target = plan.slanted ? path(kind, `M${x} ${y}${HEXAGON}`) : rect(kind, x - 50, y - 50, 100, 100);
      target.setAttribute("data-cell", String(cell));
      target.addEventListener("click", () => this.#click(cell, this.#byTouch && this.#isSmall()));
      target.addEventListener("pointerenter", () => {
        ghosts.replaceChildren(...this.#landing(cell).map((landing) => circle("ghost", plan.cell(landing), 30)));
      });
      return target;
    });
    this.#mark = circle("cursor", plan.cell(this.#cursor), 46);
    const marks = tag("g", { class: "marks" }, ...aim, ...chosen, ...options);
    this.#overlay = tag("g", { class: "choice" }, marks, ghosts, this.#mark, tag("g", { class: "targets" }, ...targets));
    drawn.append(this.#overlay);
    drawn.setAttribute("role", "application");
    drawn.setAttribute("tabindex", "0");
    const how = "Arrow keys move the cursor, Enter chooses, Escape takes back.";
    drawn.setAttribute("aria-label", `${this.label}. ${inWords(drawing)} ${how}`);
  }

  /**
   * Mark the cell where a move would show, with its row and column, since the finger hides the cell.
   * @param {Plan} plan @param {string} move
   */
  #aim(plan, move) {
    const [x, y] = plan.cell(this.#moves?.get(move)?.at(-1)?.[0] ?? 0);
    const lines = [rect("aim", 0, y - 6, plan.width, 12), rect("aim", x - 6, 0, 12, plan.height)];
    return [...(plan.slanted ? [] : lines), circle("aimed", [x, y], 42)];
  }

  /** Make the move of a key, unless the key belongs to a field or to a dialog. @param {KeyboardEvent} event */
  #shortcut = (event) => {
    const move = this.#keys.get(event.key.toLowerCase());
    const isElsewhere = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (move === undefined || isElsewhere || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#take(move);
  };

  /** @param {KeyboardEvent} event */
  #key(event) {
    const drawing = this.#shown?.drawing;
    if (!drawing || !this.#moves || this.#keys.size || event.ctrlKey || event.altKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const plan = new Plan(drawing, this.flipped);
      const [down, across] = plan.flipped ? [-arrow[0], -arrow[1]] : arrow;
      const row = Math.floor(this.#cursor / plan.columns) + down;
      const column = (this.#cursor % plan.columns) + across;
      if (row >= 0 && row < plan.rows && column >= 0 && column < plan.columns) this.#cursor = row * plan.columns + column;
      const [x, y] = plan.cell(this.#cursor);
      this.#mark?.setAttribute("cx", String(x));
      this.#mark?.setAttribute("cy", String(y));
    } else if (event.key === "Enter" || event.key === " ") {
      this.#click(this.#cursor);
    } else if (event.key === "Escape" && this.#clicked.length) {
      this.#unclick();
      this.#draw();
    } else {
      return;
    }
    this.#tell();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Say the cursor's cell to screen readers. */
  #tell() {
    const drawing = this.#shown?.drawing;
    if (!drawing || !this.#moves) return;
    const piece = drawing.pieces[drawing.board[this.#cursor]];
    const may = this.#next().has(this.#cursor) ? ", possible" : "";
    const so = this.#clicked.length ? `, chosen ${this.#clicked.map((cell) => cellName(drawing, cell)).join(", ")}` : "";
    this.#said.textContent = `${cellName(drawing, this.#cursor)}, ${piece ? piece.name : "empty"}${may}${so}`;
  }
}
