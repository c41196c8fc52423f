"""Foreign text in the engine's error messages."""

LONGEST = 24
"""Maximum number of characters of a foreign text in an error message; the rest is cut."""


def shown(text: str) -> str:
    """Return `text` for an error message: in quotes, on one line, a long text cut."""
    return ascii(text) if len(text) <= LONGEST else f"{text[:LONGEST]!a}... ({len(text)} characters)"
