"""Foreign text, made harmless for a terminal."""

_CONTROL = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROL}
"""Escapes by character: control characters, and characters that change the direction of writing."""


def plain_text(text: str) -> str:
    """Return `text` with an escape in place of each character that could control a terminal."""
    return text.translate(_ESCAPES)
