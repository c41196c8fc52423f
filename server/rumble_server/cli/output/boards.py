"""Boards on a terminal: pieces in the colours of their seats, and the last move between brackets.

Each seat also has its own letters or labels, so a board can be read without colours, too. The first two seats are blue
and orange. Nearly everyone can tell blue from orange, on a dark and on a light background.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text
from rumble_engine import Game
from rumble_engine.drawing import EMPTY

from rumble_server.cli.output.terminal import plain, plain_lines

COLOURS = (33, 166, 35, 134, 160, 37, 137, 205)
SEATS = {seat: f"{'' if seat % 2 else 'bold '}color({colour})" for seat, colour in enumerate(COLOURS)}
"""Style of the pieces by seat, as the library rich writes styles."""
QUIET = "dim"
LISTS = ("names", "row_labels", "column_labels", "top_labels")


def draws(console: Console) -> bool:
    """Return whether a console shows drawn boards. Drawn boards need a terminal that can do more than write lines."""
    return console.is_terminal and not console.is_dumb_terminal


def board_of(console: Console, game: Game, view: Mapping[str, Any], last: str | None) -> Text:
    """Return the board of `view`. A drawn board marks the move `last`.

    The board is drawn if the console shows drawn boards and the game has drawings. Otherwise the board is the game's
    diagram.
    """
    drawing = game.drawing(view, last) if draws(console) else None
    return Text(plain_lines(game.diagram(view))) if drawing is None else draw_board(asdict(drawing))


def draw_board(drawing: Mapping[str, Any]) -> Text:
    """Draw a `Drawing` given as JSON data."""
    drawing = plain({**drawing, **{name: list(drawing.get(name, ())) for name in LISTS}})
    board, columns, names, last = drawing["board"], drawing["columns"], drawing["names"], set(drawing["last"])
    labels = [piece.get("label", "") for piece in drawing["pieces"].values()]
    cell_width = max(map(len, (EMPTY, *names, *labels, *drawing["top_labels"], *drawing["column_labels"])))
    label_width = max((len(label) for label in drawing["row_labels"]), default=0)
    slant = 1 if drawing["surface"] == "hexagons" else 0
    text = Text()
    _append_labels(text, drawing["top_labels"], label_width, cell_width)
    for row in range(len(board) // columns):
        label = drawing["row_labels"][row] if drawing["row_labels"] else ""
        text.append(" " * (slant * row) + label.rjust(label_width), QUIET)
        for cell in range(row * columns, (row + 1) * columns):
            text.append(_before(cell > row * columns and cell - 1 in last, cell in last), "bold")
            piece = drawing["pieces"].get(board[cell])
            if piece is None:
                text.append((names[cell] if names and board[cell] == EMPTY else board[cell]).rjust(cell_width), QUIET)
            else:
                text.append((piece.get("label") or board[cell]).rjust(cell_width), SEATS.get(piece["seat"], ""))
        text.append("]\n" if cell in last else "\n", "bold")
    _append_labels(text, drawing["column_labels"], slant * len(board) // columns + label_width, cell_width)
    text.rstrip()
    return text


def _append_labels(text: Text, labels: Sequence[str], indent: int, cell_width: int) -> None:
    """Append a line with a label for each column, if there are labels."""
    if labels:
        text.append(" " * indent + "".join(f" {label:>{cell_width}}" for label in labels) + "\n", QUIET)


def _before(after_last: bool, is_last: bool) -> str:
    """Return the character before a cell: a bracket or bar next to a cell of the last move, otherwise a space.

    `is_last` is true if the cell belongs to the last move, `after_last` if the preceding cell belongs to the last move.
    """
    if is_last:
        return "|" if after_last else "["
    return "]" if after_last else " "
