"""Standard Algebraic Notation: moves as people write them, `Nbd7`, `exd6`, `O-O`, `e8=Q#`.

Rules: the Portable Game Notation standard (S. J. Edwards, 1994), section 8.2.3.
"""

from rumble_engine.game import State
from rumble_engine.games.chess.fen import CELLS, attackers


def san(state: State, move: str) -> str:
    """Return a legal move, such as `g1f3`, as people write it: `Nf3`. Raises the errors of `State.play`."""
    after = state.play(move)
    start, end, cells = move[:2], move[2:4], state.view()["board"]
    man = cells[CELLS[start]].upper()
    takes = "x" if cells[CELLS[end]] != "." or (man == "P" and start[0] != end[0]) else ""
    if man == "K" and abs(ord(start[0]) - ord(end[0])) == 2:
        text = "O-O" if end[0] == "g" else "O-O-O"
    elif man == "P":
        text = f"{start[0] if takes else ''}{takes}{end}"
        if len(move) == 5:
            text += f"={move[4].upper()}"
    else:
        text = f"{man}{_which(state, cells, start, end)}{takes}{end}"
    return text + _check(after)


def spellings(state: State, move: str) -> list[str]:
    """Return all texts by which people may write a legal move, the standard text first.

    The other texts of a piece's move give the start square by its file, its rank, both or neither. The other text of a
    pawn's promotion leaves out the new piece.
    """
    usual, start, end = san(state, move), move[:2], move[2:4]
    if usual[0] in "KQRBN":
        others = [f"{usual[0]}{which}{end}" for which in ("", start[0], start[1], start)]
    else:
        others = [usual.partition("=")[0]]
    return list(dict.fromkeys([usual, *others]))


def _which(state: State, cells: str, start: str, end: str) -> str:
    """Return the part of `start` that distinguishes the moving piece from equal pieces that can also go to `end`.

    The part is the column, the row or both. Return an empty text if no equal piece can go to `end`.
    """
    man = cells[CELLS[start]]
    others = [
        other[:2]
        for other in state.legal_moves
        if other[2:4] == end and other[:2] != start and cells[CELLS[other[:2]]] == man
    ]
    if not others:
        return ""
    if all(other[0] != start[0] for other in others):
        return start[0]
    return start[1] if all(other[1] != start[1] for other in others) else start


def _check(after: State) -> str:
    view = after.view()
    king = view["board"].index("k" if view["to_move"] else "K")
    if not attackers(view["board"], king):
        return ""
    return "#" if after.outcome is not None and after.outcome.reason == "checkmate" else "+"
