"""Blanking of secrets in frames before the frames are stored.

A regular expression finds the secrets, because a bot's frame may be neither JSON nor a message of the protocol.
"""

import re

SECRETS = ("key", "invite", "token", "password")
"""Names whose values are blanked. A name is found in upper or lower case, with any quotes, and as the end of a longer
name (`host_token`)."""
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
    """Return a bot's frame with `***` in place of the values of `SECRETS`."""
    return _SECRET.sub(BLANK, text)
