// A worker with a bot's JavaScript, inside the sandbox: the page sends this script and the code there as one text.

(() => {
  const MOST_LINES = 200;
  const MOST_CHARACTERS = 16_384;
  const post = postMessage.bind(self);
  const above = Number("LINES ABOVE"); // the lines of this script, put in by the page
  /** @type {string[]} */
  let kept = [];
  let characters = 0;
  let more = 0;

  /** @param {unknown} value */
  const written = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? String(value));

  /** @param {unknown[]} values */
  function print(...values) {
    const lines = values.map(written).join(" ").split("\n");
    for (const line of lines) {
      characters += line.length + 1;
      if (more || kept.length === MOST_LINES || characters > MOST_CHARACTERS) more += 1;
      else kept.push(line);
    }
  }

  function taken() {
    const output = [...kept, ...(more ? [`and ${more.toLocaleString("en")} more`] : [])].map((line) => `${line}\n`).join("");
    [kept, characters, more] = [[], 0, 0];
    return output;
  }

  /** @param {object} answer */
  const tell = (answer) => post(JSON.stringify({ ...answer, output: taken() }));

  /** @param {any} error */
  function fault(error) {
    const lines = [...String(error?.stack ?? "").matchAll(/blob:[^\s)]*?:(\d+):\d+/g)].map((found) => Number(found[1]) - above);
    return { error: String(error), line: lines.find((line) => line > 0) ?? null };
  }

  for (const name of ["log", "info", "warn", "error", "debug"]) /** @type {any} */ (console)[name] = print;

  /** Called below the code. @param {((turn: object) => unknown) | null} choose */
  function loaded(choose) {
    onmessage = async ({ data }) => {
      try {
        const move = await choose?.(JSON.parse(data).turn);
        if (typeof move !== "string") throw new TypeError(`choose returned ${written(move)}, not the text of a move`);
        tell({ move });
      } catch (error) {
        tell(fault(error));
      }
    };
    tell(choose ? {} : { error: "the code has no function choose(turn)", line: null });
  }
  Object.assign(self, { rumbleLoaded: loaded });
})();
