"""Text frames of RFC 6455 (section 5.2) in their plainest form, the one that nearly every move and turn has.

`websockets` reads everything else (control frames, fragments, long or broken frames). This module exists for speed:
a frame comes in and goes out at every ply.
"""

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # in C, where `websockets` was built with it

WHOLE_TEXT = 0x81
"""The first byte of a text frame that is not fragmented."""
MASKED = 0x80
MASK_BYTES = 4


def whole_texts(data: bytes, most_bytes: int) -> list[bytes] | None:
    """Return the payloads of `data` if it is whole text frames of a client and nothing else, none over `most_bytes`.

    `data` must begin where a frame begins. None means that a full parser has to read it; nothing of it was taken.
    """
    payloads: list[bytes] = []
    start, end = 0, len(data)
    while start < end:
        if end - start < 2 or data[start] != WHOLE_TEXT:
            return None
        size = data[start + 1] - MASKED
        mask = start + 2
        if size == 126:
            size = int.from_bytes(data[mask : mask + 2])
            mask += 2
        elif not 0 <= size < 126:
            return None
        body = mask + MASK_BYTES
        start = body + size
        if size > most_bytes or start > end:
            return None
        payloads.append(apply_mask(data[body:start], data[mask:body]))
    return payloads


def least_size(payload_bytes: int) -> int:
    """Return the least number of bytes of a client's frame on the wire; its length may be written in more bytes."""
    if payload_bytes < 126:
        return 2 + MASK_BYTES + payload_bytes
    return (4 if payload_bytes < 1 << 16 else 10) + MASK_BYTES + payload_bytes


def text_frame(payload: bytes) -> bytes:
    """Build a server's text frame, unmasked and whole."""
    size = len(payload)
    if size < 126:
        return bytes((WHOLE_TEXT, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload
