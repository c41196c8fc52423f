"""The moves of kings, pawns and queens on 4x4.

A board is sixteen characters, row by row from the top; a square is an index into these characters. A code is the start
square times 16, plus the end square.
"""

from collections.abc import Iterator
from functools import lru_cache

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def _away(square: int, down: int, across: int) -> int | None:
    row, column = square // 4 + down, square % 4 + across
    return row * 4 + column if 0 <= row < 4 and 0 <= column < 4 else None


def _ray(square: int, down: int, across: int) -> Iterator[int]:
    while (end := _away(square, down, across)) is not None:
        yield end
        square = end


RAYS = tuple(tuple(ray for step in AROUND if (ray := tuple(_ray(square, *step)))) for square in range(16))
"""For each start square and each direction, the squares in this direction, nearest first."""
AHEAD = tuple(tuple(_away(square, down, 0) for square in range(16)) for down in (-1, 1))
"""The square in front of a pawn, by the pawn's seat and square; None off the board."""
ASLANT = tuple(
    tuple(tuple(end for across in (-1, 1) if (end := _away(square, down, across)) is not None) for square in range(16))
    for down in (-1, 1)
)
"""The squares that a pawn attacks, by the pawn's seat and square."""
PIECES = (("K", "P", "Q"), ("k", "p", "q"))
"""The king, pawn and queen of each seat."""
LAST = (range(4), range(12, 16))
"""By seat, the squares of the row at the far end of the board, where the seat's pawns arrive."""


def moved(board: str, start: int, end: int) -> str:
    """Return the board after moving the piece on `start` to `end`."""
    pieces = list(board)
    pieces[start], pieces[end] = ".", board[start]
    return "".join(pieces)


def attacked(board: str, square: int, by: int) -> bool:
    """Return whether a piece of the seat `by` attacks the square."""
    king, pawn, queen = PIECES[by]
    for ray in RAYS[square]:
        if board[ray[0]] == king:
            return True
        for end in ray:
            if board[end] != ".":
                if board[end] == queen:
                    return True
                break
    # A pawn of `by` attacks the square from where a pawn of the other seat on the square would attack.
    return any(board[end] == pawn for end in ASLANT[1 - by][square])


def pseudo_moves(board: str, mover: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end square of every move, also of moves after which the mover's king is attacked."""
    mine, (king, pawn, queen) = PIECES[mover], PIECES[mover]
    for start in range(16):
        piece = board[start]
        if piece == pawn:
            ahead = AHEAD[mover][start]
            if ahead is not None and board[ahead] == ".":
                yield start, ahead
            for end in ASLANT[mover][start]:
                if board[end] != "." and board[end] not in mine:
                    yield start, end
        elif piece in (king, queen):
            for ray in RAYS[start]:
                for end in ray:
                    if board[end] not in mine:
                        yield start, end
                    if board[end] != "." or piece == king:
                        break


@lru_cache(maxsize=1 << 15)  # a search meets the same few boards again and again
def legal_moves(board: str, mover: int) -> tuple[int, ...]:
    """Return the codes of the moves after which the mover's king is not attacked, in ascending order."""
    king = "Kk"[mover]
    found = []
    for start, end in pseudo_moves(board, mover):
        later = moved(board, start, end)
        if not attacked(later, later.index(king), 1 - mover):
            found.append(start << 4 | end)
    return tuple(sorted(found))
