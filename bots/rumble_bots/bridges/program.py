"""One program and the dialogue with it, against the clock. It is started when needed, and again after a failure."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rumble_bots.bridges.child import Child, Ended
from rumble_bots.bridges.dialogue import About, Dialogue, Garbled, Talk
from rumble_bots.bridges.stderr_file import StderrFile
from rumble_bots.sdk.bot import Turn
from rumble_bots.sdk.errors import BadProgram, GiveUp, Resign

T = TypeVar("T")

START_S = 30.0
"""Seconds that a program has from its start until it is ready."""
QUIET_S = 3.0
"""Seconds without an answer to the first exchange after which the owner is told what the bridge waits for."""
SHARE, LEAST_MARGIN_MS, MOST_MARGIN_MS = 10, 20, 1000
"""The bridge keeps a tenth of a turn's time for itself, at least and at most these ms."""
MOST_FAILURES = 3
"""Number of failures in a row after which the bridge gives up."""


@dataclass(slots=True)
class Launch:
    """The start of one bridge's programs, and the number of failures since one of them last answered."""

    command: Sequence[str]
    make_dialogue: Callable[[], Dialogue]
    stderr: StderrFile
    say: Callable[[str], None]
    failures: int = 0
    answered: bool = False
    """Whether any program has ever answered."""

    @property
    def label(self) -> str:
        return Path(self.command[0]).name

    def failed(self, problem: str) -> str:
        """Count a failure; return its description. Raises GiveUp after `MOST_FAILURES` in a row."""
        self.failures += 1
        last = self.stderr.last_line()
        told = f"{self.label} {problem}" + (f"; its last words: {last}" if last else "")
        if self.failures >= MOST_FAILURES:
            raise GiveUp(BadProgram(f"{told} (failed {self.failures} times in a row; see {self.stderr.path})"))
        return told


def margin_ms(left_ms: int) -> int:
    """Return the part of the time for a move that the bridge keeps: to stop a program, or to start it again."""
    return min(left_ms, max(LEAST_MARGIN_MS, min(MOST_MARGIN_MS, left_ms // SHARE)))


class Failed(Exception):
    """A program failed and was ended; the text says how it failed."""


class Program:
    """A program that chooses one move at a time."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._dialogue = launch.make_dialogue()
        self._child: Child | None = None
        self._unsaid: list[str] = []
        self._thinking = asyncio.Lock()
        self._closed = False
        self._start_ms = 0
        """The time that the last start took."""

    @property
    def busy(self) -> bool:
        return self._thinking.locked()

    async def start(self) -> None:
        """Start it and hold the first exchange. Raises BadProgram."""
        try:
            await self._ready(START_S)
        except Failed as failed:
            last = self._launch.stderr.last_line()
            hint = f"its last words: {last}" if last else "is it a program for this kind of bridge?"
            raise BadProgram(f"{self._launch.label} {failed}; {hint}") from failed

    def tell(self, message: About) -> None:
        """Tell it of a message, after its start if it does not run yet, without waiting for an answer."""
        lines = self._dialogue.told(message)
        if self._child is None:
            self._unsaid += lines
        else:
            self._child.send(lines)

    async def choose(self, turn: Turn) -> str:
        """Return its move. After a failure it is started again and asked once more, if there is time.

        Raises Resign with the reason if that fails too, and GiveUp after too many failures.
        """
        async with self._thinking:
            try:
                return await self._ask(turn)
            except Failed as failed:
                told = self._failed(str(failed))
            if turn.think_ms <= self._start_ms + LEAST_MARGIN_MS:
                raise Resign(f"{told}; no time is left to start it again")
            self._launch.say(f"{turn.match}: {told}; starting it again")
            try:
                return await self._ask(turn)
            except Failed as failed:
                raise Resign(self._failed(f"{failed}, as before")) from None

    def _failed(self, problem: str) -> str:
        """Count a failure. Raises Resign if the bridge ended the program itself, and GiveUp after too many."""
        if self._closed:
            raise Resign("the match is over")
        return self._launch.failed(problem)

    def kill(self) -> None:
        """Kill it; it is not started again."""
        self._closed = True
        if self._child is not None:
            self._child.kill()

    async def close(self) -> None:
        """Ask it to end, then kill it; it is not started again."""
        self._closed = True
        child, self._child = self._child, None
        if child is not None:
            await child.end(self._dialogue.goodbye)

    async def _ask(self, turn: Turn) -> str:
        """Ask the program once. Raises Failed, and Resign where it resigns."""
        if self._closed:
            raise Resign("the match is over")
        began = time.monotonic()
        kept_ms = margin_ms(turn.think_ms)
        reply_by = began + (turn.think_ms - kept_ms) / 1000
        limit = reply_by + kept_ms / 2000
        child = await self._ready(min(START_S, limit - began))
        think_s = max(0.001, reply_by - time.monotonic())
        hurry = asyncio.get_running_loop().call_later(think_s, child.send, self._dialogue.hurry)
        try:
            async with asyncio.timeout(limit - time.monotonic()):
                move = await _hold(child, self._dialogue.move(turn, int(think_s * 1000)))
        except (Ended, Garbled, TimeoutError) as failure:
            await self._drop()
            hint = "" if self._launch.answered else " (does it flush each line that it writes?)"
            raise Failed(str(failure) or f"did not answer within {limit - began:.1f} s{hint}") from failure
        finally:
            hurry.cancel()
        self._launch.failures, self._launch.answered = 0, True
        return move

    async def _ready(self, patience_s: float) -> Child:
        """Return the running process, started if necessary. Raises Failed, and BadProgram where it cannot be used."""
        if self._child is not None:
            return self._child
        began = time.monotonic()
        self._dialogue = self._launch.make_dialogue()
        with self._launch.stderr.opened() as stderr:
            child = self._child = await Child.start(self._launch.command, stderr)
        if self._closed:  # while it started, when there was no process to end
            await self._drop()
            raise Failed("was ended while it started")
        waits = (
            f"{self._launch.label} has not answered yet; waiting up to {patience_s:.0f} s for {self._dialogue.greeting}"
        )
        told = asyncio.get_running_loop().call_later(QUIET_S, self._launch.say, waits)
        try:
            async with asyncio.timeout(patience_s):
                await _hold(child, self._dialogue.begin())
        except (Ended, Garbled, TimeoutError) as failure:
            await self._drop()
            problem = str(failure) or f"did not answer within {patience_s:.1f} s"
            raise Failed(f"{problem} when it was started") from failure
        except BadProgram:
            await self._drop()
            raise
        finally:
            told.cancel()
        self._start_ms = int((time.monotonic() - began) * 1000)
        child.send(self._unsaid)
        self._unsaid.clear()
        return child

    async def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            await child.end()


async def _hold(child: Child, talk: Talk[T]) -> T:
    """Run a talk to its end; return its result. Raises Ended, and the errors of the talk."""
    try:
        lines = next(talk)
        while True:
            if lines:
                await child.write(lines)
            lines = talk.send(await child.read())
    except StopIteration as end:
        result: T = end.value
        return result
