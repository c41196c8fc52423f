// The bot that a reader follows: a choice on the page, which its address keeps.

import { byId, element } from "./live.js";

const choice = /** @type {HTMLSelectElement} */ (byId("follow"));
let offered = "";

/** Return the name of the bot that is followed; empty if there is none. */
export function followed() {
  return new URLSearchParams(location.search).get("follow") ?? "";
}

/** Have `changed` called when another bot is followed. @param {() => void} changed */
export function onFollow(changed) {
  choice.addEventListener("change", () => {
    const address = new URL(location.href);
    if (choice.value) address.searchParams.set("follow", choice.value);
    else address.searchParams.delete("follow");
    history.replaceState(null, "", address);
    changed();
  });
}

/** Offer these bots, and that which is followed. @param {string[]} names */
export function offerBots(names) {
  const name = followed();
  const all = name && !names.includes(name) ? [name, ...names] : names;
  if (all.join("\n") === offered) return;
  offered = all.join("\n");
  choice.replaceChildren(element("option", { value: "" }, "nobody"), ...all.map((each) => element("option", {}, each)));
  choice.value = name;
}
