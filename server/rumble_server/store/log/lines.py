"""The lines of the two facts of every ply, as explicit code for speed. `store/log/codec.py` makes all other lines."""

from typing import Any

from rumble_server.match.facts import MoveMade, TurnAsked

COMPACT, SPACED = "compact", "spaced"
"""Short forms in a row for a bot's frame with only the fields of a move, in order, as most programs write them."""
Line = tuple[Any, ...]
"""A fact in a row of the log: its number, the name of its kind, and the values of its fields in order."""


def line_of_turn(number: int, fact: TurnAsked) -> Line:
    """Return the line of an asked turn."""
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
    """Return the line of a counted move, with the short form in the place of its frame if the frame has such a form."""
    frame = fact.frame
    form = SPACED if frame[8:9] == " " else COMPACT  # the character after `{"type":`
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
    """Return the frame for which a short form stands; a text of any other kind is the frame."""
    if form == COMPACT:
        return f'{{"type":"move","match":"{fact.match}","turn_id":"{fact.turn_id}","move":"{fact.move}"}}'
    if form == SPACED:
        return f'{{"type": "move", "match": "{fact.match}", "turn_id": "{fact.turn_id}", "move": "{fact.move}"}}'
    return form
