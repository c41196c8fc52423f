"""The files of an SQLite database: private to their owner, without hard links, and missed when removed.

Nothing here opens an existing database, since closing any descriptor of the file drops SQLite's locks in this process.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from rumble_server.store.errors import StoreError

SUFFIXES = ("", "-wal", "-shm", "-lock")
"""Endings of the files' names."""
WRITTEN = SUFFIXES[:2]
"""Endings of the files with facts."""
ABSENT = "-"
OWNER_ONLY = 0o600
"""Mode of the files. On Windows the folder's rights hold instead."""


def check_name(path: str) -> None:
    """Raise StoreError if the file has hard links: the lock beside one name would not guard the other names."""
    file = Path(path)
    if file.is_file() and file.stat().st_nlink > 1:
        raise StoreError(f"{path} has {file.stat().st_nlink} hard links: a database must have one name")


def make_private(path: str) -> list[str]:
    """Create the database's file if it is missing, and take away other users' rights to all files.

    Return a line for each file that other users may still be able to read. Raises StoreError.
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

    While the files are in use, no files put in their places can have the same numbers.
    """
    numbers = [_numbers(path + suffix) for suffix in SUFFIXES]
    return " ".join(ABSENT if each is None else f"{each[0]}:{each[1]}" for each in numbers)


class Files:
    """The files of a database in use, with the `identity` that `identity_of` gave. Files missing there do not count."""

    def __init__(self, path: str, identity: str, suffixes: Sequence[str] = SUFFIXES) -> None:
        self._known = [
            (path + suffix, tuple(map(int, numbers.split(":"))))
            for suffix, numbers in zip(SUFFIXES, identity.split(), strict=True)
            if suffix in suffixes and numbers != ABSENT
        ]

    def displaced(self) -> str | None:
        """Return a line about a removed or replaced file; None while every file is in place."""
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
