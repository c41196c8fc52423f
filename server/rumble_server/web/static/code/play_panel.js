// The part of the page in which the saved versions play: the state, the matches, and what failed.

import { OtherTabs } from "./other_tabs.js";
import { Player } from "./player.js";
import { Versions } from "./versions.js";
import { readJson } from "../coming_again.js";
import { byId, element } from "../elements.js";
import { identity } from "../identity.js";
import { learn, setWho, shownIn, who } from "../names.js";
import { keep, kept, keptAs, root } from "../root.js";

/** @typedef {import("../identity.js").Identity} Identity */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./pool.js").Pool} Pool */
/** @typedef {import("./sandbox.js").Message} Message */

const KEPT_AS = keptAs("rumble.code.plays");
const REFUSED = "the server refused the connection";
const LOST = new Map([
  [4001, "Your bot now plays in another tab or on another computer."],
  [4003, "The key of this browser does not fit the name any more: ask for a new slip."],
  [4004, "This club was removed."],
]);

class PlayPanel {
  #button = /** @type {HTMLButtonElement} */ (byId("play-version"));
  /** The seats of the open matches. @type {Map<string, Message>} */ #matches = new Map();
  /** The bots whose display names were asked for. @type {Set<string>} */ #asked = new Set();
  #number = 0;
  #draft;
  #identity;
  #pool;
  #versions;
  #tabs;
  #player;
  #tournament;

  /** @param {Draft} draft @param {Pool} pool @param {Identity} who @param {string} tournament */
  constructor(draft, pool, who, tournament) {
    this.#draft = draft;
    this.#identity = who;
    this.#pool = pool;
    this.#tournament = tournament;
    this.#versions = new Versions(who);
    this.#tabs = new OtherTabs(root + who.name);
    this.#player = new Player(pool, (number) => this.#versions.get(number), (message) => this.#onMessage(message));
    this.#button.addEventListener("click", () => this.#save());
    // Not before, since the version of before a reload could replace a newer one.
    this.#goOn().finally(() => (this.#button.disabled = false));
  }

  /** Play on after a reload of the page, unless another tab plays. */
  async #goOn() {
    const others = await this.#tabs.anyPlaying();
    if (others) return this.#say("Your bot plays in another tab. “Play this version” plays here instead.", "warn");
    const plays = JSON.parse(kept(KEPT_AS) ?? "null");
    if (plays?.name === this.#identity.name && plays.tournament === this.#tournament) await this.#again(plays.number);
  }

