"""Lines of the log for the two facts that every ply has: the turn and the move.

The functions here name each field, because general code would be slower. `store/log/codec.py` makes the lines of all
other kinds of facts.
"""

from typing import Any

from rumble_server.match.facts import MoveMade, TurnAsked

COMPACT, SPACED = "compact", "spaced"
"""Short texts that save space in the log. If the frame of a move has the usual form, a short text replaces the frame.

The usual form is JSON with only the fields of a move, in order. `COMPACT` stands for a frame without spaces, `SPACED`
for a frame with a space after each colon and comma.
"""
Line = tuple[Any, ...]
"""A fact in a row of the log: its number, the name of its kind, and the values of its fields in order."""


def line_of_turn(number: int, fact: TurnAsked) -> Line:
    """Return the line of the log for a turn."""
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
    """Return the line of the log for a move.

    If the bot's frame has the usual form, the line has `COMPACT` or `SPACED` in place of the frame.
    """
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
    """Return the frame of a move, from its text in the log: `form` is `COMPACT`, `SPACED` or the whole frame."""
    if form == COMPACT:
        return f'{{"type":"move","match":"{fact.match}","turn_id":"{fact.turn_id}","move":"{fact.move}"}}'
    if form == SPACED:
        return f'{{"type": "move", "match": "{fact.match}", "turn_id": "{fact.turn_id}", "move": "{fact.move}"}}'
    return form
