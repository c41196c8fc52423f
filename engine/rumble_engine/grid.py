"""Boards on which stones fall down columns, as in connect four. A set of cells is a bit mask.

Each cell is a bit. Columns follow each other from the left; the bits of a column are its rows from the bottom, then a
sentinel that is always 0. Without the sentinel, a line could leave a column at the top and go on at the bottom of the
next column. The layout is John Tromp's, https://tromp.github.io/c4/c4.html.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from string import ascii_lowercase

DRAWN = str.maketrans("012", ".XO")


class Grid:
    """A shape of board for falling stones, with masks and tables.

    Call the function `grid` instead of this class. Equal shapes then give the same object, even after pickling.
    So comparisons are fast.
    """

    def __init__(self, columns: int, rows: int, connect: int) -> None:
        self.columns, self.rows, self.connect = columns, rows, connect
        self.height = height = rows + 1
        self.letters = tuple(ascii_lowercase[:columns])
        self.index = {letter: column for column, letter in enumerate(self.letters)}
        self.bottoms = tuple(1 << column * height for column in range(columns))
        self.tops = tuple(bottom << rows - 1 for bottom in self.bottoms)
        self.base, self.roof = sum(self.bottoms), sum(self.tops)
        self.full = sum(bottom * ((1 << rows) - 1) for bottom in self.bottoms)
        self.directions = tuple(tuple(_shifts(step, connect)) for step in (1, height - 1, height, height + 1))
        self.lines = self.open_lines(0)
        self._drawn = tuple(
            sum(_mark(key, row) << 4 * columns * row for row in range(rows)) for key in range(1 << height)
        )
        """For each state of a column, a number with the marks of the column's cells, from which `draw` makes the board.

        The index is the column's part of `key(o, filled)`, where `o` is the mask of O's stones. The number has a
        hexadecimal digit for each cell: 1 for X, 2 for O, 0 if empty. The lowest digit is the bottom row. The digits of
        neighbouring rows are `columns` places apart; `draw` puts the digits of the other columns between them.
        """
        self._text = f"%0{columns * rows}x"
        self.open: dict[int, tuple[int, ...]] = {}
        """For each mask of taken cells in the top row, the indexes of the columns that are not full, from the left."""
        self.open_letters: dict[int, tuple[str, ...]] = {}
        """For each mask of taken cells in the top row, the letters of the columns that are not full, from the left."""
        for taken in product((False, True), repeat=columns):
            roof = sum(top for top, is_taken in zip(self.tops, taken, strict=True) if is_taken)
            self.open[roof] = tuple(column for column, is_taken in enumerate(taken) if not is_taken)
            self.open_letters[roof] = tuple(self.letters[column] for column in self.open[roof])

    def __reduce__(self) -> tuple[object, tuple[int, int, int]]:
        return grid, (self.columns, self.rows, self.connect)

    def has_line(self, stones: int) -> bool:
        """Return true if the mask `stones` has a line of `connect` stones in any direction."""
        for shifts in self.directions:
            runs = stones
            for shift in shifts:
                runs &= runs >> shift
            if runs:
                return True
        return False

    def open_lines(self, blocked: int) -> int:
        """Return the number of possible lines of `connect` cells in which no cell is in the mask `blocked`."""
        free = self.full & ~blocked
        count = 0
        for shifts in self.directions:
            runs = free
            for shift in shifts:
                runs &= runs >> shift
            count += runs.bit_count()
        return count

    def top_stones(self, filled: int) -> Iterator[int]:
        """Yield the topmost stone of each column that has stones, as a mask."""
        # Adding a column's lowest bit carries through its stones into its first empty cell, one above the topmost.
        tops = (filled + self.base) >> 1 & filled
        while tops:
            yield tops & -tops
            tops &= tops - 1

    def key(self, mine: int, filled: int) -> int:
        """Return a number for a position. The mirror image of the position has the same number.

        Each column has its own bits of the number: a bit for each stone of the mover, and a bit just above the highest
        stone. Below the highest of these bits, each cell whose bit is 0 has a stone of the opponent.
        """
        key, mirrored, height = mine + filled + self.base, 0, self.height
        rest, column = key, (1 << height) - 1
        while rest:
            mirrored = mirrored << height | rest & column
            rest >>= height
        return min(key, mirrored)

    def draw(self, filled: int, o: int) -> str:
        """Return the board as a text of `X`, `O` and `.`, row by row from the top."""
        drawn, height, column = self._drawn, self.height, len(self._drawn) - 1
        key = o + filled + self.base  # as in the method `key`, here with the stones of O
        digits = 0
        for _ in self.letters:
            digits = (digits << 4) + drawn[key & column]
            key >>= height
        return (self._text % digits).translate(DRAWN)


def _mark(key: int, row: int) -> int:
    """Return the mark of a cell: 1 for X, 2 for O, 0 if empty. `key` has the column's bits of `Grid.key(o, filled)`."""
    if key >> row < 2:
        return 0
    return 2 if key >> row & 1 else 1


def _shifts(step: int, connect: int) -> Iterator[int]:
    """Yield the shifts with which to find lines of `connect` stones in the direction `step`.

    After `runs &= runs >> shift` for each shift, a bit is left for each line. Each shift can at most double the length
    of the lines found so far: a line of four takes two shifts.
    """
    length = 1
    while length < connect:
        more = min(length, connect - length)
        yield more * step
        length += more


@cache
def grid(columns: int, rows: int, connect: int) -> Grid:
    """Return the grid of this shape. Equal shapes give the same object."""
    return Grid(columns, rows, connect)
