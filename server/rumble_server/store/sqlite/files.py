"""Checks of the files of an SQLite database: they are private, have no hard links, and are not removed or replaced.

No function here opens an existing database file, because closing the file would drop SQLite's locks in this process.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from rumble_server.store.errors import StoreError

SUFFIXES = ("", "-wal", "-shm", "-lock")
"""Endings of the names of a database's files."""
WRITTEN = SUFFIXES[:2]
"""Endings of the names of the two files that contain facts."""
ABSENT = "-"
OWNER_ONLY = 0o600
"""Mode of the files: only their owner may read and write. On Windows the rights of the folder apply instead."""


def check_name(path: str) -> None:
    """Raise StoreError if a database file has several names (hard links). The lock guards only one of the names."""
    file = Path(path)
    if file.is_file() and file.stat().st_nlink > 1:
        raise StoreError(f"{path} has {file.stat().st_nlink} hard links: a database must have one name")


def make_private(path: str) -> list[str]:
    """Create the database file if it is missing, and let only the owner read and write the database's files.

    Return a warning for each file whose mode cannot be changed. Raises StoreError if the file cannot be created.
    """
    problems = []
    try:
        # A new file has no locks to lose. SQLite gives the file's mode to the files that it makes beside it.
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
            except OSError as error:  # another user's file, or a file system without modes
                problems.append(f"others may be able to read {file}: {error.strerror}")
    return problems


def identity_of(path: str) -> str:
    """Return the device and inode numbers of a database's files, as a text.

    The numbers show if a file was replaced: while a file is open, no other file gets the same numbers.
    """
    numbers = [_numbers(path + suffix) for suffix in SUFFIXES]
    return " ".join(ABSENT if each is None else f"{each[0]}:{each[1]}" for each in numbers)


class Files:
    """The files of a database in use. `find_displaced` reports a file that was removed or replaced.

    `identity` is the result of `identity_of` at the start. Files missing at the start are not checked.
    """

    def __init__(self, path: str, identity: str, suffixes: Sequence[str] = SUFFIXES) -> None:
        self._originals = [
            (path + suffix, tuple(map(int, numbers.split(":"))))
            for suffix, numbers in zip(SUFFIXES, identity.split(), strict=True)
            if suffix in suffixes and numbers != ABSENT
        ]

    def find_displaced(self) -> str | None:
        """Return a line about a file that was removed or replaced; None if every file is in place."""
        for path, numbers in self._originals:
            if _numbers(path) != numbers:
                name = os.path.basename(path)
                return f"the file {name} was removed or replaced; what is written is lost until it is back in its place"
        return None


def _numbers(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
