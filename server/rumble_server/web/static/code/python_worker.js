// A worker with Python, inside the sandbox; the page sends the script to the frame as text. The first message has the files.

const HERE = "http://files.invalid"; // never asked: `fetch` below answers

(() => {
  const scope = /** @type {any} */ (self);
  const post = postMessage.bind(self);
  /** @type {{handle: (text: string) => Promise<string>} | undefined} */
  let worker;

  /** @param {{scripts: string[], wasm: WebAssembly.Module, stdlib: ArrayBuffer, engine: ArrayBuffer, lock: string}} files */
  async function start({ scripts, wasm, stdlib, engine, lock }) {
    // Pyodide fetches its files. The policy of the sandbox refuses each fetch, so it gets the posted bytes instead.
    const { fetch } = scope;
    scope.fetch = async () => new Response(stdlib);
    WebAssembly.instantiateStreaming = async (_, imports) => {
      return { module: wasm, instance: await WebAssembly.instantiate(wasm, imports) };
    };
    for (const script of scripts) scope.importScripts(URL.createObjectURL(new Blob([script])));
    const python = await scope.loadPyodide({ indexURL: `${HERE}/`, stdLibURL: `${HERE}/python_stdlib.zip`, lockFileContents: lock });
    scope.fetch = fetch;
    python.unpackArchive(engine, "zip");
    worker = python.pyimport("rumble_worker").Worker((/** @type {string} */ text) => post(text));
  }

  let asked = Promise.resolve();
  onmessage = ({ data }) => {
    asked = asked.then(async () => {
      if (worker) return post(await worker.handle(data));
      await start(data).then(() => post("{}"), (error) => post(JSON.stringify({ error: String(error), line: null })));
    });
  };
})();
