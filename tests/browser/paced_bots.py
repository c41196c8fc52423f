"""Bots in the test's process that play on a real server, at a pace that the test sets."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.browser.running_server import RunningServer
from tests.e2e.recording_bot import Frame, RecordingBot

SLOW = {"move_ms": 3_600_000}
"""A time control long enough for bots that hold their moves."""


class Pace:
    """The pace of bots: each answers after `think_s` seconds, and not while held."""

    def __init__(self, think_s: float) -> None:
        self.think_s = think_s
        self.answered = 0
        """Number of answers so far."""
        self._results = 0
        self._stop: tuple[int, int] | None = None
        self._may_answer = asyncio.Event()
        self._may_answer.set()
        self._may_pass = asyncio.Event()

    def hold(self) -> None:
        """Let no bot move until `release`."""
        self._may_answer.clear()

    def stop_at(self, ply: int, *, after_matches: int = 0) -> None:
        """Once `after_matches` matches are over, let no bot move from `ply` of a match on until `release`."""
        self._stop = (2 * after_matches, ply)

    def release(self, think_s: float = 0.0) -> None:
        """Let the bots move again, each after `think_s` seconds."""
        self.think_s = think_s
        self._stop = None
        self._may_pass.set()
        self._may_answer.set()

    def note_result(self) -> None:
        """Count a result that a bot was told."""
        self._results += 1

    async def think(self, ply: int) -> None:
        """Wait until a bot may answer at this ply."""
        await asyncio.sleep(self.think_s)
        if self._stop is not None and self._results >= self._stop[0] and ply >= self._stop[1]:
            self._may_pass.clear()
            await self._may_pass.wait()
        await self._may_answer.wait()
        self.answered += 1


@dataclass(slots=True)
class PacedBot(RecordingBot):
    """A bot with a pace. `login` holds further fields of the login; `note` and `info` are sent with every move."""

    pace: Pace = field(default_factory=lambda: Pace(0.0))
    login: Frame = field(default_factory=dict)
    note: str | None = None
    info: Frame | None = None
    ply: int = 0
    """The ply of the bot's last turn."""

    def login_frame(self) -> Frame:
        return {**RecordingBot.login_frame(self), **self.login}

    async def think(self) -> None:
        await self.pace.think(self.ply)

    def move_frame(self, turn: Frame) -> Frame:
        return {**RecordingBot.move_frame(self, turn), "note": self.note, "info": self.info}


class PacedBots:
    """The bots of a test. They play in the background, reconnect, and stop with the test."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._errors: list[str] = []

    async def join(
        self,
        bot_url: str,
        tournament: str,
        *names: str,
        think_s: float = 0.0,
        note: str | None = None,
        info: Frame | None = None,
        max_matches: int = 1,
        pace: Pace | None = None,
        **login: Any,
    ) -> Pace:
        """Start bots of these names, wait until each has joined, and return the shared pace."""
        pace = pace or Pace(think_s)
        joined = {name: asyncio.Event() for name in names}

        def bot(name: str) -> PacedBot:
            def heard(frame: Frame) -> None:
                if frame["type"] == "error":
                    self._errors.append(f"{name} was told: {frame}")
                if frame["type"] in ("joined", "error"):
                    joined[name].set()
                elif frame["type"] == "turn":
                    made.ply = frame["ply"]
                elif frame["type"] == "match_over":
                    pace.note_result()

            said: Any = {"note": note, "info": info}
            made = PacedBot(bot_url, tournament, name, max_matches, heard=heard, pace=pace, login=login, **said)
            return made

        for name in names:
            self._tasks.add(asyncio.create_task(bot(name).play(), name=f"bot {name}"))
        async with asyncio.timeout(20):
            for event in joined.values():
                await event.wait()
        assert self._errors == []
        return pace

    async def held(
        self, server: RunningServer, name: str, game: str, *bots: str, ply: int = 4, **config: Any
    ) -> tuple[str, Pace]:
        """Start a tournament, and stop its bots at a ply of their first matches; return its id, and the bots' pace."""
        cup, pace = server.create(name, game, **{"time_control": SLOW, **config}), Pace(0.0)
        pace.stop_at(ply)
        await self.join(server.bot_url, cup, *bots, pace=pace)
        server.command(cup, "start")
        await server.until(cup, lambda view: view["running"] and all(each["ply"] >= ply for each in view["running"]))
        return cup, pace

    async def drop(self, name: str) -> None:
        """Stop one bot: its connection ends."""
        for task in [each for each in self._tasks if each.get_name() == f"bot {name}"]:
            self._tasks.discard(task)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def end(self) -> None:
        """Stop all bots; raise the exception of a bot that failed, and fail if a bot was sent an error."""
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for result in done:
            if isinstance(result, Exception):
                raise result
        assert self._errors == []
