// The files that Python needs, from the server.

/** @param {string} address @returns {Promise<ArrayBuffer>} */
async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.arrayBuffer();
}

/** @param {string} folder the address of the folder of files */
export async function readAll(folder) {
  const names = ["pyodide.asm.js", "pyodide.js", "pyodide.asm.wasm", "python_stdlib.zip", "engine.zip", "lock.json"];
  const [asm, loader, wasm, stdlib, engine, lock] = await Promise.all(names.map((name) => read(`${folder}/${name}`)));
  return { scripts: [asm, loader], wasm, stdlib, engine, lock: new TextDecoder().decode(lock) };
}
