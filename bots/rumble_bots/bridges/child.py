"""A program as a child process: lines in, lines out. It never outlives its bridge.

It has a process group of its own, so that Ctrl-C in a terminal does not reach it, and so that what it started itself
ends with it.
"""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Self

from rumble_bots.errors import BadProgram
from rumble_bots.processes import end_group, start_group

LONGEST_LINE = 1 << 20
"""Bytes of a line; a program that writes a longer one has failed."""
GOODBYE_S = 0.5
"""How long a program may take to end by itself."""


class Ended(Exception):
    """The program does not talk any more; the text says why."""


class Child:
    """A running program."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a child needs pipes")
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    @classmethod
    async def start(cls, command: Sequence[str], stderr: IO[bytes]) -> Self:
        """Start a program; what it complains of goes to `stderr`. Raises BadProgram where it cannot be started."""
        try:
            process = await start_group(
                command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                limit=LONGEST_LINE,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise BadProgram(f"cannot start {command[0]}: {reason}") from error
        return cls(process)

    def send(self, lines: Sequence[str]) -> None:
        """Write lines, without waiting for the program to read them. One that reads no more is found out by `read`."""
        if self._stdin.is_closing():
            return
        self._stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    async def write(self, lines: Sequence[str]) -> None:
        """Write lines. Raises Ended where the program reads no more."""
        self.send(lines)
        try:
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise Ended(await self._how_it_ended()) from None

    async def read(self) -> str:
        """The next line, without its end. Raises Ended at the end of the output, or where a line does not end."""
        try:
            line = await self._stdout.readline()
        except ValueError:
            raise Ended(f"wrote a line of more than {LONGEST_LINE} bytes") from None
        if not line:
            raise Ended(await self._how_it_ended())
        return line.decode("utf-8", "replace").rstrip()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        end_group(self._process)

    async def end(self, goodbye: Sequence[str] = ()) -> None:
        """Ask it to end, and make sure of it."""
        with suppress(Ended, TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.write(goodbye)
                self._stdin.close()
                await self._process.wait()
        self.kill()
        await self._process.wait()

    async def _how_it_ended(self) -> str:
        """In words. A program that closed its output, but still runs, is not waited for."""
        try:
            async with asyncio.timeout(GOODBYE_S):
                code = await self._process.wait()
        except TimeoutError:
            return "closed its output"
        if code >= 0:
            return f"ended by itself (exit code {code})"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"
