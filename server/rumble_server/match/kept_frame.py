"""The part of a bot's frame that the log keeps: all of a usual frame, a bounded part of a padded frame. Pure."""

import re
from dataclasses import dataclass
from hashlib import sha256

import orjson

SURELY_SHORT = 512
"""Maximum number of characters of a frame that is kept without counting its bytes.

A character has at most four bytes, so `most_bytes` must be at least four times this number.
"""
COMPACT_TIMES = 5
"""Maximum size of JSON without padding, as a multiple of the bound; of a longer frame only the beginning is kept.

A note and an info of 1 KB each fit, even with every character escaped.
"""

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


@dataclass(frozen=True, slots=True)
class KeptFrame:
    """The part of a frame that is kept, as text.

    If the rest is missing, `bytes` and `sha256` are of the whole frame as it came; otherwise they are 0 and empty.
    """

    text: str
    bytes: int = 0
    sha256: str = ""


def keep_frame(frame: str, most_bytes: int) -> KeptFrame:
    """Return the part of a frame to keep.

    A frame of up to `most_bytes` is kept unchanged. A longer frame is kept without the whitespace between its JSON
    tokens. If the frame is no JSON, or still has more than `COMPACT_TIMES` times `most_bytes`, its first `most_bytes`
    are kept.
    """
    if len(frame) <= SURELY_SHORT:
        return KeptFrame(frame)
    raw = frame.encode()
    if len(raw) <= most_bytes:
        return KeptFrame(frame)
    text = _compact(frame)
    if text is None or len(text.encode()) > COMPACT_TIMES * most_bytes:
        text = raw[:most_bytes].decode(errors="ignore")
    return KeptFrame(text, len(raw), sha256(raw).hexdigest())


def _compact(frame: str) -> str | None:
    try:
        orjson.loads(frame)
    except orjson.JSONDecodeError:
        return None
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", frame)
