// Workers made ready in advance, because Python takes a second or more to start.

/** @typedef {import("./sandbox.js").CodeWorker} CodeWorker */
/** @typedef {import("./sandbox.js").Language} Language */
/** @typedef {import("./sandbox.js").Sandbox} Sandbox */
/** @typedef {import("./sandbox.js").Message} Message */

const LOAD_MS = 5000;
const MOST_SPARES = 2; // one for the next turn, and one for the turn after an endless loop

export class Pool {
  /** Workers with Python and no code, which are ready or start. @type {Promise<CodeWorker>[]} */
  #spares = [];
  /** The worker that referees trials. It never has a bot's code, which could forge what the page draws. @type {Promise<CodeWorker> | null} */
  #referee = null;
  #sandbox;

  /** @param {Sandbox} sandbox */
  constructor(sandbox) {
    this.#sandbox = sandbox;
  }

  /** Start workers with Python until `count` wait, and resolve when they are ready. Throws an Error if they fail. */
  async warm(count = 1) {
    while (this.#spares.length < count) {
      const spare = this.#start();
      this.#spares.push(spare);
      spare.catch(() => (this.#spares = this.#spares.filter((each) => each !== spare)));
    }
    await Promise.all(this.#spares);
  }

  /** Return the referee of trials. Throws an Error if Python cannot be loaded. @returns {Promise<CodeWorker>} */
  async referee() {
    this.#referee ??= this.#start();
    const worker = await this.#referee.catch((error) => {
      this.#referee = null;
      throw error;
    });
    if (!worker.ended) return worker;
    this.#referee = null;
    return this.referee();
  }

  /** Give a worker with Python back. @param {CodeWorker} worker */
  put(worker) {
    if (worker.ended) return;
    if (this.#spares.length >= MOST_SPARES) worker.end();
    else this.#spares.unshift(Promise.resolve(worker));
  }

  async #start() {
    const { worker, message } = await this.#sandbox.start("python");
    if (message.error) throw new Error(message.error);
    return worker;
  }

  /**
   * Start a worker with a bot's code. `message` has the error if the code cannot be loaded, and what the code printed.
   * Throws an Error if Python cannot be loaded.
   * @param {Language} language @param {string} source
   * @returns {Promise<{worker: CodeWorker, message: Message}>}
   */
  async code(language, source) {
    if (language === "javascript") return this.#sandbox.start(language, source, LOAD_MS);
    const worker = await (this.#spares.shift() ?? this.#start());
    return { worker, message: await worker.ask({ do: "load", source }, LOAD_MS) };
  }

  /**
   * Load code as a match would, and have workers ready for its turns. Resolves with the error, or what the code printed.
   * @param {Language} language @param {string} source @returns {Promise<Message>}
   */
  async check(language, source) {
    const { worker, message } = await this.code(language, source);
    if (language === "javascript") worker.end();
    else {
      this.put(worker);
      await this.warm(MOST_SPARES);
    }
    return message;
  }
}
