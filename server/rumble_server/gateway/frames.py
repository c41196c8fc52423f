"""Text frames of RFC 6455 (section 5.2) in their plainest form. Nearly every move and turn has this form.

`websockets` reads all other frames: control frames, fragments, long or broken frames. This module exists for speed,
because a frame comes in and goes out at every ply.
"""

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # fast if `websockets` was built with its C part

WHOLE_TEXT = 0x81
"""The first byte of a text frame that is not fragmented."""
WHOLE_PING, WHOLE_PONG = 0x89, 0x8A
"""The first bytes of a ping and of a pong that are not fragmented."""
MASKED = 0x80
MASK_BYTES = 4
LEAST_FRAME_BYTES = 2 + MASK_BYTES
"""Minimum size, in bytes, of a client's frame: the size of a frame without content."""


def whole_texts(data: bytes, start: int, stop: int, most_bytes: int) -> tuple[list[str], int]:
    """Read a client's whole text frames that begin before `stop`. Return the texts, and where the last frame ends.

    `data[start]` must begin a frame. No text is returned if a frame is not a whole text frame, a text is longer than
    `most_bytes`, or UTF-8 is invalid. A full parser then has to read `data`.
    """
    texts: list[str] = []
    at, end = start, len(data)
    try:
        while at < stop:
            if data[at] != WHOLE_TEXT:
                return [], start
            size = data[at + 1] - MASKED
            mask = at + 2
            if size > 125 or size < 0:
                if size != 126:
                    return [], start
                size = int.from_bytes(data[mask : mask + 2])
                mask += 2
            body = mask + MASK_BYTES
            at = body + size
            if size > most_bytes or at > end:
                return [], start
            texts.append(apply_mask(data[body:at], data[mask:body]).decode())
    except (IndexError, UnicodeDecodeError):
        return [], start
    return texts, at


def only_pong(data: bytes) -> bytes | None:
    """Return the content of a client's pong if `data` is a pong and nothing more."""
    if data[0] != WHOLE_PONG or len(data) < LEAST_FRAME_BYTES or data[1] != MASKED + len(data) - LEAST_FRAME_BYTES:
        return None
    return apply_mask(data[LEAST_FRAME_BYTES:], data[2:LEAST_FRAME_BYTES])


def ping(content: bytes) -> bytes:
    """Build a server's ping."""
    return bytes((WHOLE_PING, len(content))) + content


def least_size(payload_bytes: int) -> int:
    """Return the minimum size, in bytes, of a client's frame. A client may write a longer length field than needed."""
    if payload_bytes < 126:
        return LEAST_FRAME_BYTES + payload_bytes
    return (4 if payload_bytes < 1 << 16 else 10) + MASK_BYTES + payload_bytes


def text_head(size: int) -> bytes:
    """Build the header of a server's text frame with `size` bytes of payload, unmasked and whole."""
    if size < 126:
        return bytes((WHOLE_TEXT, size))
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2)
    return b"\x81\x7f" + size.to_bytes(8)


KNOWN_HEADS = 1024
HEADS = tuple(text_head(size) for size in range(KNOWN_HEADS))
"""Precomputed headers of text frames, by payload size. Nearly all turns have less than `KNOWN_HEADS` bytes."""
