// The match that the person plays: board, clocks, moves, the player to move, and the result.

import { MoveBoard } from "./move_board.js";
import { pliesAfter } from "./plies.js";
import { clockText, sentence, terminationText, verdict } from "./texts.js";
import { readTyped } from "./typed.js";
import { Clocks } from "../clocks.js";
import { readJson } from "../coming_again.js";
import { seatPiece } from "../drawing.js";
import { button, byId, element, onSubmit, showProblem } from "../elements.js";
import { shown, shownIn } from "../names.js";
import { root } from "../root.js";
import { result } from "../texts.js";

/** @typedef {import("./frames.js").Challenge} Challenge */
/** @typedef {import("./frames.js").Game} Game */
/** @typedef {import("./frames.js").MatchOver} MatchOver */
/** @typedef {import("./frames.js").MatchStart} MatchStart */
/** @typedef {import("./frames.js").MatchView} MatchView */
/** @typedef {import("./frames.js").Rejected} Rejected */
/** @typedef {import("./frames.js").Settings} Settings */
/** @typedef {import("./frames.js").TimeControl} TimeControl */
/** @typedef {import("./frames.js").Turn} Turn */

/**
 * The match of the page. `seat` is the person's seat; `turn` is set while the person is to move. `known` are the plies
 * before the last turn; `moves` has also the person's answer.
 * @typedef {object} Match
 * @property {string} id
 * @property {number} attempt
 * @property {string} tournament
 * @property {string} game
 * @property {Settings} settings
 * @property {TimeControl} time_control
 * @property {string[]} seats
 * @property {number} seat
 * @property {string[]} moves
 * @property {string[]} known
 * @property {Turn | null} turn
 * @property {boolean} over
 */

/** Number of the first moves that have buttons where `legal` is a sample. */
const FEW_MOVES = 10;
const POLL_AFTER_MS = 150;
const POLL_AGAIN_MS = 500;
const SLOW_MS = 6000;
const LOW_MS = 10_000;

const part = byId("table-part");
const headline = byId("headline");
const notes = byId("notes");
const typing = byId("typing");
const typed = /** @type {HTMLInputElement} */ (byId("typed"));
const dialog = /** @type {HTMLDialogElement} */ (byId("resign-dialog"));

export class MatchPanel {
  /** @type {Match | null} */
  match = null;
  #board = new MoveBoard(byId("board"), showTokens);
  #clocks = new Clocks([], [], LOW_MS);
  /** @type {Map<string, Game>} */
  #games;
  /** @type {number | undefined} */
  #pollTimer;
  /** @type {number | undefined} */
  #slowTimer;

