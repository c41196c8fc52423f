"""Texts of a python-chess board, written several times faster than by python-chess, and read with all checks."""

import chess

from rumble_engine.errors import BadPosition
from rumble_engine.texts import shown

PIECES = str.maketrans("0123456789abcde", ".PNBRQK??pnbrqk")
"""By hexadecimal digit of a square (the kind of piece, plus 8 for black): the character."""
CASTLING = {
    sum(
        mask for mask, bit in zip((chess.BB_H1, chess.BB_A1, chess.BB_H8, chess.BB_A8), bits, strict=True) if bit
    ): "".join(letter for letter, bit in zip("KQkq", bits, strict=True) if bit) or "-"
    for bits in [[number >> i & 1 for i in range(4)] for number in range(16)]
}
EMPTY = [("." * length, str(length)) for length in range(8, 0, -1)]


def rows_of(board: chess.Board) -> list[str]:
    """Return the rows of the board from the top, as texts of eight characters, `.` for empty."""
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    digits = 8 * int(f"{board.occupied_co[chess.BLACK]:b}", 16)
    for number, pieces in enumerate(kinds, 1):
        digits += number * int(f"{pieces:b}", 16)
    cells = f"{digits:064x}".translate(PIECES)
    return [cells[start : start + 8][::-1] for start in range(0, 64, 8)]


def fen_of(board: chess.Board, rows: list[str] | None = None) -> str:
    """Return the position in Forsyth-Edwards Notation; `rows` is the result of `rows_of`, if it is known."""
    placed = "/".join(rows or rows_of(board))
    for dots, length in EMPTY:
        placed = placed.replace(dots, length)
    passing = "-" if board.ep_square is None else chess.SQUARE_NAMES[board.ep_square]
    side, castling = "w" if board.turn else "b", CASTLING[board.castling_rights]
    return f"{placed} {side} {castling} {passing} {board.halfmove_clock} {board.fullmove_number}"


def board_of(fen: str) -> chess.Board:
    """Read a position in Forsyth-Edwards Notation. Raises BadPosition."""
    fields = fen.split(" ") if fen.isascii() and len(fen) <= 120 else []
    try:
        if len(fields) != 6 or not all(field.isdigit() and len(field) < 5 for field in fields[4:]):
            raise ValueError("not six fields")
        board = chess.Board(fen)
    except ValueError as error:
        raise BadPosition(f"{shown(fen)} is not a position in Forsyth-Edwards Notation") from error
    if not board.is_valid():
        raise BadPosition(f"the position cannot occur: {_faults(board.status())}")
    if board.halfmove_clock > 150 or fields[5].startswith("0"):
        raise BadPosition("the count of quiet plies is from 0 to 150, the number of the move from 1 to 9999")
    return board


def _faults(status: chess.Status) -> str:
    return ", ".join(str(fault.name).lower().replace("_", " ") for fault in chess.Status if fault and fault in status)
