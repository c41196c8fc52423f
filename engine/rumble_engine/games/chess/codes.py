"""Chess moves as integers: the square left times 64, plus the square reached, plus 4096 times the piece promoted to.

Squares count from 0 at a1 to 63 at h8; knight, bishop, rook and queen are 2 to 5.
"""

NAMES = tuple(column + row for row in "12345678" for column in "abcdefgh")
"""By square: its name."""
TEXTS = tuple(start + end + piece for piece in ("", "", "n", "b", "r", "q") for start in NAMES for end in NAMES)
"""By code: the move in the notation of the Universal Chess Interface, `e2e4`, `e7e8q`."""
CODES = {text: code for code, text in enumerate(TEXTS) if not 4096 <= code < 8192}
"""By such a text: the code. It has every pair of squares, and all promotions between them."""
