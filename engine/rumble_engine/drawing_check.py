"""Checks of a game's drawings and paths. `conformance` runs them for every state of its playouts."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import cycle
from typing import get_args

from rumble_engine.drawing import EMPTY, Colour, Drawing, Path, Shape, Surface
from rumble_engine.game import ALL, Game, State
from rumble_engine.joint import JointState
from rumble_engine.requirement import require as _require

MOST_CELLS = 1024
"""Maximum number of cells of a drawing."""
MOST_CLICKS = 64
"""Maximum number of clicks of a path."""
LONGEST_NAME = 32
"""Maximum number of characters of a label of the board, or of a cell's name."""
LONGEST_LABEL = 2
"""Maximum number of characters of a piece's label."""


class DrawingCheck:
    """A checker of the drawings of a game with fixed settings. Call `check` for each state. Raises ConformanceError.

    `no_moves` are texts that are no moves of the game. If the last move given to `Game.drawing` is such a text, the
    drawing must mark no cell. With the first view, the checker tries all the texts. With each later view, the checker
    tries only the next text of `no_moves`, and after the last one the first again.
    """

    def __init__(self, game: Game, no_moves: Sequence[str]) -> None:
        self._game = game
        self._no_moves = no_moves
        self._turns = cycle(no_moves)
        self._blank: Drawing | None = None
        self._begun = False

    def check(self, state: State, last: str | None) -> None:
        """Check the drawing of a state's view. In a hidden game, check the drawings of the views of all readers."""
        seats = (None, ALL, *range(state.seats)) if self._game.hides else (None,)
        for seat in seats:
            self._check_view(state, seat, last)

    def _check_view(self, state: State, seat: int | None, last: str | None) -> None:
        game, view = self._game, state.view(seat)
        # A joint move is entered seat by seat, and chance is not entered.
        is_entered = not isinstance(state, JointState) and seat in (None, *state.movers)
        texts = list(state.legal_moves) if is_entered and not state.is_chance else []
        drawing = game.drawing(view, last)
        paths = [game.path(view, text) for text in texts]
        _require(view == state.view(seat), "drawing() or path() changed the view it was given")
        blank = None if drawing is None else replace(drawing, board=EMPTY * len(drawing.board), last=())
        _require(not self._begun or blank == self._blank, "two drawings differ in more than board and last")
        first, self._blank, self._begun = not self._begun, blank, True
        if drawing is None:
            _require(not any(paths), "path() gives cells, but drawing() gives None")
            return
        if first:
            _check_fields(drawing)
        _check_board(drawing)
        _check_paths(drawing, paths)
        for text in self._no_moves if first else (next(self._turns),):
            other = game.drawing(view, text)
            _require(other and not other.last, "drawing() marks cells for a text that is no move")


def _check_fields(drawing: Drawing) -> None:
    """Check those fields of `drawing` that must be the same in all drawings of a match."""
    data = {**asdict(drawing), **{name: list(getattr(drawing, name)) for name in _LISTS}}
    _require(json.loads(json.dumps(data, allow_nan=False)) == data, "the drawing is not JSON data")
    cells, columns = len(drawing.board), drawing.columns
    _require(0 < columns <= cells <= MOST_CELLS, f"a drawing has 1 to {MOST_CELLS} cells and at least one column")
    _require(cells % columns == 0, f"the drawing's {cells} cells are not rows of {columns}")
    _require(drawing.surface in get_args(Surface), f"{drawing.surface!r} is no surface")
    for mark, piece in drawing.pieces.items():
        _require(len(mark) == 1 and mark.isprintable() and mark != EMPTY, f"{mark!r} is not one character for a piece")
        _require(piece.name and piece.name.isprintable(), f"the piece {mark} has no name of one line")
        _require(piece.shape in get_args(Shape), f"{piece.shape!r} is no shape")
        _require(piece.colour in get_args(Colour), f"{piece.colour!r} is no colour")
        label = piece.label
        _require(len(label) <= LONGEST_LABEL and label.isprintable(), f"{label!r} is no label of a piece")
    for what, given, wanted in (
        ("column_labels", len(drawing.column_labels), columns),
        ("top_labels", len(drawing.top_labels), columns),
        ("row_labels", len(drawing.row_labels), drawing.rows),
        ("names", len(drawing.names), cells),
        ("edges", len(drawing.edges), 4),
    ):
        _require(given in (0, wanted), f"{what} has {given} entries, not {wanted} or none")
    _require(set(drawing.edges) <= set(get_args(Colour)), "edges are of the colours of pieces")
    words = (*drawing.names, *drawing.column_labels, *drawing.row_labels, *drawing.top_labels)
    _require(all(len(word) <= LONGEST_NAME and word.isprintable() for word in words), "a label is not a short line")


def _check_board(drawing: Drawing) -> None:
    """Check the fields of a drawing that change with every move."""
    unknown = set(drawing.board) - {EMPTY, *drawing.pieces}
    _require(not unknown, f"the board has characters that pieces does not explain: {' '.join(sorted(unknown))}")
    _require(
        all(type(cell) is int and 0 <= cell < len(drawing.board) for cell in drawing.last),
        "last is not cells of the board",
    )


def _check_paths(drawing: Drawing, paths: Sequence[Path]) -> None:
    cells, begun = len(drawing.board), {path[:length] for path in paths for length in range(1, len(path))}
    lists = [[list(click) for click in path] for path in paths]
    _require(json.loads(json.dumps(paths)) == lists, "a path is not JSON data")
    for path in paths:
        _require(len(path) <= MOST_CLICKS, f"a path is at most {MOST_CLICKS} clicks")
        for click in path:
            _require(click, "a click of a path has no cell")
            _require(all(type(cell) is int and 0 <= cell < cells for cell in click), "a path leaves the board")
            _require(all(not drawing.names or drawing.names[cell] for cell in click), "a path has a cell without name")
        _require(path not in begun, "the path of a move begins that of another")


_LISTS = ("column_labels", "row_labels", "names", "last", "edges", "top_labels")
