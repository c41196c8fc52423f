"""One server for each database: a second one on the same file is refused."""

import os
import sys
from pathlib import Path

from rumble_server.store.errors import StoreError


class DatabaseLock:
    """A lock from the start of a server to its end. The system releases it when the process dies."""

    def __init__(self, database: str) -> None:
        """Lock a file beside the database. Raises StoreError if another server holds the lock."""
        path = Path(f"{database}-lock")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"cannot open the database {database}: {path}: {error.strerror}") from None
        try:
            _lock(self._file)
        except OSError:
            os.close(self._file)
            raise StoreError(f"another server is running on the database {database}") from None

    def release(self) -> None:
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
