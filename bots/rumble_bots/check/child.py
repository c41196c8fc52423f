"""Starts, watches and ends the process of a bot's program. Processes started by the program are ended, too."""

import asyncio
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Exited
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.processes import end_process, filled, start_group

KILL_AFTER_S = 1.0
"""Time in s after SIGTERM until a program that is still running is killed."""
LAST_WORDS = 300
"""Maximum number of characters of the program's output in a report."""
ERROR = re.compile("error|exception|panic", re.IGNORECASE)
"""Pattern of lines that explain why a program ended.

A report quotes the last such line. In some languages, more lines follow after the explanation.
"""


@dataclass(slots=True)
class Child:
    """A bot's program. At most one process of the program runs at a time.

    Environment variables contain the server's address, the tournament to join, and the bot's name. In `command`, the
    same values replace the placeholders `{address}`, `{join}` and `{name}`.
    """

    command: Sequence[str]
    server: Address
    join: str
    name: str
    folder: Path
    """Folder for the bot's keys and for the program's output."""
    on_end: Callable[[Exited], object] = lambda _: None
    """Function called when the program ends, unless `stop` ended it."""
    output: int | None = None
    """File descriptor for the output. If None, the output goes to a file, and `Exited.said` quotes from it."""
    key: str | None = None
    cwd: Path | None = None
    """Working directory of the program; None for the present one."""
    exited: Exited | None = field(default=None, init=False)
    """The event of the program's end; None while the program runs, and after `stop`."""
    _file: Path | None = field(default=None, init=False)
    _process: asyncio.subprocess.Process | None = field(default=None, init=False)
    _watch: "asyncio.Task[None] | None" = field(default=None, init=False)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the program. Raises BadCommand."""
        command = filled(self.command, {"{address}": self.server.place, "{join}": self.join, "{name}": self.name})
        variables = {"RUMBLE_SERVER": self.server.place, "RUMBLE_JOIN": self.join, "RUMBLE_NAME": self.name}
        variables |= {"RUMBLE_CONFIG_DIR": str(self.folder)} | ({} if self.key is None else {"RUMBLE_KEY": self.key})
        output = self.output
        if output is None:
            output, name = tempfile.mkstemp(dir=self.folder, suffix=".out")
            self._file = Path(name)
        try:
            self._process = await start_group(
                command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ | variables,
                cwd=self.cwd,
            )
        except (OSError, ValueError) as error:
            raise BadCommand(f"cannot run {command[0]!r}: {getattr(error, 'strerror', None) or error}") from None
        finally:
            if output != self.output:
                os.close(output)
        self._watch = asyncio.create_task(self._wait(self._process))

    async def ended(self) -> None:
        """Wait until the program ends."""
        if self._watch is not None:
            await asyncio.shield(self._watch)

    async def stop(self) -> None:
        process, watch = self._process, self._watch
        if process is None or watch is None:
            return
        watch.cancel()
        if self.exited is not None:
            self.exited.stale = True
            self.exited = None
        await end_process(process, group=True, patience_s=KILL_AFTER_S)
        self._process = None

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        self.exited = Exited(code, self._last_words())
        self.on_end(self.exited)

    def _last_words(self) -> str:
        if self._file is None:
            return ""
        lines = [line.strip() for line in self._file.read_text("utf-8", "replace").splitlines() if line.strip()]
        errors = [line for line in lines if ERROR.search(line)]
        return (errors or lines or [""])[-1][:LAST_WORDS]
