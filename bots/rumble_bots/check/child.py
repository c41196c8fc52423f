"""The bot's program: started, watched, and ended with everything that it started."""

import asyncio
import os
import re
import signal
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rumble_bots.check.errors import BadCommand
from rumble_bots.check.events import Event, Exited
from rumble_bots.processes import start_group

KILL_AFTER_S = 1.0
"""How long it may take to end when it is told to."""
LAST_WORDS = 300
"""So many characters of what it printed are told."""
ERROR = re.compile("error|exception|panic", re.IGNORECASE)
"""In the line that tells most of how a program ended; not every language prints it last."""


class Child:
    """One program at a time. Its end comes into the inbox as `Exited`, unless `stop` ended it."""

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
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it. Raises BadCommand."""
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
        except OSError as error:
            raise BadCommand(f"cannot run {program!r}: {error.strerror or error}") from None
        except ValueError as error:
            raise BadCommand(f"cannot run {program!r}: {error}") from None
        finally:
            os.close(descriptor)
        self._watch = asyncio.create_task(self._wait(self._process))

    async def stop(self) -> None:
        """End it, and whatever it has started."""
        process, watch = self._process, self._watch
        if process is None or watch is None:
            return
        watch.cancel()
        if self._exited is not None:
            self._exited.stale = True
            self._exited = None
        self._signal(process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), KILL_AFTER_S)
        self._signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        await process.wait()
        self._process = None

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        self._exited = Exited(code, self._last_words())
        self._inbox.put_nowait(self._exited)

    def _signal(self, process: asyncio.subprocess.Process, number: int) -> None:
        """To its whole group where there are groups: a shell's children would go on without it."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            elif process.returncode is None:
                process.terminate()

    def _last_words(self) -> str:
        if self._output is None:
            return ""
        lines = [line.strip() for line in self._output.read_text("utf-8", "replace").splitlines() if line.strip()]
        errors = [line for line in lines if ERROR.search(line)]
        return (errors or lines or [""])[-1][:LAST_WORDS]
