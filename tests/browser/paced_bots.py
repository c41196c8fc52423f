"""Bots in the test's process that play on a real server, at a pace that the test sets."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.recording_bot import Frame, RecordingBot


class Pace:
    """How fast bots answer: after `think_s` seconds, and not while they are held."""

    def __init__(self, think_s: float) -> None:
        self.think_s = think_s
        self.answered = 0
        """How often a bot was let answer."""
        self._may_answer = asyncio.Event()
        self._may_answer.set()

    def hold(self) -> None:
        """Let no bot move until `release`."""
        self._may_answer.clear()

    def release(self, think_s: float = 0.0) -> None:
        """Let the bots move again; from now on each thinks for `think_s` seconds."""
        self.think_s = think_s
        self._may_answer.set()

    async def think(self) -> None:
        """Wait until a bot may answer."""
        await asyncio.sleep(self.think_s)
        await self._may_answer.wait()
        self.answered += 1


@dataclass(slots=True)
class PacedBot(RecordingBot):
    """A bot with a pace. `login` holds more fields of its login; `note` and `info` are sent with every move."""

    pace: Pace = field(default_factory=lambda: Pace(0.0))
    login: Frame = field(default_factory=dict)
    note: str | None = None
    info: Frame | None = None

    def login_frame(self) -> Frame:
        return {**RecordingBot.login_frame(self), **self.login}

    async def think(self) -> None:
        await self.pace.think()

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
        **login: Any,
    ) -> Pace:
        """Start bots of these names, wait until each has joined, and return the pace that they share."""
        pace = Pace(think_s)
        joined = {name: asyncio.Event() for name in names}

        def bot(name: str) -> PacedBot:
            def heard(frame: Frame) -> None:
                if frame["type"] == "error":
                    self._errors.append(f"{name} was told: {frame}")
                if frame["type"] in ("joined", "error"):
                    joined[name].set()

            said: Any = {"note": note, "info": info}
            return PacedBot(bot_url, tournament, name, max_matches, heard=heard, pace=pace, login=login, **said)

        for name in names:
            self._tasks.add(asyncio.create_task(bot(name).play(), name=f"bot {name}"))
        async with asyncio.timeout(20):
            for event in joined.values():
                await event.wait()
        assert self._errors == []
        return pace

    async def drop(self, name: str) -> None:
        """Stop one bot: its connection ends."""
        for task in [each for each in self._tasks if each.get_name() == f"bot {name}"]:
            self._tasks.discard(task)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def end(self) -> None:
        """Stop all bots; raise the exception of one that failed, and fail if one was sent an error."""
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for result in done:
            if isinstance(result, Exception):
                raise result
        assert self._errors == []