  /**
   * @param {Map<string, Game>} games
   * @param {object} on
   * @param {(message: Record<string, unknown>) => boolean} on.send  returns false without a connection
   * @param {(text: string) => void} on.announce  a text for screen readers
   */
  constructor(games, on) {
    this.#games = games;
    this.on = on;
    onSubmit("typing", () => this.#moveTyped());
    byId("resign").addEventListener("click", () => dialog.showModal());
    dialog.addEventListener("close", () => {
      const { match } = this;
      if (dialog.returnValue === "resign" && match && !match.over) on.send({ type: "resign", match: match.id });
      dialog.returnValue = "";
    });
  }

  get playing() {
    return this.match !== null && !this.match.over;
  }

  /** The names of the other players. */
  get opponent() {
    const { match } = this;
    return match?.seats.filter((_, seat) => seat !== match.seat).map(shown).join(", ") ?? "";
  }

  /** @param {boolean} shown */
  show(shown) {
    part.hidden = !shown;
  }

  /** Begin or resume a match. @param {MatchStart} frame */
  start(frame) {
    const isNew = this.match?.id !== frame.match || this.match.over;
    this.#begin({ ...frame, id: frame.match, known: frame.moves, turn: null, over: false });
    const full = frame.time_control.move_ms + frame.time_control.bank_ms;
    this.#time(frame.seats.map(() => full), null);
    this.#waiting();
    if (isNew) {
      const again = frame.resumed ? "goes on" : "has begun";
      this.on.announce(`The match ${again}. You play ${this.#plays(frame.seat)} against ${this.opponent}.`);
      byId("players").focus();
    }
    this.#pollSoon(POLL_AFTER_MS);
  }

  /** Ask the person for a move. @param {Turn} frame */
  turn(frame) {
    const { match } = this;
    if (!match || match.id !== frame.match) return;
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#slowTimer);
    const news = frame.since
      ? frame.since.filter(([seat]) => seat !== null && seat !== match.seat).map(([, text]) => text)
      : frame.moves.slice(match.moves.length).filter((_, index) => (match.moves.length + index) % 2 !== match.seat);
    const { seats } = match;
    match.known = frame.since ? pliesAfter(match.known, frame.since, frame.ply, seats.length) : frame.moves;
    match.attempt = frame.attempt;
    match.turn = { ...frame, moves: match.known };
    match.moves = match.known;
    this.note("opponent", "");
    this.#time(frame.clock.seats_ms, match.seat);
    this.#status("Your turn", "mine");
    const last = seats.length > 2 ? undefined : news.at(-1);
    this.on.announce(`${last === undefined ? "" : `${this.opponent} played ${last}. `}Your turn.`);
    this.#showMoves();
    this.#offer();
  }

  /** Show that a move did not count. @param {Rejected} frame */
  rejected(frame) {
    const { match } = this;
    if (!match || match.id !== frame.match || frame.code === "already_played") return;
    this.note("rejected", `Your move did not count: ${frame.message}.`, "bad");
    this.on.announce(`Your move did not count: ${frame.message}.`);
    if (frame.your_turn && match.turn?.turn_id === frame.turn_id) {
      match.moves = match.turn.moves;
      this.#status("Your turn", "mine");
      this.#showMoves();
      this.#offer();
      if (frame.remaining_ms !== null) {
        const left = this.#clocks.left();
        left[match.seat] = frame.remaining_ms;
        this.#time(left, match.seat);
      }
    }
  }

  /** End the match, or a void attempt at the match. @param {MatchOver} frame */
  over(frame) {
    const { match } = this;
    if (!match || match.id !== frame.match || match.over) return;
    match.moves = frame.moves;
    this.#end(frame);
    this.#board.draw({ ...match, state: frame.state });
    if (frame.scores !== null) this.#showWhole(match);
  }

  /** Show a match that ended while the page was away. @param {MatchView} view @param {string} name of the person */
  showEnded(view, name) {
    const seat = view.seats.findIndex((each) => each.toLowerCase() === name.toLowerCase());
    this.#begin({ ...view, seat, known: view.moves, turn: null, over: false });
    this.#time(view.seats.map(() => 0), null);
    this.#end({ ...view, termination: view.termination ?? "" });
    this.#showMoves(view.notes);
    this.#board.show(view);
  }

  /**
   * Make the challenge for a rematch of two, from the same seat or the other one.
   * @param {boolean} swapped
   * @returns {Challenge | null}
   */
  rematch(swapped) {
    const { match } = this;
    if (match?.seats.length !== 2) return null;
    const { game, settings, time_control } = match;
    const seat = swapped ? 1 - match.seat : match.seat;
    return { type: "challenge", against: match.seats[1 - match.seat], game, settings, time_control, seat };
  }

  /** Stop moves and clocks, because the connection is lost. */
  pause() {
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#slowTimer);
    if (!this.playing) return;
    if (this.match) this.match.turn = null;
    this.#time(this.#clocks.left(), null);
    this.#board.stop();
    this.#status("Not connected");
  }

  /**
   * Show a remark beside the board, at most one for each key; an empty text removes the remark.
   * @param {string} key
   * @param {string} text
   * @param {"" | "good" | "bad" | "warn"} kind
   * @param {{label: string, act: () => void}} [action]
   */
  note(key, text, kind = "warn", action) {
    notes.querySelector(`[data-key="${key}"]`)?.remove();
    if (!text) return;
    const made = element("div", { class: `notice ${kind}`, "data-key": key }, element("p", {}, text));
    if (action) made.append(button(action.label, action.act, { class: "" }));
    notes.append(made);
  }

  /** @param {Match} match */
  #begin(match) {
    const fresh = this.match?.id !== match.id;
    this.match = match;
    const title = this.#games.get(match.game)?.title ?? match.game;
    byId("players").textContent = match.seats.map(shown).join(" – ");
    byId("terms").textContent = `${title} · ${clockText(match.time_control)} · unrated`;
    byId("while-playing").hidden = false;
    byId("when-over").hidden = true;
    typing.hidden = false;
    typed.value = "";
    complain("");
    notes.replaceChildren();
    const seats = match.seats.map((name, seat) =>
      element(
        "li",
        { "data-seat": String(seat) },
        element("span", { class: "drawn token", hidden: "", "aria-hidden": "true" }),
        element("span", { class: "seat-name", title: shown(name) }, shown(name) + (seat === match.seat ? " (you)" : "")),
        element("span", { class: "seat-plays" }, this.#plays(seat)),
        element("span", { class: "seat-clock" }),
      ),
    );
    byId("seats").replaceChildren(...seats);
    this.#clocks.faces = [.../** @type {NodeListOf<HTMLElement>} */ (byId("seats").querySelectorAll(".seat-clock"))];
    if (fresh) this.#board.begin(match.seats.map(shown).join(" – "), match.seat === 1);
    this.#showMoves();
  }

  /** @param {{scores: number[] | null, winner: number | null, termination: string, reason: string, moves: string[]}} over */
  #end(over) {
    const { match } = this;
    if (!match) return;
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#slowTimer);
    const wasHere = document.activeElement === document.body || part.contains(document.activeElement);
    match.turn = null;
    match.over = over.scores !== null;
    this.#board.stop();
    this.#time(this.#clocks.left(), null);
    this.note("opponent", "");
    this.#showMoves();
    if (dialog.open) dialog.close();
    const { text: who, kind } = verdict(over, match.seat);
    const text = `${who} ${terminationText(over.termination)}`.trim();
    const why = sentence(shownIn(over.reason));
    if (!match.over) {
      this.#status(text);
      this.note("void", `${why} The match is played again.`);
      this.on.announce(`${text}. ${why}`);
      return;
    }
    this.#status(text, kind);
    headline.append(element("span", { class: "why" }, `${result(over.scores)} · ${why}`));
    this.on.announce(`${text}. ${why}`);
    typing.hidden = true;
    byId("while-playing").hidden = true;
    byId("when-over").hidden = match.seat < 0;
    const link = byId("match-link");
    link.setAttribute("href", `${root}/matches/${encodeURIComponent(match.id)}`);
    if (wasHere) byId("when-over").focus({ preventScroll: true }); // on no button: Enter may still be pressed from the last move
  }

