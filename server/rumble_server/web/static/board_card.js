// The card of a slot: the bots, the board, the bot to move, absent bots, and the result.

import { DrawnBoard } from "./drawn_board.js";
import { setText } from "./elements.js";
import { setWho, shown as shownName, shownIn } from "./names.js";
import { root } from "./root.js";
import { moversText, placeText, seatText } from "./texts.js";

/**
 * @typedef {import("./feed").Board} Board
 * @typedef {import("./feed").MatchResult} MatchResult
 * @typedef {import("./slots.js").Slots["all"][number]} Slot
 */

/** Short texts for ends away from the board; the match's `reason` is too long for a small card. */
const HOW = /** @type {Record<string, string>} */ ({
  resignation: "by resignation",
  illegal_move: "by an illegal move",
  timeout: "on time",
  disconnect: "by forfeit: away",
  no_show: "by forfeit",
  flood: "by forfeit",
  crashed: "by a crash",
  adjudication: "by adjudication",
});

export class BoardCard {
  #article;
  #link;
  #seats;
  #drawn;
  #board;
  #stamp;
  #state;
  /** @type {Board | null} */ #shown = null;

  /** @param {HTMLElement} article as `parts/playing.html` makes it */
  constructor(article) {
    /** @param {string} selector @returns {HTMLElement} */
    const part = (selector) => /** @type {HTMLElement} */ (article.querySelector(selector));
    this.#article = article;
    this.#link = part("a");
    this.#seats = [...article.querySelectorAll(".seat")].map((row) => ({
      row,
      name: /** @type {Element} */ (row.querySelector(".name")),
      score: /** @type {Element} */ (row.querySelector(".score")),
    }));
    this.#drawn = part(".picture .drawn");
    this.#board = new DrawnBoard(this.#drawn);
    this.#stamp = part(".stamp");
    this.#state = part(".state");
  }

  /**
   * Show the content of a slot.
   * @param {Slot} slot @param {string} empty the text for an empty slot @param {number} now
   */
  show(slot, empty, now) {
    const { board, result } = slot;
    const match = result ?? board;
    this.#article.classList.toggle("empty", match === null);
    this.#article.classList.toggle("past", result !== null && slot.isFree(now));
    this.#showMatch(match?.match ?? "");
    const write = this.#seats.length > 2 ? placeText : seatText;
    this.#seats.forEach(({ row, name, score }, seat) => {
      setWho(name, match?.seats[seat] ?? "");
      row.toggleAttribute("hidden", match !== null && seat >= match.seats.length);
      const isAway = !result && Boolean(board?.away[seat]);
      setText(score, result?.scores && seat < result.seats.length ? write(result.scores, seat) : isAway ? "away" : "");
      row.classList.toggle("winner", result?.winner === seat);
      row.classList.toggle("mover", !result && Boolean(board?.movers.includes(seat)));
      row.classList.toggle("away", isAway);
    });
    if (board) this.#draw(board);
    this.#stamp.hidden = result === null;
    this.#state.title = shownIn(result?.reason ?? "");
    if (result) this.#showResult(result);
    else setText(this.#state, board ? stateText(board, now - slot.boardAt) : empty);
  }

  /** @param {string} match */
  #showMatch(match) {
    if (this.#article.dataset.match === match) return;
    this.#article.dataset.match = match;
    if (match) this.#link.setAttribute("href", `${root}/matches/${match}`);
    else this.#link.removeAttribute("href");
  }

  /** @param {Board} board */
  #draw(board) {
    if (board === this.#shown) return;
    this.#shown = board;
    if (board.drawing) this.#board.show(board.drawing, board.seats.map(shownName).join(" – "));
    else setText(/** @type {Element} */ (this.#drawn.firstElementChild), board.diagram);
  }

  /** @param {MatchResult} result */
  #showResult({ scores, winner, seats, termination, reason }) {
    const [who, verb] = this.#stamp.children;
    if (scores === null || winner === null) setText(who, scores === null ? "Void" : seats.length > 2 ? "First place is shared" : "Draw");
    else setWho(who, seats[winner]);
    setText(verb, scores === null || winner === null ? "" : "wins");
    setText(this.#state, scores === null ? "to be played again" : (HOW[termination] ?? shownIn(reason)));
  }
}

/**
 * Write the ply and the bot to move, or the absence of a bot, `later` ms after the board arrived.
 * @param {Board} board @param {number} later
 */
function stateText({ seats, movers, ply, away, at_ms: at }, later) {
  const gone = away.filter((each) => each !== null).sort((one, other) => one.until_at_ms - other.until_at_ms);
  if (!gone.length) return [`ply ${ply}`, moversText(seats.map(shownName), movers)].filter(Boolean).join(", ");
  const [{ since_at_ms: since, until_at_ms: until }] = gone;
  return `away for ${clock(at + later - since)}, waits until ${clock(until - since)}`;
}

/** Write a duration in ms as minutes and seconds. @param {number} ms */
function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
