"""Text that others chose, made fit for a terminal."""

_CONTROL = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROL}
"""How characters are shown that would steer a terminal: control characters, and those that turn the direction."""


def plain_text(text: str) -> str:
    """Return a line with escapes in the place of what would steer a terminal."""
    return text.translate(_ESCAPES)
