"""Foreign text in the engine's error messages."""

LONGEST = 24
"""Most characters of a foreign text that an error message repeats; the rest is cut."""


def shown(text: str) -> str:
    """Return any `text` in quotes, on one line, cut if it is long, for an error message."""
    return ascii(text) if len(text) <= LONGEST else f"{text[:LONGEST]!a}... ({len(text)} characters)"
