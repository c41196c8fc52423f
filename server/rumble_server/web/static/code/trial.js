// A match of a draft against a reference bot, played and refereed in the sandbox.

/** @typedef {import("../drawing.js").Drawing} Drawing */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./sandbox.js").CodeWorker} CodeWorker */
/** @typedef {import("./sandbox.js").Language} Language */
/** @typedef {import("./sandbox.js").Message} Message */

/** @typedef {{seat: number | null, text: string, drawing: Drawing | null, diagram: string, output: string}} Ply */
/** @typedef {{language: Language, source: string, game: string, settings: object, seat: number, bot: string}} Terms */
/**
 * @typedef {object} End
 * @property {string} text
 * @property {boolean} good
 * @property {number | null} line the line of the code that failed
 * @property {string} output
 */

const TURN_MS = 3000;
const LATE_MS = 1000; // after TURN_MS, where the code does not end by itself
const REFEREE_MS = 60_000;

export class Trial {
  /** @type {CodeWorker | null} */ #code = null;
  #pool;

  /** @param {Pool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /**
   * Play a match, and call `shown` with each ply. Throws an Error if Python cannot be loaded.
   * @param {Terms} terms @param {(ply: Ply) => void} shown
   * @returns {Promise<End>}
   */
  async play({ language, source, game, settings, seat, bot }, shown) {
    const referee = await this.#pool.referee();
    try {
      const { worker, message } = await this.#pool.code(language, source);
      this.#code = worker;
      if (message.error) return failed(message);
      return await match(worker, referee, { do: "start", game, settings, seat, bot }, message.output ?? "", shown);
    } finally {
      if (this.#code && language === "python") this.#pool.put(this.#code);
      else this.#code?.end();
      this.#code = null;
    }
  }

  /** End the match at once. */
  stop() {
    this.#code?.stop();
  }
}

/**
 * @param {CodeWorker} code @param {CodeWorker} referee @param {{seat: number} & Record<string, unknown>} start
 * @param {string} output @param {(ply: Ply) => void} shown
 * @returns {Promise<End>}
 */
async function match(code, referee, start, output, shown) {
  let message = await referee.ask(start, REFEREE_MS);
  for (;;) {
    if (message.refused ?? message.error) return { text: `The referee: ${message.refused ?? message.error}`, good: false, line: null, output };
    for (const ply of message.plies) {
      shown({ ...ply, output });
      output = "";
    }
    if (message.over) return over(message.over, start.seat);
    const answer = await code.ask({ do: "turn", turn: message.turn, within_ms: TURN_MS }, TURN_MS + LATE_MS);
    output = String(answer.output ?? "");
    if (answer.error) return failed(answer);
    message = await referee.ask({ do: "move", move: String(answer.move) }, REFEREE_MS);
  }
}

/** @param {{scores: number[], reason: string}} outcome @param {number} seat @returns {End} */
function over({ scores, reason }, seat) {
  const best = Math.max(...scores);
  const first = scores.filter((score) => score === best).length === 1;
  const text = scores[seat] < best ? "Your bot lost" : first ? "Your bot won" : "Draw";
  return { text: `${text}: ${reason}.`, good: scores[seat] === best, line: null, output: "" };
}

/** @param {Message} message @returns {End} */
function failed({ error, line, output }) {
  const where = typeof line === "number" ? `Line ${line}: ` : "";
  return { text: `${where}${error}.`, good: false, line: line ?? null, output: String(output ?? "") };
}
