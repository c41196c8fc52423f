"""A match that hides something, on a real server: whatever is read elsewhere before its end holds no secret."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.e2e.processes import TOKEN
from tests.e2e.restartable_server import ROOT, RestartableServer, restartable_server

pytestmark = [pytest.mark.e2e, pytest.mark.long]

NAMES = ("ann", "ben", "cid")
MATCH = "cup.1.1.1.1"
MANY = 20
PAGES = (
    *("/", "/tournaments/cup", "/tournaments/cup/matches", "/tournaments/cup/rounds", "/tournaments/cup/audit"),
    *(f"/matches/{MATCH}", f"/matches/{MATCH}?ply=2", "/bots/ann", "/play", "/write"),
)
VALUES = {"match": MATCH, "tournament": "cup", "tournament_id": "cup", "game": "tokens", "kind": "svg", "name": "ann"}
"""Values for the parameters of paths, by name."""
KEYS = {name: f"the-secret-key-of-{name}" for name in NAMES}


@dataclass(slots=True)
class Heard:
    """Everything that was read, by reader: the time in ms at which it was complete, and the text."""

    texts: list[tuple[str, int, str]] = field(default_factory=list)
    tokens: dict[tuple[int, str], str] = field(default_factory=dict)
    """The owner of each token, by attempt and token."""
    ends_ms: dict[int, int] = field(default_factory=dict)
    """The server's time in ms of the end of each attempt. This process may read the bots' frames later."""
    codes: set[str] = field(default_factory=set)
    legal: dict[str, str] = field(default_factory=dict)
    """A legal move of each bot's newest turn."""
    many: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when `MANY` more tokens were dealt."""
    paths: dict[str, set[int]] = field(default_factory=dict)
    """The status of all answers of each path."""

    step: asyncio.Event = field(default_factory=asyncio.Event)
    """Set for a moment at each reading: bots answer after a reading, so the whole match is read."""

    async def more(self) -> None:
        """Wait until about `MANY` more tokens were dealt."""
        self.many.clear()
        await self.many.wait()

    def read(self, reader: str, text: str) -> None:
        at_ms = int(time.time() * 1000)
        self.texts.append((reader, at_ms, text))
        if text.startswith("<svg"):
            self.texts.append((reader, at_ms, re.sub(r"<[^>]*>|\s", "", text)))

    def leaks(self) -> Iterator[str]:
        for (attempt, token), owner in self.tokens.items():
            end_ms = self.ends_ms.get(attempt, 1 << 60)
            forms = (token, sha256(token.encode()).hexdigest(), sha256(bytes.fromhex(token)).hexdigest())
            for reader, at_ms, text in self.texts:
                if reader != owner and at_ms < end_ms and any(form in text for form in forms):
                    yield f"{reader} read a token of {owner} in attempt {attempt}: {text[:200]}"


async def play(server: RestartableServer, name: str, heard: Heard) -> None:
    """Play as a bot that drops its connection, sends illegal moves, and resigns the second attempt's end."""
    drops = 0
    while True:
        with suppress(OSError, EOFError, WebSocketException):
            async with connect(server.server.bot_url, ping_interval=None, proxy=None) as socket:
                async for text in socket:
                    assert isinstance(text, str)
                    heard.read(name, text)
                    frame = json.loads(text)
                    if answer := _answer(name, frame, heard):
                        await heard.step.wait()
                        await socket.send(json.dumps(answer))
                    if frame["type"] == "tournament_over":
                        return
                    if name == "ben" and frame["type"] == "turn" and frame["ply"] > 9 and drops < 2:
                        drops += 1
                        break
        await asyncio.sleep(0.1)


def _answer(name: str, frame: dict[str, Any], heard: Heard) -> dict[str, Any] | None:
    heard.codes.add(frame.get("code", ""))
    match frame["type"]:
        case "welcome":
            return {"type": "login", "name": name, "key": KEYS[name], "join": "cup"}
        case "turn":
            token = frame["state"]["token"]
            heard.tokens[frame["attempt"], token] = name
            heard.legal[name] = frame["legal"][0]
            if len(heard.tokens) % MANY == 0:
                heard.many.set()
            if name == "cid" and frame["ply"] > 60:
                return {"type": "resign", "match": frame["match"]}
            wrong = {3: f"{token}?", 7: "+"} if name == "ann" else {}
            move = wrong.get(frame["ply"], frame["legal"][0])
            note = f"I have {token}"
            return {"type": "move", "match": frame["match"], "turn_id": frame["turn_id"], "move": move, "note": note}
        case "rejected" if frame["your_turn"]:
            return {"type": "move", "match": frame["match"], "turn_id": frame["turn_id"], "move": heard.legal[name]}
    return None


