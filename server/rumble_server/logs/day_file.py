"""A log file for each day (UTC), readable only by its owner, and removed after some days."""

import logging
import os
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

log = logging.getLogger(__name__)


class DayFile(logging.Handler):
    """Writes today's events to `path`, and keeps those of earlier days as `path.YYYY-MM-DD`."""

    def __init__(self, path: str, days: int, now_s: float) -> None:
        """Open the file; `days` is the age in days at which a file is removed. Raises OSError."""
        super().__init__()
        self._path = Path(path)
        self._days = days
        self._failed = False
        self._day = _day(self._path.stat().st_mtime if self._path.exists() else now_s)
        self._file: int | None = self._open()
        self._turn(now_s)
        self._remove_old(_day(now_s))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._turn(record.created)
            if self._file is None:
                self._file = self._open()
            os.write(self._file, f"{self.format(record)}\n".encode())
            self._failed = False
        except OSError as error:
            if not self._failed:
                self._failed = True
                log.error("the audit log %s cannot be written: %s", self._path, error.strerror)

    def tick(self, now_s: float) -> None:
        """Turn to a new file, and remove old ones, if a day has begun."""
        self.acquire()
        try:
            with suppress(OSError):  # `emit` reports the error when the next event cannot be written
                self._turn(now_s)
        finally:
            self.release()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        super().close()

    def _open(self) -> int:
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._path.chmod(0o600)
        return file

    def _turn(self, now_s: float) -> None:
        today = _day(now_s)
        if today > self._day:
            if self._file is not None:
                os.close(self._file)
                self._file = None
            self._put_away(self._path.with_name(f"{self._path.name}.{self._day}"))
            self._file = self._open()
            self._day = today
            self._remove_old(today)

    def _put_away(self, kept: Path) -> None:
        if kept.exists():  # the clock was set back, so both files have events of that day
            with kept.open("ab") as file:
                file.write(self._path.read_bytes())
            self._path.unlink()
        elif self._path.exists() and self._path.stat().st_size:
            self._path.rename(kept)

    def _remove_old(self, today: date) -> None:
        for file in self._path.parent.iterdir():
            name, _, day = file.name.rpartition(".")
            if name == self._path.name:
                with suppress(ValueError):  # a file whose name does not end with a day
                    if (today - date.fromisoformat(day)).days >= self._days:
                        file.unlink()


def _day(time_s: float) -> date:
    return datetime.fromtimestamp(time_s, UTC).date()
