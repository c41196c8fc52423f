"""A program that chooses moves within time limits. The program is started when needed, and again after a failure."""

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
from rumble_bots.sdk.errors import BadProgram, Crashed, GiveUp, Resign

T = TypeVar("T")

START_S = 30.0
"""Maximum time in s from the start of a program until it is ready to play."""
QUIET_S = 3.0
"""Time in s after which the owner is told that the bridge still waits for a program's first answer."""
SHARE, LEAST_MARGIN_MS, MOST_MARGIN_MS = 10, 20, 1000
"""Numbers for the time that the bridge keeps for itself in a turn.

The bridge keeps 1 / `SHARE` of the turn's time, but at least `LEAST_MARGIN_MS` and at most `MOST_MARGIN_MS`.
"""
MOST_FAILURES = 3
"""After this many failures in a row, the bridge stops."""


@dataclass(slots=True)
class Launch:
    """Settings for the programs of a bridge. `failures` counts the failures since the last answer of any program."""

    command: Sequence[str]
    make_dialogue: Callable[[], Dialogue]
    stderr: StderrFile
    say: Callable[[str], None]
    failures: int = 0
    answered: bool = False
    """True once a program of the bridge has answered a turn."""

    @property
    def label(self) -> str:
        return Path(self.command[0]).name

    def failed(self, problem: str) -> str:
        """Count a failure, and return its description. Raises GiveUp after `MOST_FAILURES` failures in a row."""
        self.failures += 1
        last = self.stderr.last_line()
        description = f"{self.label} {problem}" + (f"; its last words: {last}" if last else "")
        if self.failures >= MOST_FAILURES:
            raise GiveUp(BadProgram(f"{description} (failed {self.failures} times in a row; see {self.stderr.path})"))
        return description


def margin_ms(left_ms: int) -> int:
    """Return the part of `left_ms` that the bridge keeps for itself, in ms, to stop or restart a program."""
    return min(left_ms, max(LEAST_MARGIN_MS, min(MOST_MARGIN_MS, left_ms // SHARE)))


class Failed(Exception):
    """The error for a program that failed. The bridge has ended the program. The text describes the failure."""


class Program:
    """A program that chooses moves, one at a time."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._dialogue = launch.make_dialogue()
        self._child: Child | None = None
        self._unsaid: list[str] = []
        self._thinking = asyncio.Lock()
        self._closed = False
        self._start_ms = 0
        """Duration of the last start in ms."""

    @property
    def busy(self) -> bool:
        return self._thinking.locked()

    async def start(self) -> None:
        """Start the program, and prepare it for play. Raises BadProgram."""
        try:
            await self._ensure_child(START_S)
        except Failed as failed:
            last = self._launch.stderr.last_line()
            hint = f"its last words: {last}" if last else "is it a program for this kind of bridge?"
            raise BadProgram(f"{self._launch.label} {failed}; {hint}") from failed

    def tell(self, message: About) -> None:
        """Send a message to the program, without waiting for an answer.

        A program that is not running gets the message after its next start.
        """
        lines = self._dialogue.report(message)
        if self._child is None:
            self._unsaid += lines
        else:
            self._child.send(lines)

    async def choose(self, turn: Turn) -> str:
        """Return the program's move. After a failure, start the program again and ask once more, if there is time.

        Raises Crashed with the reason if there is no time for a second try, or if the second try fails. Raises GiveUp
        after `MOST_FAILURES` failures in a row.
        """
        async with self._thinking:
            try:
                return await self._ask(turn)
            except Failed as failed:
                description = self._failed(str(failed))
            if turn.think_ms <= self._start_ms + LEAST_MARGIN_MS:
                raise Crashed(f"{description}; no time is left to start it again")
            self._launch.say(f"{turn.match}: {description}; starting it again")
            try:
                return await self._ask(turn)
            except Failed as failed:
                raise Crashed(self._failed(f"{failed}, as before")) from None

    def _failed(self, problem: str) -> str:
        """Count a failure, and return its description.

        Raises Resign if the bridge itself has ended the program, and GiveUp after `MOST_FAILURES` failures in a row.
        """
        if self._closed:
            raise Resign("the match is over")
        return self._launch.failed(problem)

    def kill(self) -> None:
        """Kill the program, and never start it again."""
        self._closed = True
        if self._child is not None:
            self._child.kill()

    async def close(self) -> None:
        """Ask the program to end, and kill the program if it does not end. Never start the program again."""
        self._closed = True
        child, self._child = self._child, None
        if child is not None:
            await child.end(self._dialogue.goodbye)

    async def _ask(self, turn: Turn) -> str:
        """Ask the program once for a move. Raises Failed, and Resign if the program resigns."""
        if self._closed:
            raise Resign("the match is over")
        began = time.monotonic()
        kept_ms = margin_ms(turn.think_ms)
        reply_by = began + (turn.think_ms - kept_ms) / 1000
        limit = reply_by + kept_ms / 2000  # half of the kept time is for an answer to `hurry`, half for a new start
        child = await self._ensure_child(min(START_S, limit - began))
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

    async def _ensure_child(self, patience_s: float) -> Child:
        """Return the program's process. If no process runs, start the program first.

        Raises Failed, and BadProgram for an unusable program.
        """
        if self._child is not None:
            return self._child
        began = time.monotonic()
        self._dialogue = self._launch.make_dialogue()
        with self._launch.stderr.opened() as stderr:
            child = self._child = await Child.start(self._launch.command, stderr)
        if self._closed:  # closed during the start, when there was no process to end
            await self._drop()
            raise Failed("was ended while it started")
        waits = (
            f"{self._launch.label} has not answered yet; waiting up to {patience_s:.0f} s for {self._dialogue.greeting}"
        )
        timer = asyncio.get_running_loop().call_later(QUIET_S, self._launch.say, waits)
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
            timer.cancel()
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
    """Run the generator `talk` to its end, and return its result. Raises Ended, and the errors of `talk`.

    The lines that `talk` yields are written to the program. The answers of the program are sent to `talk`.
    """
    try:
        lines = next(talk)
        while True:
            if lines:
                await child.write(lines)
            lines = talk.send(await child.read())
    except StopIteration as end:
        result: T = end.value
        return result
