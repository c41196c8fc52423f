// @ts-check
// The controls of a replay: buttons, slider, speed, keys, and the links of moves and bars.

import { byId } from "./elements.js";
import { plyOf } from "./think_chart.js";

/** @typedef {import("./replay.js").Replay} Replay */

/** @type {Record<string, string>} */
const STEPS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
/** @type {Record<string, string>} */
const LINKS = { n: "next", p: "prev" };

/** The controls on the page of a match. */
export class ReplayControls {
  #slider = /** @type {HTMLInputElement} */ (byId("slider"));
  #speed = /** @type {HTMLSelectElement} */ (byId("speed"));
  #play = byId("play");
  #flip = byId("flip");

  /** @param {Replay} replay */
  constructor(replay) {
    this.replay = replay;
    this.#slider.hidden = this.#play.hidden = this.#speed.hidden = byId("keys").hidden = false;
    this.#slider.addEventListener("input", () => {
      replay.pause();
      const ply = Number(this.#slider.value);
      replay.go(ply, ply === replay.plies);
    });
    this.#speed.addEventListener("change", () => replay.setSpeed(Number(this.#speed.value)));
    this.#play.addEventListener("click", () => replay.toggle());
    this.#flip.addEventListener("click", () => this.#turn());
    document.querySelector(".replay")?.addEventListener("click", (event) => {
      const link = /** @type {Element} */ (event.target).closest("[data-go]");
      if (!(link instanceof HTMLElement) || isElsewhere(event)) return;
      event.preventDefault();
      this.#step(link.dataset.go);
    });
    byId("moves").addEventListener("click", (event) => {
      const link = /** @type {Element} */ (event.target).closest("a");
      if (link) this.#jump(event, Number(new URL(link.href).searchParams.get("ply")));
    });
    byId("bars").addEventListener("click", (event) => {
      const ply = plyOf(event);
      if (ply) this.#jump(event, ply);
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show the ply in slider and buttons. */
  show() {
    const { ply, plies, follows, over } = this.replay;
    this.#slider.max = String(plies);
    this.#slider.value = String(ply);
    this.#flip.hidden = !this.replay.hasSides;
    byId("ply").textContent = `ply ${ply} of ${plies}${follows && !over ? ", live" : ""}`;
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".replay [data-go]"))) {
      const back = link.dataset.go === "first" || link.dataset.go === "back";
      link.toggleAttribute("aria-disabled", ply === (back ? 0 : plies));
      if (link.hasAttribute("aria-disabled")) link.setAttribute("aria-disabled", "true");
      if (link.dataset.go === "back") link.setAttribute("href", `${location.pathname}?ply=${Math.max(0, ply - 1)}`);
      if (link.dataset.go === "on") link.setAttribute("href", `${location.pathname}?ply=${Math.min(plies, ply + 1)}`);
    }
  }

  /** @param {string | undefined} where */
  #step(where) {
    const { replay } = this;
    replay.pause();
    if (where === "first") replay.go(0);
    else if (where === "back") replay.go(replay.ply - 1);
    else if (where === "on") replay.go(replay.ply + 1);
    else replay.go(replay.plies, true);
  }

  /** @param {Event} event @param {number} ply */
  #jump(event, ply) {
    if (isElsewhere(event)) return;
    event.preventDefault();
    this.replay.pause();
    this.replay.go(ply);
  }

  #turn() {
    if (!this.replay.hasSides) return;
    this.replay.flip();
    const turned = byId("position").classList.toggle("turned");
    this.#flip.setAttribute("aria-pressed", String(turned));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const on = /** @type {Element} */ (event.target);
    const busy = on.closest("input, select, textarea") || (event.key === " " && on.closest("a, button, summary"));
    if (busy || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const link = document.querySelector(`a[rel="${LINKS[event.key]}"]`);
    if (STEPS[event.key]) this.#step(STEPS[event.key]);
    else if (event.key === " ") this.replay.toggle();
    else if (event.key === "f") this.#turn();
    else if (link instanceof HTMLElement) link.click();
    else return;
    event.preventDefault();
  }
}

/** Return whether a click opens a link in another tab or window. @param {Event} event */
function isElsewhere(event) {
  return event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);
}
