"""What the log keeps of a frame that a bot sent: all of a usual one, a bounded part of one that was padded. Pure."""

import re
from dataclasses import dataclass
from hashlib import sha256

import orjson

SURELY_SHORT = 512
"""A frame of no more characters is kept as it is, whatever its bytes; the bound must be four times as many bytes."""
COMPACT_TIMES = 5
"""JSON without its padding may have this many times the bound: a note and an info of 1 KB each, with every character
that can be escaped, fit."""

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


@dataclass(frozen=True, slots=True)
class KeptFrame:
    """The text that is kept. `bytes` and `sha256` are of the frame as it came; 0 and empty where all of it is kept."""

    text: str
    bytes: int = 0
    sha256: str = ""


def keep_frame(frame: str, most_bytes: int) -> KeptFrame:
    """Keep a frame of up to `most_bytes` to the letter.

    A longer one is kept without the whitespace between its JSON tokens and otherwise to the letter; of one that is no
    JSON, or has more than `COMPACT_TIMES` as many bytes even so, the first `most_bytes` are kept.
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
