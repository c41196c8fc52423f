"""A match that hides something: whatever others read before its end, on any path, holds no secret."""

import json
import re
from hashlib import sha256
from typing import Any

import pytest

from tests.hidden.tokens import installed
from tests.server.web.memory_server import HOST, MemoryServer
from tests.server.world import Bot

KEYS = {name: f"the-secret-key-of-{name}" for name in ("ann", "ben", "cid")}
MATCH = "friday.1.1.1.1"
PAGES = (
    *("/", "/tournaments/friday", "/tournaments/friday/matches", "/tournaments/friday/rounds"),
    *("/tournaments/friday/audit", f"/matches/{MATCH}", f"/matches/{MATCH}?ply=2", "/bots/ann", "/play", "/write"),
)
VALUES = {"match": MATCH, "tournament": "friday", "game": "tokens", "kind": "svg", "name": "ann", "bot": "ann"}
"""Values for the parameters of paths, by name."""


class Evening:
    """A match, and its readers."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        """The owners of the tokens of the attempt that is played."""
        self.codes = set[str]()
        self.shown = set[str]()
        self.go_on(MemoryServer())

    def go_on(self, server: MemoryServer) -> None:
        """Play on a server, before or after a crash."""
        self.server, self.bots, self.answered = server, dict[str, Bot](), set[str]()

    async def log_in(self) -> None:
        """Log in the bots, and begin to follow the feed."""
        for name, key in KEYS.items():
            self.bots[name] = self.server.world.login(name, key=key, join="friday")
        self.server.pass_ms()
        self.watcher = await self.server.watched(self.server.world.tournament("friday"))

    def answer(self) -> int:
        """Have every bot answer its turn; return the newest ply."""
        ply = 0
        for name, bot in self.bots.items():
            turn = next(reversed(bot.inbox.all("turn")), None)
            if turn is None or turn["turn_id"] in self.answered:
                continue
            token, ply = turn["state"]["token"], turn["ply"]
            self.tokens[token] = name
            self.answered.add(turn["turn_id"])
            wrong = [f"{token}?", "+"] if name == "ann" and ply < 4 else []
            for move in (*wrong, turn["legal"][0]):
                said = {"match": MATCH, "turn_id": turn["turn_id"], "move": move, "note": f"I have {token}"}
                bot.say(type="move", **said)
        self.server.pass_ms()
        return ply

    def check(self, reader: str, text: str) -> None:
        """Assert that a text has no token of another bot."""
        for token, owner in self.tokens.items():
            forms = (token, sha256(token.encode()).hexdigest(), sha256(bytes.fromhex(token)).hexdigest())
            assert reader == owner or not any(form in text for form in forms), (reader, owner, text[:200])

    async def read(self, log: str) -> None:
        """Read everything, as a spectator, as the host and as each bot."""
        self.check("the log", log)
        for name, bot in self.bots.items():
            self.check(name, json.dumps(bot.inbox.frames))
            self.codes.update(frame.get("code", "") for frame in bot.inbox.frames)
        await self.watcher.read("move")
        late = await self.server.watched(self.server.world.tournament("friday"))
        self.check("the feed", json.dumps([event.data for event in self.watcher.events + late.events]))
        async with self.server.browser() as browser:
            document = (await browser.get("/openapi.json")).json()["paths"]
            found = [re.sub("{(.*?)}", lambda name: VALUES.get(name[1], "none"), path) for path in document]
            reading = [path for path in (*PAGES, "/metrics", *found) if not path.endswith(("/events", "/openapi.json"))]
            for path in reading:
                readers: dict[str, dict[str, str]] = {"everybody": {}, "the host": HOST}
                if path.endswith("/transcript"):
                    readers |= {name: {"Authorization": f"Bot {name}:{key}"} for name, key in KEYS.items()}
                for reader, headers in readers.items():
                    answer = await browser.get(path, headers=headers)
                    self.shown |= {path} if answer.status_code == 200 else set()
                    self.check(reader, answer.text)
                    self.check(reader, re.sub(r"<[^>]*>|\s", "", answer.text))


@pytest.mark.slow
async def test_nobody_else_reads_a_secret_before_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with installed():
        evening = Evening()
        config: dict[str, Any] = {"game": "tokens", "seats": 3, "format": "knockout", "start_at_bots": 3}
        evening.server.world.create(**config, settings={"rounds": 12}, illegal_retries=3)
        await evening.log_in()
        for _ in range(4):
            evening.answer()
            await evening.read(caplog.text)
        evening.bots.pop("ben").drop()
        evening.server.pass_ms()
        await evening.read(caplog.text)
        evening.go_on(MemoryServer(evening.server.world.after_crash()))
        await evening.log_in()
        evening.answer()
        await evening.read(caplog.text)
        dealt = len(evening.tokens)
        evening.server.world.organiser.play_again(MATCH)
        evening.tokens.clear()
        evening.server.pass_ms(1_000)
        for _ in range(3):
            evening.answer()
        evening.bots["cid"].say(type="resign", match=MATCH)
        evening.server.pass_ms()
        await evening.read(caplog.text)
        assert evening.server.world.arena.matches.live[MATCH].progress.terms.attempt == 2
    assert min(dealt, len(evening.tokens)) > 5
    assert {"bad_move", "illegal_move", "opponent_away", "seat_fell"} <= evening.codes
    assert {
        *("/", "/tournaments/friday", f"/matches/{MATCH}", "/bots/ann", f"/api/matches/{MATCH}"),
        *(f"/api/matches/{MATCH}/transcript", f"/matches/{MATCH}/board.svg"),
    } <= evening.shown
