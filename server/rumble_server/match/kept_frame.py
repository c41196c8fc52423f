"""A frame for the log. Of a bot's frame: the frame, the frame without padding, or only its beginning. No I/O."""

import re
from hashlib import sha256
from typing import Literal

import orjson

from rumble_server.match.facts import FrameSeen

SURELY_SHORT = 512
"""Maximum number of characters of a frame that is stored unchanged without counting its bytes.

A character has at most four bytes, so `most_bytes` must be at least four times this number.
"""
COMPACT_TIMES = 5
"""Maximum size of a frame stored as JSON without whitespace, as a multiple of `most_bytes`.

Of a larger frame, only the beginning is stored. A note and an info of 1 KB each fit, even if every character
is escaped.
"""

Sender = Literal["bot", "server"]
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


def frame_seen(
    place: tuple[str, int, int], sender: Sender, frame: str, now_ms: int, most_bytes: int, excused_ms: int = 0
) -> FrameSeen:
    """Return the fact of a frame. `place` is the match, the attempt and the seat. A server's frame is kept whole.

    A bot's frame of up to `most_bytes` is stored unchanged. A longer frame is stored without whitespace between its
    JSON tokens. If the frame is not JSON, or is still longer than `COMPACT_TIMES` times `most_bytes`, only its first
    `most_bytes` are stored.
    """
    size, digest = 0, ""
    if sender == "bot" and len(frame) > SURELY_SHORT and len(raw := frame.encode()) > most_bytes:
        size, digest = len(raw), sha256(raw).hexdigest()
        text = _compact(frame)
        if text is None or len(text.encode()) > COMPACT_TIMES * most_bytes:
            text = raw[:most_bytes].decode(errors="ignore")
        frame = text
    return FrameSeen(*place, sender, frame, now_ms, size, digest, excused_ms)


def _compact(frame: str) -> str | None:
    try:
        orjson.loads(frame)
    except orjson.JSONDecodeError:
        return None
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", frame)
