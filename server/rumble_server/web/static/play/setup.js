// The form of a challenge: the game, the opponent, and the person's name.

import { NAME_ERRORS } from "./texts.js";
import { REPLACED, SOON_MS } from "../coming_again.js";
import { byId, element, onSubmit, showProblem, showText } from "../elements.js";
import { identity, keep, newKey, newName } from "../identity.js";
import { isName, learn, who } from "../names.js";
import { root } from "../root.js";

/** @typedef {import("./frames.js").Challenge} Challenge */
/** @typedef {import("./frames.js").Opponent} Opponent */
/** @typedef {import("./frames.js").Settings} Settings */
/** @typedef {import("../identity.js").Identity} Identity */

const REFRESH_MS = 5000;

const form = /** @type {HTMLFormElement} */ (byId("setup"));
const part = byId("setup-part");
const list = byId("opponents");
const message = byId("message");
const progress = byId("progress");
const nameError = byId("name-error");
/** Hidden from pupils, whose names their hosts have given. */
const nameField = byId("name-field");
const game = /** @type {HTMLSelectElement} */ (byId("game"));
const clock = /** @type {HTMLSelectElement} */ (byId("clock"));
const name = /** @type {HTMLInputElement} */ (byId("name"));
const start = /** @type {HTMLButtonElement} */ (byId("start"));
const cancel = byId("cancel");
const line = /** @type {HTMLTemplateElement} */ (byId("opponent-line"));

/** Return the chosen value of radio buttons. @param {string} field */
function chosen(field) {
  const value = new FormData(form).get(field);
  return typeof value === "string" ? value : null;
}

/** Return the controls of the chosen game's settings. */
function settingControls() {
  /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */
  const found = form.querySelectorAll(`[data-game="${CSS.escape(game.value)}"] [data-setting]`);
  return [...found];
}

/** @param {HTMLInputElement | HTMLSelectElement} control */
function settingValue(control) {
  if (control.dataset.kind === "integer") return Number(control.value);
  return control.dataset.kind === "boolean" ? control.value === "true" : control.value;
}

export class Setup {
  /** @type {Identity} */
  guest = identity() ?? keep({ name: newName(), key: newKey(), display: null });
  /** @type {Opponent[] | null} */
  #opponents = null;
  #shown = "";
  /** @type {number | undefined} */
  #timer;

