// The script of the sandbox: starts and ends workers for the page, and passes texts on. The frame's page contains the script.

(() => {
  const MOST_CHARACTERS = 2 ** 18; // of a message of a worker
  const MOST_MESSAGES = 50; // of a worker between two messages to it
  /** @type {Map<number, {worker: Worker, messages: number}>} */
  const workers = new Map();
  /** The files with which each worker with Python begins; compiled once. @type {Promise<object> | undefined} */
  let python;

  /** @param {number} id @param {string} text */
  const tell = (id, text) => parent.postMessage(`${id} ${text}`, "*");

  /** @param {number} id */
  function end(id) {
    workers.get(id)?.worker.terminate();
    workers.delete(id);
  }

  /** @param {number} id @param {string} script @param {boolean} isPython */
  function start(id, script, isPython) {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(address);
    const started = { worker, messages: 0 };
    workers.set(id, started);
    const heard = (/** @type {unknown} */ text) => {
      if (workers.get(id) !== started) return;
      started.messages += 1;
      if (started.messages <= MOST_MESSAGES && typeof text === "string" && text.length <= MOST_CHARACTERS) return tell(id, text);
      end(id);
      tell(id, JSON.stringify({ error: "the code sent too much", ended: true }));
    };
    worker.onmessage = ({ data }) => heard(data);
    worker.onerror = (event) => {
      event.preventDefault();
      heard(JSON.stringify({ error: event.message, at: event.lineno }));
    };
    if (isPython) python?.then((files) => worker.postMessage(files));
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    const { id, files, script, isPython, post } = data;
    const asked = workers.get(id);
    if (files) python = WebAssembly.compile(files.wasm).then((wasm) => ({ ...files, wasm }));
    else if (script) start(id, script, isPython);
    else if (!post) end(id);
    else if (asked) {
      asked.messages = 0;
      asked.worker.postMessage(post);
    }
  });
  tell(0, "{}");
})();
