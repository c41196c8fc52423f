"""A file with the standard error of bridged programs, for their owner."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from platformdirs import user_state_path

from rumble_bots.bridges.dialogue import quoted
from rumble_bots.sdk.errors import BadProgram

FOLDER_VARIABLE = "RUMBLE_STATE_DIR"
ENOUGH_BYTES = 10_000_000
"""Size in bytes above which the file is emptied at the next start of the bridge."""
TAIL_BYTES = 4096
"""Number of bytes at the end of the file that are read to find the last line."""


def default_stderr_file(name: str) -> Path:
    """Return the default file for the bot `name`.

    The file is below the folder that the environment variable RUMBLE_STATE_DIR names, or else below the user's state
    folder.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    folder = Path(chosen) if chosen else user_state_path("rumble", appauthor=False)
    return folder / "bridges" / f"{name.lower()}.log"


class StderrFile:
    """A file that collects the standard error of programs."""

    def __init__(self, path: Path) -> None:
        """Create the file if it is missing. Raises BadProgram if the file cannot be written."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.stat().st_size > ENOUGH_BYTES:
                path.unlink()
            path.touch()
            self._old_bytes = path.stat().st_size
            """Size in bytes of the output from earlier runs."""
        except OSError as error:
            reason = error.strerror or str(error)
            raise BadProgram(f"cannot keep standard error in {path}: {reason}; name a file by --stderr") from error

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        with self.path.open("ab") as file:
            yield file

    def last_line(self) -> str | None:
        """Return, in quotes, the last line that programs have written since the start of the bridge.

        Empty lines do not count. If there is no line, return None.
        """
        with self.path.open("rb") as file:
            file.seek(max(self._old_bytes, self.path.stat().st_size - TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), None)
        return None if last is None else quoted(last, 200)
