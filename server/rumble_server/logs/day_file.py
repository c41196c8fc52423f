"""The file of the audit log: a new file each day (UTC), private to its owner, and deleted after some days."""

import logging
import os
import re
import sys
import time
from io import TextIOWrapper
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path

log = logging.getLogger(__name__)

DAY_S = 86_400


class DayFile(TimedRotatingFileHandler):
    """A log file. `path` has today's events, and the files `path.YYYY-MM-DD` have the events of earlier days.

    The standard library's handler limits the number of old files. This handler limits the age of old files, because
    people are told for how many days the server stores addresses. Call `tick` about once a minute: `tick` begins a new
    file at midnight even without events.
    """

    def __init__(self, path: str, days: int) -> None:
        """Open the file. Files are deleted at an age of `days` days. Raises OSError."""
        self._days = days
        self._has_failed = False
        super().__init__(path, when="midnight", backupCount=days, encoding="utf-8", utc=True)

    def tick(self) -> None:
        """Begin a new file if a new day has begun. `handleError` logs at most one error between two calls of `tick`."""
        record = logging.makeLogRecord({})
        with self.lock:  # type: ignore[union-attr]  # every handler makes its lock at construction
            self._has_failed = False
            try:
                if self.shouldRollover(record):
                    self.doRollover()
            except OSError:
                self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Log the current error. Drop later errors until the next `tick`, because each write to a full disk fails."""
        if not self._has_failed:
            self._has_failed = True
            log.error("the audit log %s cannot be written: %s", self.baseFilename, sys.exception())

    def getFilesToDelete(self) -> list[str]:
        """Delete the old files, and return an empty list.

        An error of the caller, at a file that cannot be deleted, would keep every later event out of the log.
        """
        path = Path(self.baseFilename)
        last = time.strftime(self.suffix, time.gmtime(time.time() - self._days * DAY_S))
        found = (
            (file, re.fullmatch(r"\.(\d{4}-\d\d-\d\d)(\.\d+)?", file.name.removeprefix(path.name)))
            for file in path.parent.iterdir()
        )
        for file in [file for file, day in found if day is not None and day[1] <= last]:
            try:
                file.unlink()
            except OSError as error:
                log.error("the old audit log %s cannot be deleted: %s", file, error)
        return []

    def rotation_filename(self, default_name: str) -> str:
        """Return `default_name`, or a longer name if a file is already called `default_name`.

        If the clock was set back, a day may have several files, and a later one must not replace an earlier one.
        """
        return default_name if not os.path.exists(default_name) else f"{default_name}.{time.time_ns()}"

    def _open(self) -> TextIOWrapper:
        file = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.chmod(self.baseFilename, 0o600)  # `os.open` does not change the mode of an existing file
        return open(file, "a", encoding=self.encoding)
