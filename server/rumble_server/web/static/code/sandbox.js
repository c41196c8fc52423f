// Workers for code in a frame that can reach nothing: neither the server, nor the page, nor what the browser keeps.

import { element } from "../elements.js";
import { root } from "../root.js";

/** @typedef {Record<string, any>} Message */
/** @typedef {"python" | "javascript"} Language */

/** Pattern of the word before the function of a file for Node; a classic script may not have it. */
const EXPORT = /^export\s+(?=(async|function|const|let|class)\b)/gm;
/** The fields of an answer that are texts if they are there. */
const TEXTS = ["error", "move", "output", "refused"];
/** What to look for where the line is not known, as in JavaScript. */
const ADVICE = "; perhaps a loop in it goes on for ever: look at each while and for";
const here = import.meta.url;
/** @param {string} name */
const script = async (name) => (await fetch(new URL(name, here))).text();

export class Sandbox {
  /** @type {Map<number, (message: Message) => void>} */
  #hears = new Map();
  #frame = element("iframe", { src: `${root}/code/frame`, sandbox: "allow-scripts", title: "Sandbox", hidden: "" });
  #newest = 0;
  /** @type {Promise<void>} */
  #ready;
  /** @type {Promise<void> | undefined} */
  #python;
  #files;

  /** @param {string | undefined} files the address of the files for Python, if the server has them */
  constructor(files) {
    this.#files = files;
    this.#ready = new Promise((resolve) => this.#hears.set(0, () => resolve()));
    addEventListener("message", ({ source, data }) => {
      if (source !== this.#frame.contentWindow || typeof data !== "string") return;
      const [, id, text] = data.match(/^(\d{1,9}) (.*)$/s) ?? [];
      const hear = this.#hears.get(Number(id));
      if (hear) hear(read(text));
    });
    document.body.append(this.#frame);
  }

  /** @param {object} message @param {Transferable[]} [given] */
  post(message, given = []) {
    this.#frame.contentWindow?.postMessage(message, "*", given);
  }

  /** Get the files for Python, once. Throws an Error if the server does not answer. */
  async loadPython() {
    const { readAll } = await import("./download.js");
    this.#python ??= this.#ready.then(() => readAll(String(this.#files))).then((files) => this.post({ files }, [files.wasm]));
    await this.#python.catch((error) => {
      this.#python = undefined;
      throw error;
    });
  }

  /**
   * Start a worker with JavaScript code, or with Python and no code yet. Resolves when the worker is ready or has failed.
   * @param {Language} language @param {string} [source] @param {number | null} [withinMs]
   * @returns {Promise<{worker: CodeWorker, message: Message}>}
   */
  async start(language, source = "", withinMs = null) {
    await this.#ready;
    const isPython = language === "python";
    let text = await script(`${language}_worker.js`);
    if (isPython) await this.loadPython();
    const above = text.split("\n").length - 1;
    if (!isPython) {
      const below = 'self.rumbleLoaded(typeof choose === "function" ? choose : null);';
      text = `${text.replace("LINES ABOVE", String(above))}${source.replace(EXPORT, "")}\n;${below}`;
    }
    this.#newest += 1;
    const id = this.#newest;
    const lines = source.split("\n").length;
    const worker = new CodeWorker((post) => this.post({ id, post }), () => this.#hears.delete(id));
    this.#hears.set(id, (message) => {
      if ("at" in message) message.line = Math.min(Math.max(1, message.at - above), lines);
      worker.heard(message);
    });
    const message = worker.next(withinMs);
    this.post({ id, script: text, isPython });
    return { worker, message: await message };
  }
}

/** @param {string} text @returns {Message} */
function read(text) {
  try {
    const message = JSON.parse(text);
    if (typeof message === "object" && message !== null && TEXTS.every((name) => typeof (message[name] ?? "") === "string")) return message;
  } catch {
    // the code sent this itself
  }
  return { error: "the code sent a text that is no answer", line: null };
}

export class CodeWorker {
  /** @type {((message: Message) => void) | null} */
  #answer = null;
  /** @type {number | null} */
  #endless = null;
  #post;
  #forget;
  ended = false;

  /** @param {(post: string | null) => void} post @param {() => void} forget */
  constructor(post, forget) {
    this.#post = post;
    this.#forget = forget;
  }

  /** @param {Message} message */
  heard(message) {
    if ("endless" in message) {
      this.#endless = Number(message.endless);
      return;
    }
    if (message.ended) this.end();
    this.#answer?.(message);
    this.#answer = null;
  }

  /**
   * Wait for the next answer. After `withinMs` (null: ever), the worker is ended, and the answer is an error.
   * @param {number | null} withinMs @returns {Promise<Message>}
   */
  next(withinMs) {
    this.#endless = null;
    return new Promise((resolve) => {
      const timer = withinMs === null ? undefined : setTimeout(() => this.stop(), withinMs);
      this.#answer = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
    });
  }

  /** @param {object} asked @param {number | null} withinMs */
  ask(asked, withinMs) {
    const message = this.next(withinMs);
    this.#post(JSON.stringify(asked));
    return message;
  }

  /** End the worker in the middle of an answer. */
  stop() {
    this.end();
    const error = this.#endless === null ? `the code did not end${ADVICE}` : "the code did not end";
    this.#answer?.({ error, line: this.#endless, ended: true });
    this.#answer = null;
  }

  end() {
    if (!this.ended) this.#post(null);
    this.ended = true;
    this.#forget();
  }
}
