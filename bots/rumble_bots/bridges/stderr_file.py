"""The file that keeps a bridged program's standard error for its owner."""

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
"""Size above which the file is emptied at the next start of the bridge."""
TAIL_BYTES = 4096
"""Bytes at the end of the file in which the last line is looked for."""


def default_stderr_file(name: str) -> Path:
    """Return the file for the bot `name`, in the user's state folder (`RUMBLE_STATE_DIR` names another)."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    folder = Path(chosen) if chosen else user_state_path("rumble", appauthor=False)
    return folder / "bridges" / f"{name.lower()}.log"


class StderrFile:
    """A file for the standard error of programs."""

    def __init__(self, path: Path) -> None:
        """Create the file if necessary. Raises BadProgram if the file cannot be written."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.stat().st_size > ENOUGH_BYTES:
                path.unlink()
            path.touch()
            self._old_bytes = path.stat().st_size
            """Size of the output of earlier runs."""
        except OSError as error:
            reason = error.strerror or str(error)
            raise BadProgram(f"cannot keep standard error in {path}: {reason}; name a file by --stderr") from error

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        with self.path.open("ab") as file:
            yield file

    def last_line(self) -> str | None:
        """Return the last line of this run that is not empty, quoted; None without such a line."""
        with self.path.open("rb") as file:
            file.seek(max(self._old_bytes, self.path.stat().st_size - TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), None)
        return None if last is None else quoted(last, 200)
