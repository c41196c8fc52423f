"""A referee's state of a seat and of its open turn: banks, budgets, connections and thinking times.

All times are in ms.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from rumble_server.match.clock import MOST_LAG_MS, FastControl, Lateness, thinking_ms

MeasureWait = Callable[[int], tuple[int, bool]]
"""Function that returns for how long a turn and its answer waited in this machine.

The turn waited to be written, and the answer waited to be read. The function is called while the answer is handled. The
argument is the age of the turn in ms. The result is the sum of both times in ms, and True if it is exact, or False if
it is only a minimum.
"""
STAMP_BEYOND_MS = 250
"""Maximum lateness in ms that is excused in full for a fast answer.

After a greater lateness, the kernel is asked how long the answer has waited. Each question takes system calls.
"""
STAMP_MS = 10
"""Precision in ms of the kernel's times for received data: one tick of a kernel clock with 100 ticks a second."""


class SeatConnection(Protocol):
    """Properties of a bot's connection that a referee uses."""

    lag_ms: int
    lag_by_pings: bool
    """True if only pings measured the lag. A bot can delay its pongs, so this lag is limited for each match."""

    is_stamped: bool
    """True if the kernel measures how long answers on this connection wait to be read."""

    @property
    def omit(self) -> tuple[str, ...]:
        """Names of the fields that the bot does not want in its turns."""


@dataclass(slots=True, eq=False)
class SeatState:
    """The referee's state of a seat: its bank, budgets, open turn and connection."""

    bank_ms: int
    away_left_ms: int
    retries_left: int
    away_since_ms: int | None
    """Start of the absence of the seat's bot; None while the bot is connected."""
    late_ms_when_away: int = 0
    """Total lateness of the server in ms at the time when the away budget began to run."""
    lag_ms: int = 0
    lag_by_pings: bool = False
    is_stamped: bool = False
    allowed_lag_ms: int = 0
    """Sum in ms of the lag allowed in the seat's turns."""
    excused_sum_ms: int = 0
    """Sum in ms of the time excused at the seat's moves, and at stops of the seat's clock."""
    drops: int = 0
    """Number of times that the connection ended during the seat's own turn."""
    omit: tuple[str, ...] = ()
    answered_turn_ids: list[str] = field(default_factory=list)
    """Ids of the seat's turns with an accepted move."""
    turn: "OpenTurn | None" = None
    earlier_thinking_ms: int = 0
    """Thinking time in ms about the present ply in earlier turns, without the open turn."""
    excused_in_ply_ms: int = 0
    """Excused time in ms of the seat in the present ply. Only excused time that may make the match void is included."""
    is_out: bool = False
    """True if the seat fell out, or is out by the rules. The match does not wait for its bot any more."""

    @property
    def is_awaited_back(self) -> bool:
        """True while the match waits for the absent bot of the seat."""
        return self.away_since_ms is not None and not self.is_out

    def use_connection(self, connection: SeatConnection) -> None:
        """Store the properties of a new connection of the seat."""
        self.set_lag(connection.lag_ms)
        self.lag_by_pings = connection.lag_by_pings
        self.is_stamped = connection.is_stamped
        self.omit = connection.omit

    def set_lag(self, lag_ms: int) -> None:
        """Store the lag of the seat's connection. In the seat's next turns, the lag does not count as thinking time."""
        self.lag_ms = min(lag_ms, MOST_LAG_MS)


@dataclass(slots=True, eq=False)
class OpenTurn:
    """An open turn with its clock."""

    turn_id: str
    asked_at_ms: int
    earlier_thinking_ms: int
    """Thinking time in ms about the same ply in earlier turns. A bot gets a new turn when it comes back."""
    lag_ms: int
    deadline_ms: int
    """Time at which the clock runs out if nothing is excused."""
    late_ms_when_asked: int
    """Total lateness of the server in ms at the time when the clock began to run. Later lateness is excused."""
    is_wait_inexact: bool = False
    """True if only a minimum of the newest answer's waiting time is known."""
    is_stopped: bool = False
    """True while the turn's clock stands, because the turn's frame waits in the server."""

    def until_ms(self, late_ms: int) -> int:
        """Return the time in ms at which the clock runs out. `late_ms` is the server's total lateness by now."""
        return self.deadline_ms + late_ms - self.late_ms_when_asked

    def thought_ms(self, now_ms: int, excused_ms: int) -> int:
        """Return the thinking time in ms about this ply so far. `excused_ms` is the time excused for the turn."""
        if self.is_stopped:
            return self.earlier_thinking_ms
        return self.earlier_thinking_ms + thinking_ms(self.asked_at_ms, now_ms, self.lag_ms, excused_ms)

    def unanswered_ms(self, now_ms: int, excused_ms: int) -> int:
        """Return the thinking time in ms about this ply if the turn ends at `now_ms` without an answer.

        The lag is thinking time here. Otherwise a bot that connects again and again would have its lag for each turn,
        and not once for the move.
        """
        if self.is_stopped:
            return self.earlier_thinking_ms
        return self.earlier_thinking_ms + thinking_ms(self.asked_at_ms, now_ms, 0, excused_ms)

    def excused_ms(self, now_ms: int, late_ms: int) -> int:
        """Return the excused time in ms: the server's lateness since the clock's start.

        The result is at most the time for which the clock has run. `late_ms` is the server's total lateness by now.
        """
        excused_ms = late_ms - self.late_ms_when_asked
        if excused_ms <= 0 or self.is_stopped:
            return 0
        open_ms = now_ms - self.asked_at_ms
        if excused_ms > open_ms:
            return open_ms if open_ms > 0 else 0
        return excused_ms

    def excuse_wait(self, control: FastControl, lateness: Lateness, measure_wait: MeasureWait, now_ms: int) -> bool:
        """Excuse only measured time: the turn's wait to be written, and the answer's wait to be read.

        Return true if the bot's own thinking exceeded its time. `measure_wait` computes the waiting time from the age
        of the turn. All lateness is excused if nothing exact is known: for a turn sent before a suspension of the club,
        or if later bytes may have overwritten the kernel's time stamp. For a fast answer, nothing is measured unless
        the lateness exceeds `STAMP_BEYOND_MS`.

        `docs/architecture/matches.md` has an example in numbers, under "Excused time".
        """
        open_ms, late_ms = now_ms - self.asked_at_ms, lateness.late_ms
        matters = open_ms > control.move_ms or late_ms - self.late_ms_when_asked > STAMP_BEYOND_MS
        if not matters or self.is_stopped or self.asked_at_ms < lateness.suspended_until_ms:
            return False
        waited_ms, is_exact = measure_wait(open_ms)
        excused_ms, self.is_wait_inexact = min(waited_ms, open_ms), not is_exact
        if is_exact or late_ms - self.late_ms_when_asked < excused_ms:
            self.late_ms_when_asked = late_ms - excused_ms
        return now_ms - (late_ms - self.late_ms_when_asked) - STAMP_MS > self.deadline_ms
