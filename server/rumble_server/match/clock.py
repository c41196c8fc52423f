"""Clock arithmetic: pure functions of a time control, for the referee. All in ms.

A move uses `move_ms` first, and then draws on the seat's bank, which grows by `increment_ms` after each move. Two parts
of the time between asking and answering are not thinking time: `lag_ms`, the network's part, and `excused_ms`, in which
the server was late. These functions run at every move, so they compare by `if`, at a fifth of the cost of `max`.
"""

from typing import Protocol

from rumble_protocol.fields import TimeControl

MOST_LAG_MS = 200
"""Maximum lag in ms allowed for a move; the rest of a longer lag is the bot's own time."""


class Lateness(Protocol):
    """The part of the arena's clock that tells how late the server is."""

    late_ms: int
    """Sum of all times for which the server was late, up to the newest time given to the referee, in ms."""
    suspended_until_ms: int
    """End of the club's newest suspension (the lease of its node was over), in server time; 0 without any."""


class PlainControl:
    """A time control for fast arithmetic: reading an attribute of the pydantic model costs ten times as much."""

    __slots__ = ("bank_ms", "full_ms", "has_bank", "increment_ms", "move_ms")

    def __init__(self, control: TimeControl) -> None:
        self.move_ms = control.move_ms
        self.bank_ms = control.bank_ms
        self.increment_ms = control.increment_ms
        self.full_ms = self.move_ms + self.bank_ms
        """Time of a seat for its first move."""
        self.has_bank = self.bank_ms + self.increment_ms > 0
        """True if a bank can ever hold time."""


def thinking_ms(asked_at_ms: int, now_ms: int, lag_ms: int, excused_ms: int = 0) -> int:
    """Return a bot's thinking time for a turn: the time since the asking without lag and excused time."""
    thought_ms = now_ms - asked_at_ms - lag_ms - excused_ms
    return thought_ms if thought_ms > 0 else 0


def remaining_ms(control: PlainControl, bank_ms: int, used_ms: int = 0) -> int:
    """Return the time that a seat has left for a move, bank included, after `used_ms` of thinking about the move."""
    left_ms = control.move_ms + bank_ms - used_ms
    return left_ms if left_ms > 0 else 0


def bank_after_ms(control: PlainControl, bank_ms: int, used_ms: int) -> int:
    """Return the bank after a move that took `used_ms` of thinking."""
    drawn_ms = used_ms - control.move_ms
    if drawn_ms > 0:
        bank_ms = bank_ms - drawn_ms if bank_ms > drawn_ms else 0
    return bank_ms + control.increment_ms
