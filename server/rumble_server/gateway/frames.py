"""Text frames in their simplest form (RFC 6455, 5.2), which most moves and turns have. `websockets` reads all others.

This module exists for speed, because each ply needs a frame in and a frame out.
"""

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # fast if `websockets` was built with its C part

WHOLE_TEXT = 0x81
"""First byte of a text frame that is not fragmented."""
WHOLE_PING, WHOLE_PONG = 0x89, 0x8A
"""First byte of a ping, and of a pong, that is not fragmented."""
MASKED = 0x80
MASK_BYTES = 4
LEAST_FRAME_BYTES = 2 + MASK_BYTES
"""Size in bytes of the smallest frame that a client can send, a frame without content."""


def whole_texts(data: bytes, start: int, stop: int, most_bytes: int) -> tuple[list[str], int]:
    """Read the text frames that begin in `data[start:stop]`. Return their texts, and the end of the last frame.

    A frame must begin at `start`. The list is empty if any of the frames is not a complete, unfragmented text frame in
    UTF-8 with at most `most_bytes`. The full parser then has to read `data`.
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
    """Return the content of a pong if `data` is a single pong of a client and nothing else; otherwise None."""
    if data[0] != WHOLE_PONG or len(data) < LEAST_FRAME_BYTES or data[1] != MASKED + len(data) - LEAST_FRAME_BYTES:
        return None
    return apply_mask(data[LEAST_FRAME_BYTES:], data[2:LEAST_FRAME_BYTES])


def ping(content: bytes) -> bytes:
    """Build a ping frame of the server."""
    return bytes((WHOLE_PING, len(content))) + content


def least_size(payload_bytes: int) -> int:
    """Return the minimum size in bytes of a client's frame with this payload. Clients may use a longer length field."""
    if payload_bytes < 126:
        return LEAST_FRAME_BYTES + payload_bytes
    return (4 if payload_bytes < 1 << 16 else 10) + MASK_BYTES + payload_bytes


def text_head(size: int) -> bytes:
    """Build the header of a text frame of the server, for a payload of `size` bytes (not masked, not fragmented)."""
    if size < 126:
        return bytes((WHOLE_TEXT, size))
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2)
    return b"\x81\x7f" + size.to_bytes(8)


KNOWN_HEADS = 1024
HEADS = tuple(text_head(size) for size in range(KNOWN_HEADS))
"""Headers of text frames, computed in advance; the index is the payload's size. Nearly all turns are small enough."""
