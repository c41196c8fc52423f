"""Raw clients that play a tournament while servers fail, and checks that must hold whatever failed.

A bot that loses its connection reconnects to its next address, as behind a balancer.
"""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import httpx

from tests.e2e.processes import PATIENCE_S, TOKEN, Server
from tests.e2e.recording_bot import Frame, RecordingBot
from tests.simulation.checks.case import Case, Fact
from tests.simulation.checks.results import check_results
from tests.simulation.checks.told import check_told
from tests.simulation.trace import Entry

KEY = "key-of-the-raw-field"
Trouble = Callable[[], Awaitable[None]]
MATCHES_EACH = 2
"""Number of matches that a bot plays at once."""
LATE = ("stale_turn", "already_played", "not_your_turn", "unknown_match")
"""Codes of rejected answers to a turn that was lost with its server; such rejections blame nobody."""
NEWS = ("paused", "resumed", "draining", "disk", "opponent_away", "match_voided", "bye", "pairing", "name_open")
"""Codes of notices without blame."""


@dataclass(slots=True)
class Wanderer(RecordingBot):
    """A bot with several addresses."""

    addresses: Sequence[str] = ()

    async def come_again(self) -> None:
        self.url = self.addresses[(self.addresses.index(self.url) + 1) % len(self.addresses)]
        await RecordingBot.come_again(self)

    def login_frame(self) -> Frame:
        return {**RecordingBot.login_frame(self), "key": KEY}


