// Scrolls a bracket that is wider than the page to the round being played, or to the end.

import { byId } from "./elements.js";

const box = document.querySelector(".bracket-box");
const rounds = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".bracket .round"))];
const isOver = byId("tournament").classList.contains("over");
const now = isOver ? rounds.at(-1) : rounds.find((round) => round.querySelector(".playing"));
if (box && now) box.scrollLeft = now.offsetLeft + now.offsetWidth - box.clientWidth;
