"""Join codes: six letters with which a pupil joins a tournament in a browser, short enough to be read from a wall."""

from collections.abc import Iterable
from random import Random

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""30 letters and digits that can be read aloud and from afar: no I, L, O, U, 0 and 1."""
LENGTH = 6


def new_code(random: Random, taken: Iterable[str | None], length: int = LENGTH) -> str:
    """Make a code that is not in `taken`."""
    codes = set(taken)
    while True:
        code = "".join(random.choices(ALPHABET, k=length))
        if code not in codes:
            return code


def read_code(text: str) -> str:
    """Return the code that a person typed, in capitals and without spaces and dashes."""
    return "".join(text.upper().replace("-", "").split())
