"""The legal moves of a python-chess board as integers, several times faster than as `chess.Move` objects.

A code is the square left times 64, plus the square reached, plus 4096 times the piece promoted to. Out of check, the
moves are taken from python-chess's attack tables, and pinned pieces stay on their lines; in check, python-chess itself
lists the few moves. The board's `ep_square` must be set only where a capture in passing is legal.
"""

import chess

TEXTS = tuple(start + end for start in chess.SQUARE_NAMES for end in chess.SQUARE_NAMES)
SUFFIXES = ("", "", "n", "b", "r", "q")
SQUARES = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
PROMOTIONS = {"": 0, "n": 2, "b": 3, "r": 4, "q": 5}
AHEAD = {chess.WHITE: 8, chess.BLACK: -8}
THIRD = {chess.WHITE: chess.BB_RANK_3, chess.BLACK: chess.BB_RANK_6}
EDGES = chess.BB_RANK_1 | chess.BB_RANK_8


def text_of(code: int) -> str:
    """Return the move in the notation of the Universal Chess Interface: `e2e4`, `e7e8q`."""
    return TEXTS[code & 4095] + SUFFIXES[code >> 12]


def read(text: str) -> int | None:
    """Return the code of a text that looks like a move; None for another text."""
    start, end, piece = SQUARES.get(text[:2]), SQUARES.get(text[2:4]), PROMOTIONS.get(text[4:])
    return None if start is None or end is None or piece is None else piece << 12 | start << 6 | end


def as_move(code: int) -> chess.Move:
    """Return the move as an object of python-chess."""
    return chess.Move(code >> 6 & 63, code & 63, code >> 12 or None)


def as_code(move: chess.Move) -> int:
    """Return the code of a move of python-chess."""
    return (move.promotion or 0) << 12 | move.from_square << 6 | move.to_square


def legal_codes(board: chess.Board) -> list[int]:
    """Return the codes of all legal moves, in rising order."""
    us = board.turn
    own, theirs, occupied = board.occupied_co[us], board.occupied_co[not us], board.occupied
    king = (board.kings & own).bit_length() - 1
    if board.attackers_mask(not us, king):
        return sorted([as_code(move) for move in board.generate_legal_moves()])
    pinned = _pinned(board, king, own, theirs)
    knights, diagonal, straight = board.knights, board.bishops | board.queens, board.rooks | board.queens
    free = ~own
    codes: list[int] = []
    pieces = own & ~board.pawns
    while pieces:
        square = (pieces & -pieces).bit_length() - 1
        pieces &= pieces - 1
        bit = 1 << square
        if knights & bit:
            targets = chess.BB_KNIGHT_ATTACKS[square]
        elif square == king:
            targets = chess.BB_KING_ATTACKS[square]
        else:
            targets = 0
            if diagonal & bit:
                targets = chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
            if straight & bit:
                targets |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
                targets |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
        targets &= free
        if pinned >> square & 1:
            targets &= chess.ray(king, square)
        base = square << 6
        while targets:
            end = (targets & -targets).bit_length() - 1
            targets &= targets - 1
            if square != king or not board.attackers_mask(not us, end):
                codes.append(base | end)
    _add_pawn_moves(codes, board, king, pinned, theirs, occupied)
    if board.castling_rights & (chess.BB_RANK_1 if us else chess.BB_RANK_8):
        codes += [as_code(move) for move in board.generate_castling_moves()]
    codes.sort()
    return codes


def _pinned(board: chess.Board, king: int, own: int, theirs: int) -> int:
    """Return the pieces of `own` that alone stand between the king and a sliding piece of the other side."""
    straight = chess.BB_RANK_ATTACKS[king][0] | chess.BB_FILE_ATTACKS[king][0]
    snipers = straight & (board.rooks | board.queens) | chess.BB_DIAG_ATTACKS[king][0] & (board.bishops | board.queens)
    snipers &= theirs
    pinned = 0
    while snipers:
        blockers = chess.between(king, (snipers & -snipers).bit_length() - 1) & board.occupied
        snipers &= snipers - 1
        if blockers & own and not blockers & (blockers - 1):
            pinned |= blockers
    return pinned


def _add_pawn_moves(codes: list[int], board: chess.Board, king: int, pinned: int, theirs: int, occupied: int) -> None:
    us, ahead = board.turn, AHEAD[board.turn]
    pawns = board.pawns & board.occupied_co[us]
    west, east = pawns & ~chess.BB_FILE_A, pawns & ~chess.BB_FILE_H
    if us:
        one = pawns << 8 & ~occupied
        two = (one & THIRD[us]) << 8 & ~occupied
        groups = ((one, ahead), (two, 16), (west << 7 & theirs, 7), (east << 9 & theirs, 9))
    else:
        one = pawns >> 8 & ~occupied
        two = (one & THIRD[us]) >> 8 & ~occupied
        groups = ((one, ahead), (two, -16), (west >> 9 & theirs, -9), (east >> 7 & theirs, -7))
    for targets, step in groups:
        while targets:
            end = (targets & -targets).bit_length() - 1
            targets &= targets - 1
            start = end - step
            if pinned >> start & 1 and not chess.ray(king, start) >> end & 1:
                continue
            code = start << 6 | end
            if EDGES >> end & 1:
                codes += (code | 2 << 12, code | 3 << 12, code | 4 << 12, code | 5 << 12)
            else:
                codes.append(code)
    if board.ep_square is not None:
        codes += [as_code(move) for move in board.generate_legal_ep()]
