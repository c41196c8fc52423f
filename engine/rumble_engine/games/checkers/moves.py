"""The moves of checkers on 32 squares: tables of steps and jumps, the legal moves of a position, and moves as text.

Squares are counted from 0 here, row by row from black's side. The code of a move has a leading bit 1, and
then five bits for each square that the move touches.
"""

from collections.abc import Iterator
from functools import cache

ALL = (1 << 32) - 1
FAR = (0xF000_0000, 0xF)
"""Masks of the row on which men become kings, by seat."""


def _walk(square: int, down: int, across: int) -> int | None:
    """Return the dark square that is `down` rows and `across` columns away; None off the board."""
    row, column = square // 4 + down, square % 4 * 2 + 1 - square // 4 % 2 + across
    return row * 4 + column // 2 if 0 <= row < 8 and 0 <= column < 8 else None


def _reach(length: int, *downs: int) -> tuple[tuple[int, ...], ...]:
    found = [
        [_walk(square, down * length, side * length) for down in downs for side in (-1, 1)] for square in range(32)
    ]
    return tuple(tuple(-1 if end is None else end for end in ends) for ends in found)


STEPS = (_reach(1, 1), _reach(1, -1), _reach(1, 1, -1))
"""The squares one step away (-1 off the board), by kind of piece and square.

The kinds are a man of seat 0, a man of seat 1, and a king.
"""
JUMPS = (_reach(2, 1), _reach(2, -1), _reach(2, 1, -1))
"""The squares two steps away (-1 off the board), by kind of piece and square, in the order of `STEPS`."""
BETWEEN = {
    (start, end): 1 << over
    for start in range(32)
    for over, end in zip(STEPS[2][start], JUMPS[2][start], strict=True)
    if end >= 0
}
"""Masks of the square that a jump passes over, by the start and end of the jump."""


@cache
def text_of(code: int) -> str:
    """Return a move as text: its squares, counted from 1, joined by `-` (for a step) or `x` (for jumps)."""
    path = path_of(code)
    return ("-" if len(path) == 2 and (path[0], path[1]) not in BETWEEN else "x").join(str(s + 1) for s in path)


def path_of(code: int) -> list[int]:
    """Return the start square of a move, and then each square on which the piece lands."""
    path = []
    while code > 1:
        path.append(code & 31)
        code >>= 5
    return path[::-1]


def read(text: str) -> int | None:
    """Return the code of a move from its text: two squares with `-` between, or two or more squares with `x` between.

    Return None if the text has neither form. The move may be illegal.
    """
    parts = text.split("-" if "-" in text else "x") if len(text) <= 40 else []
    if len(parts) < 2 or ("-" in text and len(parts) > 2) or not all(part in NUMBERS for part in parts):
        return None
    code = 1
    for part in parts:
        code = code << 5 | NUMBERS[part]
    return code


NUMBERS = {str(square + 1): square for square in range(32)}


def _squares_in(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def legal_moves(black: int, white: int, kings: int, mover: int) -> tuple[int, ...]:
    """Return the codes of all jumps, or of all steps if no jump is possible."""
    mine, theirs = (white, black) if mover else (black, white)
    free, jumps = ALL & ~(black | white), []
    for square in _squares_in(mine):
        kind = 2 if kings >> square & 1 else mover
        # The square left is free for the further jumps of the piece.
        jumps += _jumps(1 << 5 | square, square, kind, theirs, free | 1 << square, FAR[mover] if kind < 2 else 0)
    if jumps:
        return tuple(jumps)
    return tuple(
        [
            (1 << 5 | square) << 5 | end
            for square in _squares_in(mine)
            for end in STEPS[2 if kings >> square & 1 else mover][square]
            if end >= 0 and free >> end & 1
        ]
    )


def _jumps(code: int, square: int, kind: int, theirs: int, free: int, crown: int) -> list[int]:
    """Return the codes of all complete jumps that continue from `square`. `code` has the squares up to `square`."""
    found = []
    for over, end in zip(STEPS[kind][square], JUMPS[kind][square], strict=True):
        if end >= 0 and theirs >> over & 1 and free >> end & 1:
            so_far = code << 5 | end
            further = [] if crown >> end & 1 else _jumps(so_far, end, kind, theirs ^ 1 << over, free, crown)
            found += further or [so_far]
    return found