  /**
   * @param {object} on
   * @param {(challenge: Challenge) => void} on.start
   * @param {() => void} on.cancel
   */
  constructor(on) {
    name.value = this.guest.name;
    nameField.hidden = this.guest.display !== null;
    if (this.guest.display !== null) learn([{ name: this.guest.name, display_name: this.guest.display }]);
    start.disabled = false;
    onSubmit("setup", () => {
      if (start.disabled) return;
      const challenge = this.#read();
      if (challenge) on.start(challenge);
    });
    cancel.addEventListener("click", () => on.cancel());
    game.addEventListener("change", () => this.#gameChanged());
    name.addEventListener("input", () => showProblem(name, nameError, ""));
    document.addEventListener("visibilitychange", () => this.refresh());
    this.#gameChanged();
    this.refresh();
  }

  /** @param {boolean} shown */
  show(shown) {
    part.hidden = !shown;
    if (shown) this.refresh();
  }

  /** Show the text of a wait, with a button to cancel. @param {string} text */
  busy(text) {
    this.problem("");
    progress.textContent = text;
    start.disabled = true;
    cancel.hidden = false;
  }

  /** Let the form be sent again. */
  idle() {
    progress.textContent = "";
    start.disabled = false;
    cancel.hidden = true;
  }

  /** Show a problem. @param {string} text an empty text hides the problem @param {string} [code] of an error */
  problem(text, code = "") {
    const aboutName = NAME_ERRORS.has(code) && !nameField.hidden;
    showProblem(name, nameError, aboutName ? text : "");
    showText(message, aboutName ? "" : text);
    if (!text) return;
    this.idle();
    if (aboutName) return name.focus();
    message.scrollIntoView({ block: "nearest" });
    if (code === "unknown_bot") this.refresh();
  }

  /** Fetch the opponents that take challenges now, unless the form is hidden, and set the time of the next fetch. */
  async refresh() {
    const isSeen = !part.hidden && !document.hidden;
    // While the server is away, the list stays, and the start of a match will show the error.
    const answer = isSeen ? await fetch(`${root}/api/opponents`).catch(() => null) : null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), answer && REPLACED.has(answer.status) ? SOON_MS : REFRESH_MS);
    const found = answer?.ok ? await answer.json().catch(() => null) : null;
    if (found === null) return;
    this.#opponents = found.opponents;
    this.#showOpponents();
  }

  #gameChanged() {
    for (const settings of form.querySelectorAll("details.settings")) {
      if (settings instanceof HTMLElement) settings.hidden = settings.dataset.game !== game.value;
    }
    this.#showOpponents();
  }

  #showOpponents() {
    if (this.#opponents === null) return;
    learn(this.#opponents);
    const playing = this.#opponents.filter((each) => each.games.includes(game.value));
    const now = JSON.stringify(playing);
    if (now === this.#shown) return;
    this.#shown = now;
    const before = chosen("against");
    const house = playing.filter((each) => each.house !== null);
    const pick = playing.find((each) => each.name === before) ?? house.at(-1) ?? playing[0];
    const focused = document.activeElement;
    const hadFocus = focused instanceof HTMLInputElement && focused.name === "against";
    list.replaceChildren(...playing.map((each) => opponentLine(each, each === pick)));
    byId("nobody").hidden = playing.length > 0;
    if (hadFocus) /** @type {HTMLElement | null} */ (list.querySelector("input:checked"))?.focus();
  }

  /** @returns {Challenge | null} */
  #read() {
    const against = chosen("against");
    if (against === null) {
      this.problem("There is nobody to play against at the moment.");
      return null;
    }
    const wrong = settingControls().find((control) => !control.checkValidity());
    if (wrong) {
      wrong.closest("details")?.setAttribute("open", "");
      wrong.reportValidity();
      return null;
    }
    if (!this.#readName()) return null;
    const controls = settingControls();
    const seat = chosen("seat");
    const { moveMs, bankMs, incrementMs } = clock.selectedOptions[0]?.dataset ?? {};
    /** @type {Challenge} */
    const challenge = {
      type: "challenge",
      against,
      game: game.value,
      settings: Object.fromEntries(controls.map((each) => [each.dataset.setting ?? "", settingValue(each)])),
      time_control: { move_ms: Number(moveMs), bank_ms: Number(bankMs), increment_ms: Number(incrementMs) },
    };
    if (seat !== null && seat !== "lot") challenge.seat = Number(seat);
    this.#keepInAddress(against, seat, controls);
    return challenge;
  }

  #readName() {
    const given = name.value.trim() || newName();
    name.value = given;
    if (!isName(given)) {
      this.problem("A name has 1 to 32 letters, digits, “_”, “.” and “-”, and begins with a letter or digit.", "bad_name");
      return false;
    }
    if (this.#opponents?.some((each) => each.name.toLowerCase() === given.toLowerCase())) {
      this.problem(`${given} is the name of a bot here. Choose another.`, "bad_name");
      return false;
    }
    if (this.guest.name !== given) this.guest = keep({ ...this.guest, name: given });
    return true;
  }

  /**
   * Put the choices into the page's address, so that a reload makes the same choices.
   * @param {string} against
   * @param {string | null} seat
   * @param {(HTMLInputElement | HTMLSelectElement)[]} controls
   */
  #keepInAddress(against, seat, controls) {
    const query = new URLSearchParams({ game: game.value, against, seat: seat ?? "lot", clock: clock.value });
    for (const control of controls) {
      if (control.value !== control.dataset.default) query.set(control.name, control.value);
    }
    history.replaceState(null, "", `?${query}`);
  }
}

/**
 * @param {Opponent} opponent
 * @param {boolean} picked
 */
function opponentLine(opponent, picked) {
  const made = document.importNode(line.content, true).querySelector("li") ?? element("li");
  const radio = made.querySelector("input");
  if (radio) {
    radio.value = opponent.name;
    radio.checked = picked;
  }
  /** @param {string} selector @param {(found: HTMLElement) => void} change */
  const change = (selector, change) => made.querySelectorAll(selector).forEach((each) => each instanceof HTMLElement && change(each));
  change(".opponent-name", (each) => each.replaceChildren(who(opponent.name)));
  change(".opponent-about", (each) => (each.textContent = opponent.about));
  change("[data-badge=house]", (each) => (each.hidden = opponent.house === null));
  change("[data-badge=busy]", (each) => (each.hidden = opponent.free));
  return made;
}
