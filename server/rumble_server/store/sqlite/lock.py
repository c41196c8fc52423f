"""The lock of an SQLite database. A server or `rumble db` holds it, so that no second server uses the database."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.files import OWNER_ONLY

WAIT_S = 5.0
"""Maximum time in s that a start waits for the lock. The last transaction of a killed server may still hold it."""
_PAUSE_S = 0.02


class DatabaseLock:
    """The lock of a database. The lock is held until every process has closed the file descriptor `file`."""

    def __init__(self, database: str, wait_s: float | None = None) -> None:
        """Lock the file `...-lock` beside the database. Wait at most `wait_s`, by default `WAIT_S`.

        Raises StoreError if another server holds the lock, or the file cannot be opened.
        """
        path = Path(f"{database}-lock")
        try:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY)
        except OSError as error:
            raise StoreError(f"cannot open the database {database}: {path}: {error.strerror}") from None
        until_s = time.monotonic() + (WAIT_S if wait_s is None else wait_s)
        while True:
            try:
                _lock(self.file)
                return
            except OSError:
                if time.monotonic() >= until_s:
                    os.close(self.file)
                    raise StoreError(f"another server is running on the database {database}") from None
            time.sleep(_PAUSE_S)

    def release(self) -> None:
        os.close(self.file)


@contextmanager
def locked(path: str, *, may_be_new: bool = False) -> Iterator[str]:
    """Hold the lock of a database, and yield the database's real path.

    Raises StoreError at once if a server runs on the database, or if the database is missing and `may_be_new` is false.
    """
    real_path = os.path.realpath(path)
    if not may_be_new and not Path(real_path).is_file():
        raise StoreError(f"there is no database {path}")
    lock = DatabaseLock(real_path, wait_s=0)
    try:
        yield real_path
    finally:
        lock.release()


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
