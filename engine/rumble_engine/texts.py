"""Shortening of texts from outside, for the engine's error messages."""

LONGEST = 24
"""Maximum number of characters of a text in an error message. Longer texts are cut."""


def shown(text: str) -> str:
    """Return `text` for an error message: in quotes, on one line, and cut if it is long."""
    return ascii(text) if len(text) <= LONGEST else f"{text[:LONGEST]!a}... ({len(text)} characters)"
