"""Checksums of rows (CRC-32), which reveal a row changed by a faulty disk or by hand.

The writing process computes the checksums, so that they take no time of the event loop.
"""

import zlib


def checksum(content: bytes, *columns: str | int) -> int:
    """Return the checksum of a row's content and of `columns`, the values of the row's other columns."""
    return zlib.crc32(repr(columns).encode(), zlib.crc32(content))


def intact(content: bytes, expected: int, *columns: str | int) -> str | None:
    """Return the text of a row; None if the checksum is wrong, or the row is empty (left by `rumble db repair`)."""
    if not content or checksum(content, *columns) != expected:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
