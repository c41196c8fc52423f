// The matches in view, in slots that keep their places. Uses neither the page nor a clock; callers pass the time.

/**
 * @typedef {import("./feed").Board} Board
 * @typedef {import("./feed").MatchResult} MatchResult
 */

/** Time in ms for which a result stays in view, and minimum time for which a match stays in view. */
export const STAY_MS = 3000;

/** Name an attempt at a match. @param {{match: string, attempt: number}} one */
const keyOf = ({ match, attempt }) => `${match} ${attempt}`;

/** Return whether the match waits for a bot that is away. @param {Board} board */
const isWaiting = (board) => board.away.some(Boolean);

/** A place for a match: until its end, for `STAY_MS` after the end, and then until another match needs the place. */
class Slot {
  key = "";
  /** @type {Board | null} */ board = null;
  /** @type {MatchResult | null} */ result = null;
  /** The times in ms at which the match came into view, its board arrived, and it was over. */
  sinceAt = -Infinity;
  boardAt = -Infinity;
  overAt = -Infinity;

  /** Return whether another match may take the slot. @param {number} now */
  isFree(now) {
    return this.key === "" || (this.result !== null && now - this.overAt >= STAY_MS);
  }

  /** Return whether the match waits for a bot, so that a match that goes on may replace it. @param {number} now */
  yields(now) {
    return this.board !== null && !this.result && isWaiting(this.board) && now - Math.max(this.sinceAt, this.boardAt) >= STAY_MS;
  }

  /** @param {string} bot */
  shows(bot) {
    return Boolean((this.result ?? this.board)?.seats.includes(bot));
  }
}

/** The slots of a page, and the matches being played. Callers pass the time in ms. */
export class Slots {
  /** The bot whose matches have the first slot; empty without such a bot. */
  followed = "";
  /** @type {Slot[]} */ all = [];
  /** The boards of the matches being played, each with its time, by key, in the order of their starts. */
  /** @type {Map<string, {board: Board, at: number}>} */ running = new Map();

  /** Add a slot, with the match that the page shows in it. @param {string} match @param {number} attempt */
  add(match = "", attempt = 0) {
    const slot = new Slot();
    if (match) slot.key = keyOf({ match, attempt });
    this.all.push(slot);
  }

  /** Note that a match has begun or gone on. @param {Board} board @param {number} now */
  show(board, now) {
    const key = keyOf(board);
    this.running.set(key, { board, at: now });
    const slot = this.all.find((each) => each.key === key);
    if (slot && !slot.result) Object.assign(slot, { board, boardAt: now });
  }

  /** Note that a match is over. @param {MatchResult} result @param {number} now */
  end(result, now) {
    const key = keyOf(result);
    this.running.delete(key);
    const slot = this.all.find((each) => each.key === key);
    if (slot && !slot.result) Object.assign(slot, { result, overAt: now });
  }

  /**
   * Take over all matches being played. A match in view that is over keeps its slot if its result is among `results` and
   * its final board among `ended`; otherwise the slot becomes empty, so that no result stands on a wrong position.
   * @param {Board[]} boards @param {MatchResult[]} results @param {Board[]} ended @param {number} now
   */
  reset(boards, results, ended, now) {
    this.running = new Map();
    for (const board of [...ended, ...boards]) this.show(board, now);
    const last = new Set(ended.map(keyOf));
    for (const result of results) if (last.has(keyOf(result))) this.end(result, now);
    this.all = this.all.map((slot) => (slot.result || this.running.has(slot.key) ? slot : new Slot()));
  }

  /**
   * Give free slots to matches that are not in view. The slot that has been free for longest goes to the match that began
   * last, so that the match is seen from its start. Matches that wait for a bot come last, and give way. The matches of
   * the followed bot use only the first slot, one after the other, the oldest first.
   * @param {number} now
   */
  fill(now) {
    if (this.followed) this.#fillFirst(now);
    const slots = this.followed ? this.all.slice(1) : this.all;
    const seen = new Set(this.all.map((slot) => slot.key));
    const others = [...this.running].filter(([key, { board }]) => !seen.has(key) && !board.seats.includes(this.followed));
    const [waiting, live] = [true, false].map((waits) => others.filter(([, { board }]) => isWaiting(board) === waits));
    const free = slots.filter((slot) => slot.isFree(now)).sort((one, other) => one.overAt - other.overAt);
    const yielding = slots.filter((slot) => slot.yields(now));
    for (const [key] of live.reverse()) this.#put(free.shift() ?? yielding.shift(), key, now);
    for (const [key] of waiting.reverse()) this.#put(free.shift(), key, now);
  }

  /** Give the first slot to the oldest match of the followed bot. @param {number} now */
  #fillFirst(now) {
    const first = this.all[0];
    const isItsOwn = first.shows(this.followed);
    if (isItsOwn && !first.isFree(now)) return;
    const next = [...this.running].find(([, { board }]) => board.seats.includes(this.followed))?.[0];
    const place = this.all.findIndex((slot) => slot.key === next);
    if (place > 0) [this.all[0], this.all[place]] = [this.all[place], first];
    else if (next !== undefined) this.#put(first, next, now);
    else if (!isItsOwn) this.all[0] = new Slot();
  }

  /** @param {Slot | undefined} slot @param {string} key @param {number} now */
  #put(slot, key, now) {
    const found = this.running.get(key);
    if (slot && found) Object.assign(slot, { key, board: found.board, result: null, sinceAt: now, boardAt: found.at });
  }
}
