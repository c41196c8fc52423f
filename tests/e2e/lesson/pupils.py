"""The pupils of a lesson: their first names, and the way in which each makes a bot."""

from dataclasses import dataclass
from typing import Literal

from tests.bots.starters.building import Missing, look_for

ZIPS = ("python", "javascript", "java", "go", "cpp", "shell")
"""The languages of zips."""
HANGING = "function choose(turn) { while (true) {} }"
CRASHING = 'function choose(turn) { throw new Error("no idea"); }'
TALKING = """function choose(turn) {
  for (let i = 0; i < 200000; i++) console.log(`line ${i}`);
  return turn.legal[0];
}"""
HOSTILE = """const wrong = [];
const tries = {
  fetch: () => fetch("/api/tournaments").then(() => wrong.push("fetch")),
  away: () => fetch("http://192.168.77.2:9/").then(() => wrong.push("away")),
  socket: () => { new WebSocket("ws://192.168.77.1:8765/bot").onopen = () => wrong.push("socket"); },
  script: () => { importScripts("http://192.168.77.1:8765/static/live.js"); wrong.push("script"); },
  request: () => { const r = new XMLHttpRequest(); r.open("GET", "/", false); r.send(); wrong.push("request"); },
  kept: () => { indexedDB.open("x").onsuccess = () => wrong.push("kept"); },
  storage: () => { localStorage.length; wrong.push("storage"); },
  page: () => { parent.document; wrong.push("page"); },
  lies: () => { for (let i = 0; i < 1000; i++) postMessage("{}"); },
};
for (const each of Object.values(tries)) try { each()?.catch?.(() => {}); } catch {}
function choose(turn) {
  console.log(`ways out: ${wrong.join(" ") || "none"}`);
  return turn.legal[0];
}"""
FLOODING = """import json, time
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
kept = json.load(open("key.json"))
login = {"type": "login", "name": kept["name"], "key": kept["key"], "join": kept["tournament"]}
while True:
    try:
        with connect("ws://" + kept["server"] + "/bot", subprotocols=["rumble.v1"]) as socket:
            socket.send(json.dumps(login))
            while True:
                socket.send('{"type": "flood"}')
    except (OSError, WebSocketException):
        time.sleep(0.1)
"""
NAMES = """
Ada Ben Cem Dörte Elif Finn Gül Hana Ida Jörg Kofi Lea Mia Nils Olga Pia Quinn Rosa Sven Tom Uwe Vera Willi Xenia Yara
"""


@dataclass(frozen=True, slots=True)
class Pupil:
    """A pupil, with the language of the bot."""

    name: str
    where: Literal["editor", "zip", "nowhere"]
    language: str
    code: str | None = None
    """The code that the pupil writes; None: the starting code."""
    is_honest: bool = True


def class_of(pythons: int, scripts: int) -> list[Pupil]:
    """Return the pupils: one for each zip whose tools are here, the five that make trouble, and those in the editor."""
    made: list[tuple[Literal["editor", "zip", "nowhere"], str, str | None, bool]] = []
    made += [("zip", language, None, True) for language in ZIPS if _is_here(language)]
    made += [("zip", "python", FLOODING, False), ("nowhere", "", None, False)]
    for code in (HANGING, CRASHING, TALKING, HOSTILE):
        made.append(("editor", "javascript", code, code == TALKING))
    made += [("editor", "python", None, True)] * pythons
    made += [("editor", "javascript", None, True)] * scripts
    return [Pupil(name, *each) for name, each in zip(NAMES.split(), made, strict=False)]


def _is_here(language: str) -> bool:
    try:
        look_for(language)
    except Missing:
        return False
    return True
