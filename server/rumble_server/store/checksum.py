"""Checksums of rows (CRC-32): a row that a disk or a hand has changed is never taken for what was written.

They are SQL functions. The process that writes computes them, so they cost the event loop nothing.
"""

import sqlite3
import zlib


def add_functions(database: sqlite3.Connection) -> None:
    """Give a connection the functions `checksum` and `intact`. Raises sqlite3.Error."""
    database.create_function("checksum", -1, checksum, deterministic=True)
    database.create_function("intact", -1, intact, deterministic=True)


def checksum(content: bytes, *place: str | int) -> int:
    """Return the checksum of a row's content at its place: the values of the row's other columns."""
    return zlib.crc32(repr(place).encode(), zlib.crc32(content))


def intact(content: bytes, expected: int | None, *place: str | int) -> str | None:
    """Return the text of a row, or None if it is damaged. A row of an earlier version has no checksum."""
    if expected is not None and checksum(content, *place) != expected:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
