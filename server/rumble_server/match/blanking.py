"""Blanking of secrets in frames before they are kept.

A regular expression finds the secrets, since a bot's frame need not be JSON, nor a message of the protocol.
"""

import re

SECRETS = ("key", "invite", "token", "password")
"""Names whose values are blanked, in any case and quotes, alone or after other words (`host_token`)."""
BLANK = r'\1"***"'


def _letter(letter: str) -> str:
    return rf"(?:{letter}|\\u00{ord(letter):02x}|\\u00{ord(letter.upper()):02x})"


_NAMES = "|".join("".join(map(_letter, name)) for name in SECRETS)
_VALUE = "|".join(
    (
        r'"(?:[^"\\]|\\.)*"?',  # a text, whole or cut off
        r"'(?:[^'\\]|\\.)*'?",
        r"""\\{1,4}["'](?:(?!\\{1,4}["']).)*(?:\\{1,4}["'])?""",  # a text inside another text
        r"[\[{].*",  # a list or an object: all the rest, since no regular expression finds the end
        r"[^\s,}\]]+",  # a number, or a bare word
    )
)
_SECRET = re.compile(
    rf"""((?<![^\W_])(?:{_NAMES})(?:\\{{0,4}}["'])?\s*[:=]\s*)(?:{_VALUE})""", re.IGNORECASE | re.DOTALL
)


def blanked(text: str) -> str:
    """Return a bot's frame with the values of `SECRETS` blanked, and otherwise unchanged."""
    return _SECRET.sub(BLANK, text)
