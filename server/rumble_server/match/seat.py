"""A referee's records of a seat and of the open turn: banks, budgets, connections, thinking times. All in ms."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from rumble_server.match.clock import MOST_LAG_MS, thinking_ms

DelayMs = Callable[[int], tuple[int, bool]]
"""Function that tells for how long, in ms, a turn waited in this machine to be written and the answer to be read.

The argument is the age of the turn in ms. The function is called while the answer is handled. It returns the sum of the
two waiting times, and True if the sum is exact, or False for a minimum.
"""


class SeatConnection(Protocol):
    """The properties of a bot's connection that matter to a referee."""

    lag_ms: int
    lag_by_pings: bool
    """True if only pings measured the lag; a bot can delay its pongs, so such lag is bounded for each match."""

    is_stamped: bool
    """True if the kernel tells how long the connection's answers wait to be read."""

    @property
    def omit(self) -> tuple[str, ...]:
        """The fields that the bot wants left out of its turns."""


@dataclass(slots=True, eq=False)
class SeatState:
    """The referee's record of a seat: its bank, its budgets, its open turn, and its connection."""

    bank_ms: int
    away_left_ms: int
    retries_left: int
    away_since_ms: int | None
    """The time when the seat's bot went away; None while it is connected."""
    away_late_ms: int = 0
    """The server's sum of lateness when the away budget began to run."""
    greeted: bool = False
    """True if the bot was sent `match_start` before, in this run of the server or an earlier run."""
    lag_ms: int = 0
    lag_by_pings: bool = False
    is_stamped: bool = False
    lag_given_ms: int = 0
    """Sum of the lag allowed in all turns of the seat."""
    excused_ms: int = 0
    """Sum of the time excused at the seat's moves and when its clock was stopped."""
    drops: int = 0
    """Number of times the connection ended on the seat's own turn."""
    omit: tuple[str, ...] = ()
    accepted: list[str] = field(default_factory=list)
    """Ids of the seat's turns whose move counted."""
    turn: "OpenTurn | None" = None
    used_ms: int = 0
    """Thinking time on the present ply before the open turn was asked."""
    counted_ms: int = 0
    """Excused time of the seat on the present ply that may make the match void."""
    is_out: bool = False
    """True if the seat fell out, or if the rules have put it out: the match never waits for its bot again."""

    def link(self, connection: SeatConnection) -> None:
        """Note the properties of the seat's new connection."""
        lag_ms = connection.lag_ms
        self.lag_ms = lag_ms if lag_ms < MOST_LAG_MS else MOST_LAG_MS
        self.lag_by_pings = connection.lag_by_pings
        self.is_stamped = connection.is_stamped
        self.omit = connection.omit


@dataclass(slots=True, eq=False)
class OpenTurn:
    """An open turn, and its clock."""

    turn_id: str
    asked_at_ms: int
    used_ms: int
    """Thinking time on the same ply before this asking, by a bot that dropped and came back."""
    lag_ms: int
    deadline_ms: int
    """The time at which the clock runs out, if nothing is excused."""
    late_ms: int
    """The server's sum of lateness when the clock started; later growth of the sum is excused."""
    in_doubt: bool = False
    """True if it is unknown how long the newest answer waited to be read."""
    held: bool = False
    """True while the turn's frame waits in the server; the clock has not started."""

    def thought_ms(self, now_ms: int, excused_ms: int) -> int:
        """Return the thinking time on this ply so far; `excused_ms` is the excused time since the asking."""
        if self.held:
            return self.used_ms
        return self.used_ms + thinking_ms(self.asked_at_ms, now_ms, self.lag_ms, excused_ms)

    def excused_ms(self, now_ms: int, late_ms: int) -> int:
        """Return the excused time: the server's lateness since the clock started, capped at the time since the asking.

        `late_ms` is the server's present sum of lateness.
        """
        excused_ms = late_ms - self.late_ms
        if excused_ms <= 0 or self.held:
            return 0
        open_ms = now_ms - self.asked_at_ms
        if excused_ms > open_ms:
            return open_ms if open_ms > 0 else 0
        return excused_ms
