"""Checksums of rows (CRC-32), so that a row changed by a disk or by hand is never taken for a good row.

The checksums are SQL functions, computed by the process that writes, so that they cost the event loop no time.
"""

import sqlite3
import zlib


def add_functions(database: sqlite3.Connection) -> None:
    """Add the SQL functions `checksum` and `intact` to a connection. Raises sqlite3.Error."""
    database.create_function("checksum", -1, checksum, deterministic=True)
    database.create_function("intact", -1, intact, deterministic=True)


def checksum(content: bytes, *place: str | int) -> int:
    """Return the checksum of a row's content and place. The place is the values of the row's other columns."""
    return zlib.crc32(repr(place).encode(), zlib.crc32(content))


def intact(content: bytes, expected: int, *place: str | int) -> str | None:
    """Return the text of a row, or None for a damaged row or a lost row, which `rumble db repair` left empty."""
    if not content or checksum(content, *place) != expected:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
