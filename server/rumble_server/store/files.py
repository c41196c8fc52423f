"""The files of a database: where links lead, readable by their owner alone, and whether they are still there.

Nothing here opens a database that is there: to close any descriptor of it drops the locks of SQLite in this process.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from rumble_server.store.errors import StoreError

SUFFIXES = ("", "-wal", "-shm", "-lock")
"""What the names of the files end with."""
WRITTEN = SUFFIXES[:2]
"""Those to which facts are written."""
ABSENT = "-"
OWNER_ONLY = 0o600
"""Their mode. On Windows the rights of the folder hold."""


def check_name(path: str) -> None:
    """Raise StoreError if the file has several names (hard links): a lock is beside one of them only."""
    file = Path(path)
    if file.is_file() and file.stat().st_nlink > 1:
        raise StoreError(f"{path} has {file.stat().st_nlink} hard links: a database must have one name")


def make_private(path: str) -> list[str]:
    """Create the database's file if there is none, and take the rights of others from all its files.

    Return a line for each file that others may still be able to read. Raises StoreError.
    """
    problems = []
    try:
        # A file that is new has no locks to lose. SQLite gives the mode of it to what it makes beside it.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreError(f"cannot open the database {path}: {error.strerror}") from None
    for suffix in SUFFIXES:
        file = Path(path + suffix)
        if file.is_file() and stat.S_IMODE(file.stat().st_mode) != OWNER_ONLY:
            try:
                file.chmod(OWNER_ONLY)
            except OSError as error:  # it is somebody else's, or the file system knows no modes
                problems.append(f"others may be able to read {file}: {error.strerror}")
    return problems


def identity_of(path: str) -> str:
    """Return what tells the files of a database that is in use from any that may take their places."""
    numbers = [_numbers(path + suffix) for suffix in SUFFIXES]
    return " ".join(ABSENT if each is None else f"{each[0]}:{each[1]}" for each in numbers)


class Files:
    """The files of a database in use, by what `identity_of` told of them; those that were not there do not count."""

    def __init__(self, path: str, identity: str, suffixes: Sequence[str] = SUFFIXES) -> None:
        self._known = [
            (path + suffix, tuple(map(int, numbers.split(":"))))
            for suffix, numbers in zip(SUFFIXES, identity.split(), strict=True)
            if suffix in suffixes and numbers != ABSENT
        ]

    def displaced(self) -> str | None:
        """Return which file was removed or replaced, as a line; None if they are in place."""
        for path, numbers in self._known:
            if _numbers(path) != numbers:
                name = os.path.basename(path)
                return f"the file {name} was removed or replaced; what is written is lost until it is back in its place"
        return None


def _numbers(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
