"""Checksums of rows (CRC-32), so that a row changed by a disk or by hand is never taken for a good row.

The process that writes computes the checksums, so that they cost the event loop no time.
"""

import zlib


def checksum(content: bytes, *place: str | int) -> int:
    """Return the checksum of a row's content and place. The place is the values of the row's other columns."""
    return zlib.crc32(repr(place).encode(), zlib.crc32(content))


def intact(content: bytes, expected: int, *place: str | int) -> str | None:
    """Return the text of a row; None for a damaged row, and for an empty row, which `rumble db repair` has left."""
    if not content or checksum(content, *place) != expected:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
