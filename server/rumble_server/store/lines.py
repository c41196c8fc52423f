"""The lines of the facts that every ply makes, written out. `store/codec.py` makes the lines of all other facts."""

from typing import Any

from rumble_server.match.facts import MoveMade, TurnAsked

COMPACT, SPACED = "compact", "spaced"
"""Stand in a row for a bot's frame that has the fields of a move alone, in their order: as most programs write it."""
Line = tuple[Any, ...]
"""A fact in a row of the log: its number, the name of its kind, and its values in the order of its fields."""


def line_of_turn(number: int, fact: TurnAsked) -> Line:
    """Return the line of a turn that was asked."""
    return (
        number,
        "turn_asked",
        fact.match,
        fact.attempt,
        fact.ply,
        fact.seat,
        fact.turn_id,
        fact.remaining_ms,
        fact.seats_ms,
        fact.lag_ms,
        fact.omit,
        fact.at_ms,
    )


def line_of_move(number: int, fact: MoveMade) -> Line:
    """Return the line of a move that counted; what stands for its frame is shorter, and as fast to find as one text."""
    frame = fact.frame
    form = SPACED if frame[8:9] == " " else COMPACT  # behind `{"type":`
    return (
        number,
        "move_made",
        fact.match,
        fact.attempt,
        fact.ply,
        fact.seat,
        fact.turn_id,
        fact.move,
        fact.bank_ms,
        form if frame == in_form(fact, form) else frame,
        fact.at_ms,
        fact.excused_ms,
        fact.next_turn_id,
        fact.next_seat,
        fact.seats_ms,
        fact.lag_ms,
        fact.omit,
    )


def in_form(fact: MoveMade, form: str) -> str:
    """Return the frame that a form stands for; any other text is the frame itself."""
    if form == COMPACT:
        return f'{{"type":"move","match":"{fact.match}","turn_id":"{fact.turn_id}","move":"{fact.move}"}}'
    if form == SPACED:
        return f'{{"type": "move", "match": "{fact.match}", "turn_id": "{fact.turn_id}", "move": "{fact.move}"}}'
    return form
