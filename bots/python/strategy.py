"""The strategy of the bot: change `choose`."""

import random
from typing import Any

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def choose(turn: dict[str, Any]) -> str:
    """Return one of the moves in `turn["legal"]`. `turn["state"]` is the position, `turn["seat"]` your seat.

    In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other move is random.
    """
    if turn["game"] == "tictactoe":
        board = turn["state"]["board"]
        for mark in "XO" if turn["seat"] == 0 else "OX":
            for line in LINES:
                marks = [board[int(square)] for square in line]
                if sorted(marks) == [".", mark, mark]:
                    return line[marks.index(".")]
    return str(random.choice(turn["legal"]))
