"""Tournament ids: made from the name in `[a-z0-9-]`, numbered where that is taken."""

import re
import unicodedata
from collections.abc import Container

LONGEST = 48
"""Maximum number of characters of a slug; the rest of a name is cut off."""


def slug(name: str) -> str:
    """Write a name in `[a-z0-9-]`: accents dropped, anything else a dash."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-") or "tournament"


def tournament_id(name: str, taken: Container[str]) -> str:
    """Make an id that is not taken: `friday`, then `friday-2`."""
    base = slug(name)
    number = 1
    candidate = base
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate
