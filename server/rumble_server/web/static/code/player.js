// Plays the saved versions: passes turns from the connection to the sandbox, and moves back.

import { root } from "../root.js";

/** @typedef {import("./link.js").Terms} Terms */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./sandbox.js").CodeWorker} CodeWorker */
/** @typedef {import("./sandbox.js").Message} Message */
/** @typedef {import("./versions.js").Version} Version */

export class Player {
  #link = new Worker(new URL("link.js", import.meta.url), { type: "module", name: root });
  /** @type {{number: number, worker: CodeWorker, message: Message} | null} */ #loaded = null;
  #turns = Promise.resolve();
  #pool;
  #tell;
  #version;

  /**
   * @param {Pool} pool
   * @param {(number: number) => Promise<Version>} version gets a saved version
   * @param {(message: Message) => void} tell is called with messages of the server, failures, and what the code printed
   */
  constructor(pool, version, tell) {
    this.#pool = pool;
    this.#version = version;
    this.#tell = tell;
    this.#link.onmessage = ({ data }) => {
      if (data.ask) this.#turns = this.#turns.then(() => this.#answer(data.ask, data.number));
      else if (data.kill) this.#loaded?.worker.stop();
      else tell(data);
    };
  }

  /** Play a tournament, or go on in it with another version. @param {Terms} terms */
  play(terms) {
    this.#link.postMessage({ play: terms });
  }

  /** @param {Message} turn @param {number} number */
  async #answer(turn, number) {
    const answer = await this.#move(turn, number).catch((error) => ({ error: String(error), line: null, output: "" }));
    this.#link.postMessage({ answer, id: turn.turn_id });
    if (answer.output || answer.error) this.#tell({ printed: answer.output ?? "", match: turn.match, ply: turn.ply });
  }

  /** @param {Message} turn @param {number} number @returns {Promise<Message>} */
  async #move(turn, number) {
    const { worker, message } = await this.#worker(number);
    return message.error ? message : worker.ask({ do: "turn", turn }, null);
  }

  /** Return the worker that has this version of the code. @param {number} number */
  async #worker(number) {
    if (this.#loaded?.number === number && !this.#loaded.worker.ended) return this.#loaded;
    const { language, source } = await this.#version(number);
    this.#loaded?.worker.end();
    const loaded = { number, ...(await this.#pool.code(language, source)) };
    if (language === "python") this.#pool.warm().catch(() => null); // each use tells the error; an endless loop then costs one match
    this.#loaded = loaded;
    return loaded;
  }
}
