"""How the engine writes somebody else's text into its own error messages."""

LONGEST = 24
"""Characters of a foreign text that an error message repeats."""


def shown(text: str) -> str:
    """`text` in quotes, on one line, cut if it is long: fit for an error message whatever it holds."""
    return ascii(text) if len(text) <= LONGEST else f"{text[:LONGEST]!a}... ({len(text)} characters)"
