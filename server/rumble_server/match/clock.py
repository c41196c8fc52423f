"""Clock arithmetic: pure functions of a time control. All in ms.

Each move has `move_ms` first and then draws on the seat's bank, which grows by `increment_ms` after each move.
`lag_ms` is the network's: that much of the time between asking and answering is not thinking time, nor is `excused_ms`,
in which the server was late. These functions run at every move, and a comparison costs a fifth of a call of `max`.
"""

from rumble_protocol.fields import TimeControl

MOST_LAG_MS = 200
"""Maximum lag in ms that is allowed at one move; the rest of a longer lag is the bot's own time."""

EXCUSED_BY_THE_WAY_MS = 250
"""What is excused at one time, in ms, for the way between nodes or a busy moment: no match is void for it."""


class PlainControl:
    """A time control to reckon with: reading an attribute of the pydantic model costs ten times as much."""

    __slots__ = ("bank_ms", "full_ms", "has_bank", "increment_ms", "move_ms")

    def __init__(self, control: TimeControl) -> None:
        self.move_ms = control.move_ms
        self.bank_ms = control.bank_ms
        self.increment_ms = control.increment_ms
        self.full_ms = self.move_ms + self.bank_ms
        """What a seat has for its first move."""
        self.has_bank = self.bank_ms + self.increment_ms > 0
        """Whether a bank can ever hold anything."""


def thinking_ms(asked_at_ms: int, now_ms: int, lag_ms: int, excused_ms: int = 0) -> int:
    """Return how long a bot thought about a turn, without the network's part and the server's."""
    thought_ms = now_ms - asked_at_ms - lag_ms - excused_ms
    return thought_ms if thought_ms > 0 else 0


def remaining_ms(control: PlainControl, bank_ms: int, used_ms: int = 0) -> int:
    """Return what a seat has left for this move, bank included, when it has used `used_ms` on it."""
    left_ms = control.move_ms + bank_ms - used_ms
    return left_ms if left_ms > 0 else 0


def bank_after_ms(control: PlainControl, bank_ms: int, used_ms: int) -> int:
    """Return the bank after a move that took `used_ms` of thinking."""
    drawn_ms = used_ms - control.move_ms
    if drawn_ms > 0:
        bank_ms = bank_ms - drawn_ms if bank_ms > drawn_ms else 0
    return bank_ms + control.increment_ms


def counted_ms(excused_ms: int) -> int:
    """Return how much of what is excused at one time counts where too much of it makes a match void."""
    return excused_ms - EXCUSED_BY_THE_WAY_MS if excused_ms > EXCUSED_BY_THE_WAY_MS else 0
