"""The process of a bridged program, with lines as input and output. When the bridge ends, the process always ends."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Self

from rumble_bots.sdk.errors import BadProgram
from rumble_bots.sdk.processes import end_process, kill, start_group

LONGEST_LINE = 1 << 20
"""Maximum number of bytes in a line. A longer line counts as a failure of the program."""
GOODBYE_S = 0.5
"""Time in s for a program to end by itself before it is killed."""


class Ended(Exception):
    """The error for a program that has stopped reading or writing. The text of the error gives the reason."""


class Child:
    """A running program in its own process group."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a child needs pipes")
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    @classmethod
    async def start(cls, command: Sequence[str], stderr: IO[bytes]) -> Self:
        """Start a program whose standard error goes to `stderr`. Raises BadProgram if the program cannot be started."""
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
        """Write lines without waiting. If the program has stopped reading, the next `read` raises Ended."""
        if self._stdin.is_closing():
            return
        self._stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    async def write(self, lines: Sequence[str]) -> None:
        """Write lines, and wait until the write buffer has room. Raises Ended if the program has stopped reading."""
        self.send(lines)
        try:
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise Ended(await self._how_it_ended()) from None

    async def read(self) -> str:
        """Return the program's next line, without its line end.

        Raises Ended after the last line, or if the line is too long.
        """
        try:
            line = await self._stdout.readline()
        except ValueError:
            raise Ended(f"wrote a line of more than {LONGEST_LINE} bytes") from None
        if not line:
            raise Ended(await self._how_it_ended())
        return line.decode("utf-8", "replace").rstrip()

    def kill(self) -> None:
        """Kill the program and the processes started by the program, without waiting."""
        kill(self._process, group=True)

    async def end(self, goodbye: Sequence[str] = ()) -> None:
        """Write the lines `goodbye`, and close the program's input.

        If the program has not ended after `GOODBYE_S`, kill the program.
        """

        async def ask() -> None:
            with suppress(Ended):
                await self.write(goodbye)
            self._stdin.close()

        await end_process(self._process, group=True, patience_s=GOODBYE_S, ask=ask)

    async def _how_it_ended(self) -> str:
        """Return how the program ended, as a part of a sentence.

        If the program still runs after `GOODBYE_S`, return "closed its output".
        """
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
