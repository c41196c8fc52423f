"""Boards as SVG, drawn by the server. In the browser, `static/drawing.js` draws the same SVG, element by element.

The server draws for browsers without scripts. In other browsers, the script draws each move without a request to the
server. A cell is 100 units wide; colours are classes of `static/css/board.css`. Texts of a game are escaped.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from markupsafe import Markup, escape
from rumble_engine import Drawing, Piece

SHAPES: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "static" / "shapes.js")
    .read_text(encoding="utf-8")
    .removeprefix("export default ")
    .rstrip(";\n")
)
"""The paths of each shape. A path is a pair: its CSS class, and its data in SVG. The paths are read from `shapes.js`,
which is JSON after the words `export default`."""

MARGIN, LABELLED = 8, 46
"""Width of the margin at a side of the board: without labels, and with labels."""
DOWN = 87
"""The distance between two rows of hexagons; a hexagon is 100 wide and 116 high."""
HEXAGON = "m0-58l50 29v58l-50 29l-50-29v-58z"
ON_SQUARES = ("grid", "chequered", "felt", "points")
"""Surfaces on which the squares of the last move are marked. On other surfaces, rings mark the pieces of the move."""

Spot = tuple[int, int]


class BoardLayout:
    """The positions of cells, labels and corners on a board."""

    def __init__(self, drawing: Drawing, flipped: bool) -> None:
        self.columns, self.rows = columns, rows = drawing.columns, drawing.rows
        self._is_flipped = flipped and drawing.facing
        self._is_slanted = drawing.surface == "hexagons"
        if self._is_slanted:
            self.left, self.top = 186, 150
            self.width = self.left + 100 * (columns - 1) + 50 * (rows - 1) + 160
            self.height = self.top + DOWN * (rows - 1) + 100
        else:
            self.left = (LABELLED if drawing.row_labels else MARGIN) + 50
            self.top = (LABELLED if drawing.top_labels else MARGIN) + 50
            self.width = self.left + 100 * columns - 50 + MARGIN
            self.height = self.top + 100 * rows - 50 + (LABELLED if drawing.column_labels else MARGIN)

    def _at(self, row: int, column: int) -> Spot:
        if self._is_slanted:
            return self.left + 100 * column + 50 * row, self.top + DOWN * row
        return self.left + 100 * column, self.top + 100 * row

    def cell(self, cell: int) -> Spot:
        """Return the middle of a cell."""
        return self._at(*divmod(self.columns * self.rows - 1 - cell if self._is_flipped else cell, self.columns))

    def column_label(self, column: int) -> Spot:
        column = self.columns - 1 - column if self._is_flipped else column
        x, y = self._at(0 if self._is_slanted else self.rows - 1, column)
        return (x - 68, y - 118) if self._is_slanted else (x, y + 74)

    def top_label(self, column: int) -> Spot:
        x, y = self.cell(column)
        return x, y - 74

    def row_label(self, row: int) -> Spot:
        x, y = self._at(self.rows - 1 - row if self._is_flipped else row, 0)
        return x - (138 if self._is_slanted else 74), y

    def corners(self) -> tuple[Spot, Spot, Spot, Spot, Spot]:
        """Return the corners of the coloured edge around hexagons, and the middle of the board.

        The corners are in clockwise order from the top left. The middle is last.
        """
        (a, b), (c, d) = self._at(0, 0), self._at(0, self.columns - 1)
        (e, f), (g, h) = self._at(self.rows - 1, self.columns - 1), self._at(self.rows - 1, 0)
        middle = (a + e) // 2, (b + f) // 2
        return (a - 150, b - 87), (c + 50, d - 87), (e + 150, f + 87), (g - 50, h + 87), middle


def describe(drawing: Drawing) -> str:
    """Write the position in words, for screen readers: `X: 0, 4. O: 8.`

    Pieces on cells with the same name are counted: `white: 6 (5).` A board without names is read row by row.
    """
    if drawing.names or drawing.column_labels or drawing.row_labels:
        parts = [_where(drawing, mark) for mark in drawing.pieces]
    else:
        starts = range(0, len(drawing.board), drawing.columns)
        rows = [drawing.board[start : start + drawing.columns] for start in starts]
        parts = [" ".join(drawing.pieces[mark].name for mark in row if mark in drawing.pieces) for row in rows]
    return " ".join(f"{each}." for each in parts if each) or "Nothing on the board."


def _where(drawing: Drawing, mark: str) -> str:
    """Write the name of a piece with the names of its cells; empty for a piece that is not on the board."""
    counts = Counter(drawing.name_of(cell) for cell, found in enumerate(drawing.board) if found == mark)
    between = "; " if "," in "".join(counts) else ", "
    cells = between.join(f"{name} ({count})" if count > 1 else name for name, count in counts.items() if name)
    return drawing.pieces[mark].name + (f": {cells}" if cells else "") if counts else ""


def svg(drawing: Drawing, label: str, flipped: bool = False) -> Markup:
    """Draw the board. Screen readers read `label`, and then the position in words."""
    plan = BoardLayout(drawing, flipped)
    return _tag(
        "svg",
        {"viewBox": f"0 0 {plan.width} {plan.height}", "role": "img", "aria-label": f"{label}. {describe(drawing)}"},
        _tag("g", {"class": "surface"}, *SURFACES[drawing.surface](drawing, plan), *_labels(drawing, plan)),
        *_last(drawing, plan, under=True),
        _tag("g", {"class": "pieces"}, *_pieces(drawing, plan)),
        *_last(drawing, plan, under=False),
    )


def seat_piece(drawing: Drawing, seat: int) -> Markup:
    """Draw the first piece of a seat in `drawing.pieces`. Draw nothing if the seat has no pieces."""
    own = next((piece for piece in drawing.pieces.values() if piece.seat == seat), None)
    if own is None:
        return Markup()
    piece = _tag("g", _piece_attributes(own, 50, 50), *_shape(own))
    return _tag("svg", {"viewBox": "0 0 100 100", "role": "img", "aria-label": own.name}, piece)


def _tag(name: str, attributes: Mapping[str, object], *children: Markup | str) -> Markup:
    # Texts are joined at the end, since `Markup.format` would take most of the time of a large board.
    given = "".join(f' {key}="{value if type(value) is int else escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{''.join(map(escape, children))}</{name}>")


def _path(kind: str, data: str) -> Markup:
    return _tag("path", {"class": kind, "d": data})


def _rect(kind: str, x: int, y: int, width: int, height: int) -> Markup:
    return _tag("rect", {"class": kind, "x": x, "y": y, "width": width, "height": height})


def _circle(kind: str, x: int, y: int, r: int) -> Markup:
    return _tag("circle", {"class": kind, "cx": x, "cy": y, "r": r})


def _text(x: int, y: int, text: str) -> Markup:
    return _tag("text", {"x": x, "y": y}, text)


def _whole(kind: str, plan: BoardLayout) -> Markup:
    return _rect(kind, plan.left - 50, plan.top - 50, 100 * plan.columns, 100 * plan.rows)


def _ruled(plan: BoardLayout, first: int, last: int) -> Markup:
    """Draw the lines of the board: between the cells if `first` is 1, through the middles of cells if `first` is 0."""
    shift, right, bottom = 50 * first, plan.left + 100 * (plan.columns - 1), plan.top + 100 * (plan.rows - 1)
    rows = [plan.top + 100 * row - shift for row in range(first, plan.rows + 1 - last)]
    columns = [plan.left + 100 * column - shift for column in range(first, plan.columns + 1 - last)]
    across = [f"M{plan.left - shift} {y}H{right + shift}" for y in rows]
    down = [f"M{x} {plan.top - shift}V{bottom + shift}" for x in columns]
    return _path("lines", "".join(across + down))


def _squares(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    return _whole(drawing.surface, plan), _ruled(plan, 1, 1)


def _wood(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    yield _whole("wood", plan)
    yield _ruled(plan, 0, 1)
    yield _tag("g", {"class": "stars"}, *(_circle("star", *plan.cell(cell), 9) for cell in _stars(plan)))


def _stars(plan: BoardLayout) -> list[int]:
    """Return the cells with a dot, as on boards of gomoku and go. Boards that are not square have no dots."""
    size = plan.columns
    if size != plan.rows or size < 9 or size % 2 == 0:
        return []
    near, middle = 2 if size < 13 else 3, size // 2
    corners = [(row, column) for row in (near, size - 1 - near) for column in (near, size - 1 - near)]
    sides = [(near, middle), (middle, near), (middle, size - 1 - near), (size - 1 - near, middle)] if size == 19 else []
    return sorted(row * size + column for row, column in [*corners, *sides, (middle, middle)])


def _chequered(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    dark = [cell for cell in range(len(drawing.board)) if (cell // plan.columns + cell % plan.columns) % 2]
    squares = "".join("M{} {}h100v100h-100z".format(*_shifted(plan.cell(cell), -50)) for cell in dark)
    return _whole("light-squares", plan), _path("dark-squares", squares)


def _shifted(spot: Spot, by: int) -> Spot:
    return spot[0] + by, spot[1] + by


def _plate(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    holes = "".join("M{} {}m-40 0a40 40 0 1 0 80 0a40 40 0 1 0-80 0z".format(*plan.cell(c)) for c in _cells(drawing))
    return _whole("plate", plan), _path("holes", holes)


def _cells(drawing: Drawing) -> range:
    return range(len(drawing.board))


def _hexagons(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    *corners, (x, y) = plan.corners()
    for number, colour in enumerate(drawing.edges):
        (a, b), (c, d) = corners[number], corners[(number + 1) % 4]
        yield _path(f"edge {colour}", f"M{a} {b}L{c} {d}L{x} {y}z")
    yield _path("hexagons", "".join("M{} {}".format(*plan.cell(cell)) + HEXAGON for cell in _cells(drawing)))


def _points(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    yield _whole("felt", plan)
    bar, high = plan.columns // 2 - 1, 100 * (plan.rows // 2) - 30
    for column in (bar, plan.columns - 1):
        yield _rect("tray", *_shifted(plan.cell(column), -50), 100, 100 * plan.rows)
    for kind, parity in (("light-squares", 0), ("dark-squares", 1)):
        points = ""
        for column in range(plan.columns - 1):
            x, y = _shifted(plan.cell(column), -50)
            if column != bar:
                is_above = (column + (column > bar)) % 2 == parity
                points += f"M{x} {y if is_above else y + 100 * plan.rows}h100l-50 {high if is_above else -high}z"
        yield _path(kind, points)


SURFACES: dict[str, Callable[[Drawing, BoardLayout], Iterable[Markup]]] = {
    "grid": _squares,
    "chequered": _chequered,
    "lines": _wood,
    "felt": _squares,
    "holes": _plate,
    "hexagons": _hexagons,
    "points": _points,
}


def _labels(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    columns = [_text(*plan.column_label(column), text) for column, text in enumerate(drawing.column_labels)]
    columns += [_text(*plan.top_label(column), text) for column, text in enumerate(drawing.top_labels)]
    rows = [_text(*plan.row_label(row), text) for row, text in enumerate(drawing.row_labels)]
    size = "wide" if drawing.columns > 10 else "narrow"
    if columns or rows:
        yield _tag("g", {"class": f"labels {size}"}, *columns, *rows)
    if drawing.names:
        named = [(plan.cell(cell), name) for cell, name in enumerate(drawing.names) if name]
        yield _tag("g", {"class": "names"}, *(_text(x - 37, y - 38, name) for (x, y), name in named))


def _last(drawing: Drawing, plan: BoardLayout, *, under: bool) -> Iterable[Markup]:
    if not drawing.last or under != (drawing.surface in ON_SQUARES):
        return
    if under:
        marks = [_rect("last square", *_shifted(plan.cell(cell), -47), 94, 94) for cell in drawing.last]
    else:
        marks = [_circle(kind, *plan.cell(cell), 17) for cell in drawing.last for kind in ("last rim", "last ring")]
    yield _tag("g", {"class": "marked"}, *marks)


def _pieces(drawing: Drawing, plan: BoardLayout) -> Iterable[Markup]:
    for cell, mark in enumerate(drawing.board):
        piece = drawing.pieces.get(mark)
        if piece is not None:
            yield _tag("g", _piece_attributes(piece, *plan.cell(cell)), *_shape(piece))


def _piece_attributes(piece: Piece, x: int, y: int) -> dict[str, str]:
    return {"class": f"piece {piece.colour} {piece.shape}", "transform": f"translate({x} {y})"}


def _shape(piece: Piece) -> Iterable[Markup]:
    paths = [_path(kind, data) for kind, data in SHAPES[piece.shape]]
    return [*paths, _text(0, 0, piece.label)] if piece.label else paths
