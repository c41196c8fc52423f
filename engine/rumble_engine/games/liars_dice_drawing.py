"""The diagram and the drawing of liar's dice: a row for each seat, with its dice and its last bid.

Hidden dice are drawn as a cup with the number of dice. Between two rounds, the rows show the round that ended.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rumble_engine.drawing import EMPTY, SEAT_COLOURS, Drawing, Piece, Shape

FACES = "123456"
HIDDEN = "?"
CUPS = " abcdef"
"""Marks of cups; the index is the number of dice under the cup."""
QUANTITIES = "GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuv"
"""The marks of the quantities of bids, from 1 up."""
MARKS = "ABCDEF"
NAMES = tuple(f"Player {mark}" for mark in MARKS)
FACE_SHAPES: tuple[Shape, ...] = ("die1", "die2", "die3", "die4", "die5", "die6")
PIECES = {
    **{face: Piece(f"die {face}", None, shape, "light") for face, shape in zip(FACES, FACE_SHAPES, strict=True)},
    **{
        mark: Piece(name, seat, "disc", SEAT_COLOURS[seat], mark)
        for seat, (mark, name) in enumerate(zip(MARKS, NAMES, strict=True))
    },
    **{mark: Piece(f"cup with {dice}", None, "cup", "dark", str(dice)) for dice, mark in enumerate(CUPS[1:], 1)},
    **{mark: Piece(f"bids {count} of", None, "tile", "light", str(count)) for count, mark in enumerate(QUANTITIES, 1)},
}
"""The pieces by mark. The dice come first, so that Python and JavaScript list the pieces in the same order.

A JavaScript object lists keys that are integers, such as the marks of dice, before all other keys.
"""


def diagram(view: Mapping[str, Any]) -> str:
    """Return the position of a view as lines."""
    hands, bids = _dice_and_bids(view)
    rows = [f"{NAMES[seat]} {hand or '-':6} {bids.get(seat, '')}" for seat, hand in enumerate(hands)]
    return "\n".join(row.rstrip() for row in rows)


def drawing(view: Mapping[str, Any], last: str | None) -> Drawing:
    """Return the drawing of a view. The cells of a new bid, or the seat that called `liar`, are marked."""
    width = view["dice_each"]
    hands, bids = _dice_and_bids(view)
    rows = []
    for seat, hand in enumerate(hands):
        dice = CUPS[len(hand)] if HIDDEN in hand else hand
        quantity, face = map(int, bids[seat].split("x")) if seat in bids else (0, 0)
        bid = QUANTITIES[quantity - 1] + FACES[face - 1] if quantity else EMPTY * 2
        rows.append(MARKS[seat] + dice.ljust(width + 1, EMPTY) + bid)
    marks = FACES + MARKS[: len(rows)] + CUPS[1 : width + 1] + QUANTITIES[: width * len(rows)]
    pieces = {mark: PIECES[mark] for mark in marks}
    return Drawing("felt", width + 4, "".join(rows), pieces, last=_marked(view, last))


def _dice_and_bids(view: Mapping[str, Any]) -> tuple[Sequence[str], Mapping[int, str]]:
    """Return the dice of each seat, and a dict with the last bid of each seat that has bid.

    Before the roll of a round, return the dice and bids of the last round that ended with a call.
    """
    last = "" if any(view["hands"]) or not view["last_call"] else "last_"
    return view[f"{last}hands"], dict(view[f"{last}bids"])


def _marked(view: Mapping[str, Any], last: str | None) -> tuple[int, ...]:
    """Return the cells to mark: after a bid the cells of the bid, after the call `liar` the cell of the caller."""
    width = view["dice_each"] + 4
    if view["bids"] and last == view["bids"][-1][1]:
        end = width * (view["bids"][-1][0] + 1)
        return end - 2, end - 1
    return (width * view["last_call"][0],) if last == "liar" and view["last_call"] else ()