  async #save() {
    this.#button.disabled = true;
    this.#say("Saving…", "");
    const { language, source } = this.#draft;
    try {
      const { error, line } = await this.#pool.check(language, source);
      if (typeof line === "number") this.#draft.line(line);
      if (error) throw new Error(typeof line === "number" ? `line ${line}: ${error}` : error);
      this.#play(await this.#versions.save({ language, source }));
    } catch (error) {
      this.#say(`Not saved: ${/** @type {Error} */ (error).message}.`, "bad");
    }
    this.#button.disabled = false;
  }

  /** Play a saved version again. @param {number} number */
  async #again(number) {
    this.#say(`Version ${number} gets ready…`, "");
    try {
      const { language, source } = await this.#versions.get(number);
      await this.#pool.check(language, source);
      this.#play(number);
    } catch (error) {
      this.#say(`Version ${number} does not play: ${/** @type {Error} */ (error).message}.`, "bad");
    }
  }

  /** @param {number} number */
  #play(number) {
    this.#number = number;
    this.#tabs.playing = true;
    this.#keep();
    this.#player.play({ ...this.#identity, tournament: this.#tournament, game: this.#draft.game, number });
    this.#say(`Version ${number} is saved and plays from the next match on.`, "good");
  }

  /** Keep the name, the tournament and the version that play, for a reload of the page. */
  #keep() {
    const plays = { name: this.#identity.name, tournament: this.#tournament, number: this.#number };
    keep(KEPT_AS, JSON.stringify(plays));
  }

  /** Play on in the host's next tournament. The page stays, since a reload would take the bot away for a while. @param {string} tournament */
  #moveTo(tournament) {
    this.#tournament = tournament;
    this.#keep();
    const id = encodeURIComponent(tournament);
    history.replaceState(null, "", `${root}/code?tournament=${id}`);
    byId("bot-title").textContent = `Your bot for ${tournament}`;
    byId("standings").setAttribute("href", `${root}/tournaments/${id}`);
    this.#say(`Version ${this.#number} plays in the next tournament: ${tournament}.`, "good");
  }

  /** @param {string} text @param {string} look */
  #say(text, look) {
    byId("play-state").textContent = text;
    byId("play-state").className = `notice ${look}`;
  }

  /** @param {string} text @param {string} [look] */
  #ends(text, look = "bad") {
    this.#tabs.playing = false;
    keep(KEPT_AS, null);
    this.#say(text, look);
  }

  /** @param {Message} message */
  #onMessage(message) {
    if (message.frame) this.#received(message.frame);
    else if (message.failed) this.#fault(message.match, message.failed);
    else if ("printed" in message) byId("play-output").textContent = message.printed || "Nothing printed at the last turn.";
    else if (message.again) this.#say("The connection to the server is lost. Trying again…", "warn");
    else this.#ends(LOST.get(message.lost) ?? `Your bot does not play: ${REFUSED} (${message.lost}).`);
  }

  /** @param {Message} frame */
  #received(frame) {
    switch (frame.type) {
      case "session":
        return this.#say(`Version ${this.#number} plays. Keep this page open; it may be in the background.`, "good");
      case "joined":
        if (frame.tournament !== this.#tournament) this.#moveTo(frame.tournament);
        return;
      case "match_start":
        this.#matches.set(frame.match, frame);
        this.#line(frame.match).replaceChildren(...this.#words(frame, "now"));
        return void this.#learn(frame.seats);
      case "match_over": {
        const start = this.#matches.get(frame.match);
        if (!start) return;
        const how = frame.scores === null ? "void" : frame.winner === null ? "drawn" : frame.winner === start.seat ? "won" : "lost";
        const line = this.#line(frame.match);
        const why = line.querySelector(".bad")?.textContent;
        line.replaceChildren(...this.#words(start, `${how}: ${shownIn(frame.reason || frame.termination)}`));
        if (why) this.#fault(frame.match, why);
        this.#matches.delete(frame.match);
        return;
      }
      case "tournament_over":
        return this.#ends(`The tournament is over: rank ${frame.rank} of ${frame.bots}.`, "good");
      case "notice":
        return this.#say(`${shownIn(frame.message)}.`, frame.code === "waiting" ? "good" : "warn");
      case "error":
        this.#ends(`Your bot does not play: ${shownIn(frame.message)}.`);
    }
  }

  /** @param {Message} start @param {string} how */
  #words(start, how) {
    const others = start.seats.filter((/** @type {string} */ _, /** @type {number} */ seat) => seat !== start.seat);
    const names = others.flatMap((/** @type {string} */ name, /** @type {number} */ index) => {
      return [index ? ", " : "", element("span", { "data-bot": name }, who(name))];
    });
    const href = `${root}/matches/${encodeURIComponent(start.match)}`;
    return [element("a", { href }, "against ", ...names), ` ${how}`];
  }

  /** Show the display names of bots that play here for the first time. @param {string[]} names */
  async #learn(names) {
    if (names.every((name) => this.#asked.has(name))) return;
    for (const name of names) this.#asked.add(name);
    const view = await readJson(`tournaments/${encodeURIComponent(this.#tournament)}`);
    learn(view?.entrants ?? []); // without an answer the names of the bots are shown
    for (const bot of byId("own-matches").querySelectorAll("[data-bot]")) setWho(bot, bot.getAttribute("data-bot") ?? "");
  }

  /** Return the line of a match in the list. @param {string} match */
  #line(match) {
    const found = document.querySelector(`[data-match="${CSS.escape(match)}"]`);
    if (found) return found;
    byId("no-matches").hidden = true;
    const made = element("li", { "data-match": match });
    byId("own-matches").prepend(made);
    return made;
  }

  /** @param {string} match @param {string} reason */
  #fault(match, reason) {
    this.#line(match).append(element("span", { class: "bad" }, reason));
  }
}

/** @param {Draft} draft @param {Pool} pool */
export function openPlayPanel(draft, pool) {
  const { tournament } = byId("code-page").dataset;
  const who = identity();
  if (tournament && who) new PlayPanel(draft, pool, who, tournament);
}
