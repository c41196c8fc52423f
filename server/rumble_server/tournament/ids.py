"""Tournament ids: the name in `[a-z0-9-]`, with a number if the id is taken."""

import re
import unicodedata
from collections.abc import Container

LONGEST = 48
"""Maximum number of characters of a slug; the rest of the name is cut off."""


def slug(name: str, otherwise: str = "tournament") -> str:
    """Return a name in `[a-z0-9-]`: without accents, and with a dash for any other characters.

    Return `otherwise` if nothing of the name is left.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-") or otherwise


def tournament_id(name: str, taken: Container[str]) -> str:
    """Return an id that is not in `taken`, made from a tournament's name: `friday`, or else `friday-2`, and so on."""
    base = slug(name)
    if base not in taken:
        return base
    last, free = 1, 2
    while f"{base}-{free}" in taken:
        last, free = free, 2 * free
    while free - last > 1:  # a binary search, since challenges repeat a name for years
        middle = (last + free) // 2
        last, free = (middle, free) if f"{base}-{middle}" in taken else (last, middle)
    return f"{base}-{free}"