  /** Offer the moves of the turn. */
  #offer() {
    const { match } = this;
    if (!match?.turn) return;
    const { turn } = match;
    const offered = turn.legal_complete === false ? turn.legal.slice(0, FEW_MOVES) : turn.legal;
    this.#board.draw({ ...match, state: turn.state }, offered, (move) => this.#move(move));
  }

  /** @param {string} move */
  #move(move) {
    const { match } = this;
    if (!match?.turn) return;
    const { turn } = match;
    if (!this.on.send({ type: "move", match: match.id, turn_id: turn.turn_id, move })) return;
    this.note("rejected", "");
    complain("");
    typed.value = "";
    match.moves = [...turn.moves, move];
    // Nobody is told who of several movers has answered.
    this.#time(this.#clocks.left(), turn.since ? null : 1 - match.seat);
    this.#board.stop();
    this.#waiting();
    this.#showMoves();
    this.#pollSoon(POLL_AFTER_MS);
  }

  async #moveTyped() {
    const { match } = this;
    const text = typed.value.trim();
    const turn = match?.turn;
    if (!match || !turn || match.moves.length > turn.moves.length) return complain("It is not your turn yet.");
    const meant = readTyped(text, turn.legal, this.#board.spellings, turn.legal_complete);
    if ("problem" in meant) return complain(meant.problem);
    const refusal = meant.unsure ? await this.#board.refusal({ ...match, state: turn.state }, meant.move) : null;
    if (match.turn !== turn) return; // the turn has gone meanwhile
    if (refusal) complain(refusal);
    else this.#move(meant.move);
  }

  /** Read the match soon, as a spectator: a bot gets no message between two turns. @param {number} afterMs */
  #pollSoon(afterMs) {
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#slowTimer);
    this.#pollTimer = setTimeout(() => this.#poll(), afterMs);
    this.#slowTimer = setTimeout(() => this.#waiting("still "), SLOW_MS);
  }

  async #poll() {
    const { match } = this;
    if (!match) return;
    const plies = match.moves.length;
    const view = await fetchMatch(match.id);
    const isNews = match === this.match && !match.over && (match.turn === null || match.moves.length > match.turn.moves.length);
    if (!isNews || plies !== match.moves.length) return;
    if (!view || view.status === "over" || view.ply < plies || view.attempt !== match.attempt) {
      this.#pollTimer = setTimeout(() => this.#poll(), POLL_AGAIN_MS);
      return;
    }
    match.turn = null;
    match.moves = view.moves;
    this.#showMoves();
    if (view.seats_ms) this.#time(view.seats_ms, view.seat);
    if (view.seat === match.seat) this.#pollTimer = setTimeout(() => this.#poll(), POLL_AGAIN_MS);
    this.#board.show(view);
  }

  /** Show the bots' notes on their moves, which are public after the match. @param {Match} match */
  async #showWhole(match) {
    const view = await fetchMatch(match.id);
    if (view && view.status === "over" && match === this.match) this.#showMoves(view.notes);
  }

  /** @param {(string | null)[]} [notes] */
  #showMoves(notes = []) {
    const moves = this.match?.moves ?? [];
    const items = moves.map((move, ply) => {
      const item = element("li", {}, element("code", {}, move));
      const note = notes[ply];
      if (note) item.append(" ", element("span", { class: "quiet small" }, note));
      if (ply === moves.length - 1) item.classList.add("last");
      return item;
    });
    byId("moves").replaceChildren(...items);
    byId("no-moves").hidden = moves.length > 0;
  }

  /** Tell that others are thinking. @param {"" | "still "} how */
  #waiting(how = "") {
    const isOne = (this.match?.seats.length ?? 0) <= 2;
    this.#status(isOne ? `${this.opponent} is ${how}thinking` : `The others are ${how}thinking`);
  }

  /**
   * @param {string} text
   * @param {"" | "mine" | "good" | "bad"} kind
   */
  #status(text, kind = "") {
    headline.textContent = text;
    headline.className = `headline ${kind}`;
  }

  /** Set the remaining times in ms, and the seat to move (null: none). @param {number[]} left @param {number | null} toMove */
  #time(left, toMove) {
    this.#clocks.set({ seats_ms: left, movers: toMove === null ? [] : [toMove], ticking: true, at_ms: performance.now() });
    for (const line of byId("seats").children) {
      const isNext = toMove !== null && line.getAttribute("data-seat") === String(toMove);
      line.classList.toggle("to-move", isNext);
      if (isNext) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }

  /** Return the name of a seat's pieces. @param {number} seat */
  #plays(seat) {
    return this.#games.get(this.match?.game ?? "")?.seat_names[seat] ?? String(seat);
  }
}

/**
 * Fetch the match as spectators see it; null if the server does not answer.
 * @param {string} id
 * @returns {Promise<MatchView | null>}
 */
export function fetchMatch(id) {
  return readJson(`matches/${encodeURIComponent(id)}`); // the connection shows its own trouble
}

/** Show the problem with the typed move; an empty text removes the problem. @param {string} text */
function complain(text) {
  showProblem(typed, byId("typed-error"), text);
}

/** Show each seat's piece beside its name. @param {import("../drawing.js").Drawing} drawing */
function showTokens(drawing) {
  for (const [seat, place] of byId("seats").querySelectorAll(".token").entries()) {
    const own = seatPiece(drawing, seat);
    if (own && !place.firstChild) place.append(own);
    place.toggleAttribute("hidden", !place.firstChild);
  }
}
