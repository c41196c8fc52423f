"""Bots of the test's own process that play on a real server, at a pace that the test sets."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.recording_bot import Frame, RecordingBot


class Pace:
    """How fast bots answer: after `think_s` seconds, or not before they may while they are held."""

    def __init__(self, think_s: float) -> None:
        self.think_s = think_s
        self._may_answer = asyncio.Event()
        self._may_answer.set()

    def hold(self) -> None:
        """From now on nobody moves."""
        self._may_answer.clear()

    def release(self, think_s: float = 0.0) -> None:
        """Everybody answers, and thinks so long from now on."""
        self.think_s = think_s
        self._may_answer.set()

    async def think(self) -> None:
        """Return when it is time to answer."""
        await asyncio.sleep(self.think_s)
        await self._may_answer.wait()


@dataclass(slots=True)
class Guest(RecordingBot):
    """A bot with a pace; `login` are more fields of its login, `note` goes with every move."""

    pace: Pace = field(default_factory=lambda: Pace(0.0))
    login: Frame = field(default_factory=dict)
    note: str | None = None

    def login_frame(self) -> Frame:
        """Its login."""
        return {**RecordingBot.login_frame(self), **self.login}

    async def think(self) -> None:
        """Until it is time to answer."""
        await self.pace.think()

    def move_frame(self, turn: Frame) -> Frame:
        """Its answer, with the note."""
        return {**RecordingBot.move_frame(self, turn), "note": self.note}


class Guests:
    """All bots of a test. They play in the background, connect again, and end with the test."""

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
        max_matches: int = 1,
        **login: Any,
    ) -> Pace:
        """Let bots of these names join, and wait until each is in; what is set by the result is their common pace."""
        pace = Pace(think_s)
        joined = {name: asyncio.Event() for name in names}

        def guest(name: str) -> Guest:
            def heard(frame: Frame) -> None:
                if frame["type"] == "error":
                    self._errors.append(f"{name} was told: {frame}")
                if frame["type"] in ("joined", "error"):
                    joined[name].set()

            return Guest(bot_url, tournament, name, max_matches, heard=heard, pace=pace, login=login, note=note)

        for name in names:
            self._tasks.add(asyncio.create_task(guest(name).play(), name=f"bot {name}"))
        async with asyncio.timeout(20):
            for event in joined.values():
                await event.wait()
        assert self._errors == []
        return pace

    async def end(self) -> None:
        """Stop them all. Raises what one of them failed of; fails if one was told an error."""
        for task in self._tasks:
            task.cancel()
        done = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for result in done:
            if isinstance(result, Exception):
                raise result
        assert self._errors == []
