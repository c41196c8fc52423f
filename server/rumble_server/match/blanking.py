"""Blanking of secrets in frames that are kept: what a bot sent need not be JSON, nor what the protocol asks for."""

import re

SECRETS = ("key", "invite", "token", "password")
"""Names whose values are blanked, in whatever case and quotes, alone or after other words (`host_token`)."""
BLANK = r'\1"***"'


def _letter(letter: str) -> str:
    return rf"(?:{letter}|\\u00{ord(letter):02x}|\\u00{ord(letter.upper()):02x})"


_NAMES = "|".join("".join(map(_letter, name)) for name in SECRETS)
_VALUE = "|".join(
    (
        r'"(?:[^"\\]|\\.)*"?',  # a text, whole or cut off
        r"'(?:[^'\\]|\\.)*'?",
        r"""\\{1,4}["'](?:(?!\\{1,4}["']).)*(?:\\{1,4}["'])?""",  # the same within a text
        r"[\[{].*",  # a list or an object, whose end no expression finds: all that follows
        r"[^\s,}\]]+",  # a number, or a bare word
    )
)
_SECRET = re.compile(
    rf"""((?<![^\W_])(?:{_NAMES})(?:\\{{0,4}}["'])?\s*[:=]\s*)(?:{_VALUE})""", re.IGNORECASE | re.DOTALL
)


def blanked(text: str) -> str:
    """Return a bot's frame with keys, tokens and invitations blanked, and otherwise to the letter."""
    return _SECRET.sub(BLANK, text)
