"""Lines of the log for the two facts of every ply: the turn and the move. For speed, the code names each field.

`store/log/codec.py` makes the lines of all other facts.
"""

from typing import Any

from rumble_server.match.facts import MoveMade, TurnAsked

COMPACT, SPACED = "compact", "spaced"
"""Short texts that stand in a row for a bot's usual frame: only the fields of a move, in order, as JSON.

`COMPACT` stands for a frame without spaces, `SPACED` for a frame with a space after each colon and comma.
"""
Line = tuple[Any, ...]
"""A fact in a row of the log: its number, the name of its kind, and the values of its fields in order."""


def line_of_turn(number: int, fact: TurnAsked) -> Line:
    """Return the line of a turn."""
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
    """Return the line of a move. If the bot's frame has a short form, the line has the short form in its place."""
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
    """Return the frame for which a text in a row stands: a short form's frame, or the text itself."""
    if form == COMPACT:
        return f'{{"type":"move","match":"{fact.match}","turn_id":"{fact.turn_id}","move":"{fact.move}"}}'
    if form == SPACED:
        return f'{{"type": "move", "match": "{fact.match}", "turn_id": "{fact.turn_id}", "move": "{fact.move}"}}'
    return form
