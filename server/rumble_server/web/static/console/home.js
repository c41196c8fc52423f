// The console's first page: all tournaments, and the form for a new one.

import { keepShowing, request, whenLoggedIn } from "./api.js";
import { showBans } from "./bans.js";
import { replace } from "./dom.js";
import { expectBots } from "./forecast.js";
import { fillAsAsked, prepare } from "./form.js";
import { showRefused } from "./refused.js";
import { showTokens } from "./tokens.js";
import { byId, element, tableRow } from "../elements.js";
import { root } from "../root.js";
import { moment } from "../times.js";

const AGAIN_MS = 3000;

async function show() {
  const [server, data] = await Promise.all([request("GET", "host"), request("GET", "host/tournaments"), showRefused()]);
  const bots = server.connected === 1 ? "1 bot is connected" : `${server.connected} bots are connected`;
  const matches = server.matches === 1 ? "1 match is being played" : `${server.matches} matches are being played`;
  byId("server").textContent = `Rumble ${server.version}: ${bots}, ${matches}.`;
  expectBots(server.connected);
  byId("none").hidden = data.tournaments.length > 0;
  byId("list").hidden = data.tournaments.length === 0;
  replace(byId("tournaments"), data.tournaments.map(row));
}

/** @param {any} tournament */
function row(tournament) {
  const address = `${root}/console/${encodeURIComponent(tournament.id)}`;
  return tableRow(
    element("a", { href: address, "data-focus": tournament.id }, tournament.name),
    element("span", { class: `status ${tournament.status}` }, tournament.status),
    tournament.game_title,
    element("td", { class: "nowrap" }, tournament.bots === 1 ? "1 bot" : `${tournament.bots ?? "?"} bots`),
    element("td", { class: "nowrap" }, moment(tournament.created_at_ms)),
  );
}

prepare((id) => location.assign(`${root}/console/${encodeURIComponent(id)}`));
let isFilled = false;
whenLoggedIn(async () => {
  await Promise.all([show(), showTokens(), showBans(), isFilled || fillAsAsked()]);
  isFilled = true; // after a further login the form stays as the host left it
});
keepShowing(show, AGAIN_MS, () => (byId("server").textContent = "The server does not answer: what you see may be old."));
