"""The bot's program: started, watched, and ended together with every process it started."""

import asyncio
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Event, Exited
from rumble_bots.sdk.processes import end_process, start_group

KILL_AFTER_S = 1.0
"""Time in s for the program to end after SIGTERM; then it is killed."""
LAST_WORDS = 300
"""Maximum number of characters of the program's output in a report."""
ERROR = re.compile("error|exception|panic", re.IGNORECASE)
"""Marks the line that best explains a program's end; not every language prints this line last."""


class Child:
    """The bot's program, one process at a time. Its end is put into the inbox as `Exited`, unless `stop` ended it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], inbox: "asyncio.Queue[Event]", folder: Path
    ) -> None:
        self._command = command
        self._environment = {**os.environ, **environment}
        self._inbox = inbox
        self._folder = folder
        self._output: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._exited: Exited | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the program. Raises BadCommand."""
        program = self._command[0]
        descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".out")
        self._output = Path(name)
        try:
            self._process = await start_group(
                self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                env=self._environment,
            )
        except (OSError, ValueError) as error:
            raise BadCommand(f"cannot run {program!r}: {getattr(error, 'strerror', None) or error}") from None
        finally:
            os.close(descriptor)
        self._watch = asyncio.create_task(self._wait(self._process))

    async def stop(self) -> None:
        process, watch = self._process, self._watch
        if process is None or watch is None:
            return
        watch.cancel()
        if self._exited is not None:
            self._exited.stale = True
            self._exited = None
        await end_process(process, group=True, patience_s=KILL_AFTER_S)
        self._process = None

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        self._exited = Exited(code, self._last_words())
        self._inbox.put_nowait(self._exited)

    def _last_words(self) -> str:
        if self._output is None:
            return ""
        lines = [line.strip() for line in self._output.read_text("utf-8", "replace").splitlines() if line.strip()]
        errors = [line for line in lines if ERROR.search(line)]
        return (errors or lines or [""])[-1][:LAST_WORDS]