async def crawl(url: str, paths: list[str], heard: Heard) -> None:
    """Read pages, answers of the API and pictures again and again, as a spectator and as the host."""
    async with httpx.AsyncClient(base_url=url, timeout=5) as client:
        while True:
            for path in paths:
                for reader, headers in _readers(path):
                    with suppress(httpx.HTTPError):
                        answer = await client.get(path, headers=headers)
                        heard.paths.setdefault(path, set()).add(answer.status_code)
                        heard.read(reader, answer.text)
                heard.step.set()
                heard.step.clear()
                await asyncio.sleep(0)


def _readers(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    yield "everybody", {}
    yield "the host", {"Authorization": f"Bearer {TOKEN}"}
    if path.endswith("/transcript"):
        for name, key in KEYS.items():
            yield name, {"Authorization": f"Bot {name}:{key}"}


async def readable(url: str) -> list[str]:
    """Return the paths of all pages and answers that can be read."""
    async with httpx.AsyncClient(base_url=url, timeout=20) as client:
        document = (await client.get("/openapi.json")).json()
    reading = [path for path, methods in document["paths"].items() if "get" in methods]
    found = [re.sub("{(.*?)}", lambda name: VALUES.get(name[1], "none"), path) for path in reading]
    return [path for path in (*PAGES, "/metrics", *found) if not path.endswith(("/events", "/openapi.json"))]


async def follow(url: str, heard: Heard) -> None:
    """Read the live feed, again and again."""
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        while True:
            with suppress(httpx.HTTPError):
                async with client.stream("GET", "/api/tournaments/cup/events") as feed:
                    async for line in feed.aiter_lines():
                        heard.read("the feed", line)
            await asyncio.sleep(0.1)


async def evening(server: RestartableServer, heard: Heard) -> None:
    """Have the bots play, spectators read, the server be killed twice, and the host void the first attempt."""
    url = server.server.url
    bots = [asyncio.create_task(play(server, name, heard)) for name in NAMES]
    readers = [asyncio.create_task(follow(url, heard))]
    try:
        async with asyncio.timeout(90):
            readers.append(asyncio.create_task(crawl(url, await readable(url), heard)))
            for _ in range(2):
                await heard.more()
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
            await heard.more()
            host = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx.AsyncClient(base_url=url, headers=host) as client:
                (await client.post("/api/tournaments/cup/replay", json={"match": MATCH})).raise_for_status()
                await asyncio.gather(*bots)
                entries = map(json.loads, (await client.get(f"/api/matches/{MATCH}/transcript")).text.splitlines())
                heard.ends_ms = {each["attempt"]: each["at_ms"] for each in entries if "verdict" in each}
        assert not any(task.done() for task in readers)
    finally:
        for task in (*readers, *bots):
            task.cancel()
    heard.read("the log", (server.folder / "serve.log").read_text())


def test_nobody_else_reads_a_secret_before_the_end(tmp_path: Path) -> None:
    site = tmp_path / "site" / "tokens_game-1.0.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: tokens-game\nVersion: 1.0\n")
    (site / "entry_points.txt").write_text("[rumble.games]\ntokens = tests.hidden.tokens:GAME\n")
    variables = {"PYTHONPATH": f"{site.parent}:{ROOT}"}
    heard = Heard()
    with restartable_server(tmp_path, options=("--log-level", "debug"), variables=variables) as server:
        create = (
            "--game",
            "tokens",
            "--seats",
            "3",
            "--format",
            "knockout",
            "--start-at-bots",
            "3",
            "--set",
            "rounds=45",
        )
        server.server.tournament("create", "cup", *create, "--illegal-retries", "3")
        asyncio.run(evening(server, heard))
    assert list(heard.leaks()) == []
    assert len(heard.ends_ms) == 2, "an attempt that was void, and the attempt that counts"
    assert {"bad_move", "illegal_move", "opponent_away", "seat_fell"} <= heard.codes
    assert len(heard.tokens) > 100
    shown = {path for path, statuses in heard.paths.items() if 200 in statuses}
    assert {
        "/",
        "/tournaments/cup",
        f"/matches/{MATCH}",
        "/bots/ann",
        f"/api/matches/{MATCH}",
        f"/api/matches/{MATCH}/transcript",
        f"/matches/{MATCH}/board.svg",
    } <= shown, heard.paths
