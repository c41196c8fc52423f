// The bot that a reader follows: a choice on the page, kept in the page's address.

import { byId, element } from "./elements.js";
import { shown } from "./names.js";

const choice = /** @type {HTMLSelectElement} */ (byId("follow"));
let offered = "";

/** Return the name of the followed bot; empty without a choice. */
export function followed() {
  return new URLSearchParams(location.search).get("follow") ?? "";
}

/** Call `changed` when the reader follows another bot. @param {() => void} changed */
export function onFollow(changed) {
  choice.addEventListener("change", () => {
    const address = new URL(location.href);
    if (choice.value) address.searchParams.set("follow", choice.value);
    else address.searchParams.delete("follow");
    history.replaceState(null, "", address);
    changed();
  });
}

/** Offer these bots, and the followed bot. @param {string[]} names */
export function offerBots(names) {
  const name = followed();
  const all = name && !names.includes(name) ? [name, ...names] : names;
  if (all.join("\n") === offered) return;
  offered = all.join("\n");
  choice.replaceChildren(element("option", { value: "" }, "nobody"), ...all.map((each) => element("option", { value: each }, shown(each))));
  choice.value = name;
}
