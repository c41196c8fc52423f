// Workers that are ready before they are needed: Python takes a second or more to start.

/** @typedef {import("./sandbox.js").CodeWorker} CodeWorker */
/** @typedef {import("./sandbox.js").Language} Language */
/** @typedef {import("./sandbox.js").Sandbox} Sandbox */
/** @typedef {import("./sandbox.js").Told} Told */

const LOAD_MS = 5000;

export class Pool {
  /** A worker with Python and no code, which is ready or starts. @type {Promise<CodeWorker> | null} */
  #spare = null;
  #sandbox;

  /** @param {Sandbox} sandbox */
  constructor(sandbox) {
    this.#sandbox = sandbox;
  }

  /** Have a worker with Python ready for the next `python`. */
  warm() {
    if (this.#spare) return;
    const spare = this.#sandbox.start("python").then(({ worker, told }) => {
      if (told.error) throw new Error(told.error);
      return worker;
    });
    spare.catch(() => (this.#spare = null));
    this.#spare = spare;
  }

  /** Take a worker with Python. Throws an Error if Python cannot be loaded. @returns {Promise<CodeWorker>} */
  async python() {
    this.warm();
    const taken = /** @type {Promise<CodeWorker>} */ (this.#spare);
    this.#spare = null;
    return taken;
  }

  /**
   * Load code as a match would. Resolves with the error or what the code printed, when the next `code` is quick.
   * @param {Language} language @param {string} source @returns {Promise<Told>}
   */
  async check(language, source) {
    const { worker, told } = await this.code(language, source);
    if (language === "python") this.put(worker);
    else worker.end();
    return told;
  }

  /** Give a worker with Python back. @param {CodeWorker} worker */
  put(worker) {
    if (worker.ended) return;
    if (this.#spare) worker.end();
    else this.#spare = Promise.resolve(worker);
  }

  /**
   * Start a worker with a bot's code. `told` has the error if the code cannot be loaded, and what the code printed.
   * @param {Language} language @param {string} source
   * @returns {Promise<{worker: CodeWorker, told: Told}>}
   */
  async code(language, source) {
    if (language === "javascript") return this.#sandbox.start(language, source, LOAD_MS);
    const worker = await this.python();
    return { worker, told: await worker.ask({ do: "load", source }, LOAD_MS) };
  }
}
