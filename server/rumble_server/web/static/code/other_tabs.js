// Keeps two tabs of a browser from playing with the same bot: each would take the connection from the other.

const PATIENCE_MS = 300;

export class OtherTabs {
  playing = false;
  #channel;

  /** @param {string} name the bot's, with its club */
  constructor(name) {
    this.#channel = new BroadcastChannel(`rumble.code ${name}`);
    this.#channel.onmessage = ({ data }) => {
      if (data === "who plays?" && this.playing) this.#channel.postMessage("this tab plays");
    };
  }

  /** Return whether another tab plays with the bot now. @returns {Promise<boolean>} */
  anyPlaying() {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), PATIENCE_MS);
      this.#channel.addEventListener("message", ({ data }) => {
        if (data !== "this tab plays") return;
        clearTimeout(timer);
        resolve(true);
      });
      this.#channel.postMessage("who plays?");
    });
  }
}
