// The invitation of a tournament: its code, a link with a QR code, a command.

import { picture, request } from "./api.js";
import { byId } from "../elements.js";

/** Codes with fewer characters are called short. */
const SHORTEST_CODE = 6;
const AGAIN_MS = 3000;

/** Tell what to do until another machine has reached the server, as long as the door is open. */
async function watchReach() {
  const { reached } = await request("GET", "host").catch(() => ({ reached: true }));
  byId("unreached").hidden = reached || byId("door-open").hidden;
  if (!reached) setTimeout(watchReach, AGAIN_MS);
}

/** @param {string} path */
async function showInvite(path) {
  const data = await request("GET", path);
  const { code, link, command, door, only_here: onlyHere } = data;
  showDoor(door);
  byId("only-here").hidden = !onlyHere;
  byId("code").textContent = code ?? "";
  byId("code-line").hidden = code === null;
  byId("short-code").hidden = code === null || code.length >= SHORTEST_CODE;
  byId("no-code").hidden = code !== null;
  byId("no-invite").hidden = code === null;
  byId("new-code").textContent = code === null ? "Ask for a code…" : "New code…";
  byId("link").textContent = link;
  byId("join-command").textContent = command;
  byId("qr").setAttribute("src", await picture(`${path}.svg`));
}

/** Show the join code, large enough for a projector. @param {{code: string, link: string} | null} door null: closed */
function showDoor(door) {
  byId("door-open").hidden = door === null;
  byId("door-closed").hidden = door !== null;
  byId("door-button").textContent = door === null ? "Open the door" : "Close the door";
  byId("qr-title").textContent = door === null ? "The link as a QR code" : "The page where pupils join, as a QR code";
  byId("qr-part").toggleAttribute("open", door !== null);
  // The picture leads to the page named above it.
  if (door === null) byId("invite-actions").before(byId("qr-part"));
  else byId("door-code").after(byId("qr-part"));
  byId("door-code").textContent = door?.code ?? "";
  byId("door-page").textContent = door === null ? "" : door.link.split("?")[0].replace(/^http:\/\//, "");
}

/**
 * Show the invitation, and let the host change the code.
 * @param {string} tournament
 * @param {import("./dialog.js").Act} act
 */
export async function prepareInvite(tournament, act) {
  const path = `tournaments/${encodeURIComponent(tournament)}/invite`;
  byId("new-code").addEventListener("click", async () => {
    const title = "Make a new code?";
    const text = "From now on bots join only with the new code; links with an old code stop working. Bots that have joined stay.";
    const question = { title, text, yes: "Make a new code" };
    if (await act("There is a new code.", () => request("POST", path, {}), question)) await showInvite(path);
  });
  byId("no-invite").addEventListener("click", async () => {
    const title = "Ask for no code any more?";
    const text = "Any bot that reaches this server can then join. Bots that have joined stay.";
    const question = { title, text, yes: "Ask for no code" };
    if (await act("No code is needed any more.", () => request("POST", path, { code: null }), question)) await showInvite(path);
  });
  byId("door-button").addEventListener("click", async () => {
    const open = byId("door-open").hidden;
    const done = open ? "The door is open." : "The door is closed. Pupils that have joined stay.";
    if (await act(done, () => request("POST", path.replace(/invite$/, "door"), { open }))) await showInvite(path);
  });
  await showInvite(path);
  byId("by-link").toggleAttribute("open", byId("door-open").hidden);
  await watchReach();
}
