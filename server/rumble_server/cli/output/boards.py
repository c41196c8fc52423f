"""Boards on a terminal: pieces in the colours of their seats, and the last move between brackets.

Each seat also has its own letters, so a board is as readable without colours. Nearly everyone can tell blue from
orange, on a dark and on a light background.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text
from rumble_engine import Game, State
from rumble_engine.drawing import EMPTY

from rumble_server.cli.output.terminal import plain, plain_lines

SEATS = {0: "bold color(33)", 1: "color(166)"}
"""The rich style of each seat's pieces."""
QUIET = "dim"


def draws(console: Console) -> bool:
    """Return whether a console shows drawn boards: only terminals that can do more than write lines."""
    return console.is_terminal and not console.is_dumb_terminal


def board_of(console: Console, game: Game, state: State, last: str | None) -> Text:
    """Return the board after a move: drawn on a terminal if the game has drawings, otherwise the plain diagram."""
    drawing = game.drawing(state.view(), last) if draws(console) else None
    return Text(plain_lines(state.diagram())) if drawing is None else drawn(asdict(drawing))


def drawn(drawing: Mapping[str, Any]) -> Text:
    """Draw a `Drawing` given as JSON data."""
    drawing = plain({**drawing, **{name: list(drawing[name]) for name in ("names", "row_labels", "column_labels")}})
    board, columns, names, last = drawing["board"], drawing["columns"], drawing["names"], set(drawing["last"])
    cell_width = max((len(name) for name in names), default=1)
    label_width = max((len(label) for label in drawing["row_labels"]), default=0)
    slant = 1 if drawing["surface"] == "hexagons" else 0
    text = Text()
    for row in range(len(board) // columns):
        label = drawing["row_labels"][row] if drawing["row_labels"] else ""
        text.append(" " * (slant * row) + label.rjust(label_width), QUIET)
        for cell in range(row * columns, (row + 1) * columns):
            text.append(_before(cell > row * columns and cell - 1 in last, cell in last), "bold")
            piece = drawing["pieces"].get(board[cell])
            empty = (names[cell] if names else EMPTY) if board[cell] == EMPTY else board[cell]
            text.append(empty.rjust(cell_width), QUIET if piece is None else SEATS.get(piece["seat"], ""))
        text.append("]\n" if cell in last else "\n", "bold")
    if drawing["column_labels"]:
        indent = " " * (slant * len(board) // columns + label_width)
        text.append(indent + "".join(f" {label:>{cell_width}}" for label in drawing["column_labels"]), QUIET)
    text.rstrip()
    return text


def _before(after_last: bool, is_last: bool) -> str:
    """Return the character before a cell: a bracket or bar around a cell of the last move, otherwise a space."""
    if is_last:
        return "|" if after_last else "["
    return "]" if after_last else " "
