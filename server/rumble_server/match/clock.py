"""Clock arithmetic: pure functions of a time control. All in ms.

Each move has `move_ms` first and then draws on the seat's bank, which grows by `increment_ms` after each move.
`lag_ms` is the network's: that much of the time between asking and answering is not thinking time.
"""

from rumble_protocol.fields import TimeControl

MOST_LAG_MS = 200
"""The most that is allowed for the network at one move."""


def thinking_ms(asked_at_ms: int, now_ms: int, lag_ms: int) -> int:
    """How long a bot thought about a turn, the network's part taken off."""
    return max(0, now_ms - asked_at_ms - lag_ms)


def remaining_ms(control: TimeControl, bank_ms: int, used_ms: int = 0) -> int:
    """What a seat has left for this move, bank included, when it has used `used_ms` on it."""
    return max(0, control.move_ms + bank_ms - used_ms)


def bank_after_ms(control: TimeControl, bank_ms: int, used_ms: int) -> int:
    """The bank after a move that took `used_ms` of thinking."""
    return max(0, bank_ms - max(0, used_ms - control.move_ms)) + control.increment_ms
