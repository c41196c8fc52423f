"""One program and the dialogue with it, against the clock: started when needed, and again when it failed."""

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
"""How long a program may take until it is ready to be asked."""
SHARE, LEAST_MARGIN_MS, MOST_MARGIN_MS = 10, 20, 1000
"""What the bridge keeps of a turn's time: this part of it, within bounds."""
MOST_FAILURES = 3
"""So many failures in a row, and the bridge gives up."""


@dataclass(slots=True)
class Launch:
    """How programs of one bridge are started, and how often they have failed since one of them last answered."""

    command: Sequence[str]
    make_dialogue: Callable[[], Dialogue]
    stderr: StderrFile
    say: Callable[[str], None]
    failures: int = 0
    answered: bool = False
    """Whether any of them ever answered."""

    @property
    def label(self) -> str:
        """The program, for people."""
        return Path(self.command[0]).name

    def failed(self, problem: str) -> str:
        """Count a failure; what went wrong, in full. Raises GiveUp after too many in a row."""
        self.failures += 1
        last = self.stderr.last_line()
        told = f"{self.label} {problem}" + (f"; its last words: {last}" if last else "")
        if self.failures >= MOST_FAILURES:
            raise GiveUp(BadProgram(f"{told} (failed {self.failures} times in a row; see {self.stderr.path})"))
        return told


def margin_ms(left_ms: int) -> int:
    """How much of the time for a move the bridge keeps for itself: to stop a program, or to start it anew."""
    return min(left_ms, max(LEAST_MARGIN_MS, min(MOST_MARGIN_MS, left_ms // SHARE)))


class Failed(Exception):
    """A program did not do what was asked; the text says what happened. It does not run any more."""


class Program:
    """A program that is asked for one move at a time."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._dialogue = launch.make_dialogue()
        self._child: Child | None = None
        self._unsaid: list[str] = []
        self._thinking = asyncio.Lock()
        self._closed = False
        self._start_ms = 0
        """How long the last start took."""

    @property
    def busy(self) -> bool:
        """Whether it is thinking about a move."""
        return self._thinking.locked()

    async def start(self) -> None:
        """Start it and see whether it is of use. Raises BadProgram."""
        try:
            await self._ready(START_S)
        except Failed as failed:
            last = self._launch.stderr.last_line()
            hint = f"its last words: {last}" if last else "is it a program for this kind of bridge?"
            raise BadProgram(f"{self._launch.label} {failed}; {hint}") from failed

    def tell(self, message: About) -> None:
        """Tell it of a message, once it runs; no answer is awaited."""
        lines = self._dialogue.told(message)
        if self._child is None:
            self._unsaid += lines
        else:
            self._child.send(lines)

    async def choose(self, turn: Turn) -> str:
        """Its move. What fails is started anew and asked once more, while there is time.

        Raises Resign with the reason where that does not help, and GiveUp where programs have failed too often.
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
        """Count a failure, unless it is our own doing. Raises Resign then, and GiveUp after too many."""
        if self._closed:
            raise Resign("the match is over")
        return self._launch.failed(problem)

    def kill(self) -> None:
        """End it at once, and for good."""
        self._closed = True
        if self._child is not None:
            self._child.kill()

    async def close(self) -> None:
        """End it in good order, and for good."""
        self._closed = True
        child, self._child = self._child, None
        if child is not None:
            await child.end(self._dialogue.goodbye)

    async def _ask(self, turn: Turn) -> str:
        """Ask the program once. Raises Failed, and Resign where it gives up."""
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
        """The running program, started if need be. Raises Failed, and BadProgram where it never can be of use."""
        if self._child is not None:
            return self._child
        began = time.monotonic()
        self._dialogue = self._launch.make_dialogue()
        with self._launch.stderr.opened() as stderr:
            child = self._child = await Child.start(self._launch.command, stderr)
        if self._closed:  # meanwhile, when there was nothing yet to end
            await self._drop()
            raise Failed("was ended when it was started")
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
        self._start_ms = int((time.monotonic() - began) * 1000)
        child.send(self._unsaid)
        self._unsaid.clear()
        return child

    async def _drop(self) -> None:
        """Be rid of a program that failed."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            await child.end()


async def _hold(child: Child, talk: Talk[T]) -> T:
    """Carry a talk through. Raises Ended, and whatever the talk raises."""
    try:
        lines = next(talk)
        while True:
            if lines:
                await child.write(lines)
            lines = talk.send(await child.read())
    except StopIteration as end:
        result: T = end.value
        return result