@dataclass(slots=True)
class RawField:
    """The bots of a tournament, and the frames that bots were told."""

    tournament: str
    names: Sequence[str]
    addresses: Sequence[str]
    think_ms: tuple[int, int] = (50, 150)
    frames: list[tuple[str, Frame]] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _hurried: asyncio.Event = field(default_factory=asyncio.Event)
    _waking: set[asyncio.Task[None]] = field(default_factory=set)
    _chance: random.Random = field(default_factory=lambda: random.Random(17))

    @classmethod
    def of_cup(cls, server: Server, bots: int, cycles: int, addresses: Sequence[str]) -> Self:
        """Create the tournament `cup`, and return its field."""
        create = ("--game", "tictactoe", "--start-at-bots", str(bots), "--cycles", str(cycles), "--legs", "2")
        server.tournament("create", "cup", *create)
        return cls("cup", [f"bot{number:02}" for number in range(1, bots + 1)], addresses)

    @asynccontextmanager
    async def playing(self, within_s: float) -> AsyncIterator[None]:
        """Play during the block, and to the end after it. Raises TimeoutError after `within_s`."""
        async with asyncio.timeout(within_s), asyncio.TaskGroup() as group:
            for number, name in enumerate(self.names):
                url = self.addresses[number % len(self.addresses)]
                group.create_task(self._bot(name, url).play())
            yield
            self._hurried.set()

    def _bot(self, name: str, url: str) -> Wanderer:
        def heard(frame: Frame) -> None:
            self.frames.append((name, frame))
            waking = asyncio.ensure_future(self._wake())
            self._waking.add(waking)
            waking.add_done_callback(self._waking.discard)

        def think_s() -> float:
            return 0.0 if self._hurried.is_set() else self._chance.uniform(*self.think_ms) / 1000

        return Wanderer(url, self.tournament, name, MATCHES_EACH, think_s, heard, addresses=self.addresses)

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()

    def count(self, kind: str) -> int:
        """Return how many frames of this type all bots have been told."""
        return sum(frame["type"] == kind for _, frame in self.frames)

    async def more(self, kind: str, number: int, within_s: float) -> None:
        """Wait until bots have been told `number` more frames of this type. Raises TimeoutError."""
        wanted = self.count(kind) + number
        async with asyncio.timeout(within_s), self._news:
            await self._news.wait_for(lambda: self.count(kind) >= wanted)

    async def turns_of_all(self, within_s: float) -> None:
        """Wait until each bot is asked for a new move or told the end. Raises TimeoutError."""
        begin = len(self.frames)

        def asked() -> set[str]:
            return {bot for bot, frame in self.frames[begin:] if frame["type"] in ("turn", "tournament_over")}

        async with asyncio.timeout(within_s), self._news:
            await self._news.wait_for(lambda: asked() == set(self.names))

    async def play_through(self, troubles: Iterable[tuple[str, Trouble]], within_s: float, on_s: float) -> None:
        """Play with troubles, by name; after each trouble every bot must be asked for a move within `on_s`."""
        async with self.playing(within_s):
            await self.turns_of_all(on_s)
            for name, trouble in troubles:
                began_s = time.monotonic()
                await trouble()
                try:
                    await self.turns_of_all(on_s)
                except TimeoutError as error:
                    raise AssertionError(f"after {name} play did not go on") from error
                print(f"{name}: on after {time.monotonic() - began_s:.1f} s", flush=True)
            assert self.count("tournament_over") == 0, "it was over before all had failed"

    def judge_all(self, facts: list[Fact], results: int, url: str) -> None:
        """Assert as `judge` and `judge_transcripts` do, with the transcripts of the server at a URL."""
        self.judge(facts, results)
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE_S) as host:

            def transcript(match: str) -> list[dict[str, Any]]:
                answer = host.get(f"/api/matches/{match}/transcript").raise_for_status()
                return [json.loads(line) for line in answer.text.splitlines()]

            self.judge_transcripts(facts, transcript)

    def judge(self, facts: list[Fact], results: int) -> None:
        """Assert one result per match, agreement of all frames with the log, and no blame.

        The simulation's checker judges the log, and the frames of each connection.
        """
        bots = {name: {"max_matches": MATCHES_EACH, "fault": None, "workers": 0} for name in self.names}
        case = Case(facts, list(self._trace(len(facts))), bots)
        for check in (check_results(case), self.wrongs(), check_told(case)):
            wrong = list(check)
            assert not wrong, "\n".join(wrong[:10])
        overs = [fact for fact in facts if fact["fact"] == "match_over"]
        counting = [fact for fact in overs if fact["scores"] is not None]
        assert len(counting) == results
        blamed = Counter((fact["termination"], tuple(fact["at_fault"])) for fact in counting)
        assert blamed == {("normal", ()): results}, blamed
        assert [fact for fact in facts if fact["fact"] == "bot_benched"] == []
        assert {bot for bot, frame in self.frames if frame["type"] == "tournament_over"} == set(self.names)

    def _trace(self, written: int) -> Iterator[Entry]:
        """Make a trace of the told frames; each `welcome` begins a connection."""
        run = {"grace_ms": 0, "excused_ms": 0, "proxied_lag_ms": 0}
        yield Entry(0, "start", 1, json.dumps(run), 0)
        wires: dict[str, int] = {}
        for place, (bot, frame) in enumerate(self.frames):
            if frame["type"] == "welcome":
                wires[bot] = place + 1
                opened = {"bot": bot, "run": 1, "lag_ms": 0, "lag_by_pings": False}
                yield Entry(place, "open", wires[bot], json.dumps(opened), written)
            yield Entry(place, "told", wires[bot], json.dumps(frame), written)

    def wrongs(self) -> Iterator[str]:
        """Yield the frames that blame a bot."""
        blameless = {"error": ("unavailable",), "rejected": LATE, "notice": NEWS}
        for bot, frame in self.frames:
            if frame["type"] in blameless and frame["code"] not in blameless[frame["type"]]:
                yield f"{bot} was told {frame}"

    def judge_transcripts(self, facts: list[Fact], transcript: Callable[[str], list[dict[str, Any]]]) -> None:
        """Assert that each match's transcript has its moves in order, its one verdict, and each told end."""
        ends: dict[str, list[Frame]] = {}
        for _, frame in self.frames:
            if frame["type"] == "match_over":
                ends.setdefault(frame["match"], []).append(frame)
        moves: dict[tuple[str, int], list[str]] = {}
        for fact in facts:
            if fact["fact"] == "move_made":
                moves.setdefault((fact["match"], fact["attempt"]), []).append(fact["move"])
        for over in (fact for fact in facts if fact["fact"] == "match_over" and fact["scores"] is not None):
            lines = transcript(over["match"])
            frames = [(line["sender"], json.loads(line["frame"])) for line in lines if "frame" in line]
            assert [line["verdict"] for line in lines if "verdict" in line].count("normal") == 1, over["match"]
            said = iter(frame["move"] for sender, frame in frames if sender == "bot" and frame["type"] == "move")
            made = moves[over["match"], over["attempt"]]
            assert all(move in said for move in made), f"{over['match']}: its moves are not all there"
            for end in ends.get(over["match"], []):
                assert ("server", end) in frames, f"{over['match']}: {end} was told, and is not in the transcript"
