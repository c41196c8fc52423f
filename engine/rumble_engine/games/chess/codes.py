"""Chess moves as integers.

A code is the start square times 64, plus the end square, plus 4096 times the new piece of a promotion. Squares count
from 0 at a1 to 63 at h8; knight, bishop, rook and queen are 2 to 5.
"""

NAMES = tuple(column + row for row in "12345678" for column in "abcdefgh")
"""The name of each square."""
TEXTS = tuple(start + end + piece for piece in ("", "", "n", "b", "r", "q") for start in NAMES for end in NAMES)
"""The text of each code, in the notation of the Universal Chess Interface: `e2e4`, `e7e8q`."""
# Codes from 4096 to 8191 would promote to a pawn, so no move has them; `TEXTS` repeats the texts of 0 to 4095 there.
CODES = {text: code for code, text in enumerate(TEXTS) if not 4096 <= code < 8192}
"""The code of each text. All pairs of squares and all promotions between two squares are included, possible or not."""
