"""What a referee knows of a seat and of the open turn: banks, budgets, connections, and what was thought. In ms."""

from typing import Protocol

from rumble_server.match.clock import MOST_LAG_MS, thinking_ms


class Connection(Protocol):
    """What a referee needs to know of a bot's connection."""

    lag_ms: int
    lag_by_pings: bool
    """Only pings measured the lag, and a bot can delay its pongs."""

    @property
    def is_stamped(self) -> bool:
        """Whether it is known for how long its answers wait to be read."""

    @property
    def omit(self) -> tuple[str, ...]:
        """What is left out of its turns."""


class SeatState:
    """What the referee knows of one seat: its bank, its budgets, and its connection."""

    __slots__ = (
        "accepted",
        "away_late_ms",
        "away_left_ms",
        "away_since_ms",
        "bank_ms",
        "drops",
        "excused_ms",
        "greeted",
        "is_stamped",
        "lag_by_pings",
        "lag_given_ms",
        "lag_ms",
        "omit",
        "retries_left",
    )

    def __init__(self, bank_ms: int, away_left_ms: int, retries_left: int, away_since_ms: int | None) -> None:
        self.bank_ms = bank_ms
        self.away_left_ms = away_left_ms
        self.retries_left = retries_left
        self.away_since_ms = away_since_ms
        """None while connected."""
        self.away_late_ms = 0
        """How late the server had been in all when the away budget began to run."""
        self.greeted = False
        """Its bot was told of this match before, in this run or an earlier one."""
        self.lag_ms = 0
        self.lag_by_pings = False
        self.is_stamped = False
        self.lag_given_ms = 0
        """What all its turns allowed for the network."""
        self.excused_ms = 0
        """What was excused at its moves and when its clock was stopped."""
        self.drops = 0
        """How often its connection ended on its own turn."""
        self.omit: tuple[str, ...] = ()
        self.accepted: list[str] = []
        """The turn ids whose move counted."""

    def link(self, connection: Connection) -> None:
        """Note what the seat's connection is like."""
        lag_ms = connection.lag_ms
        self.lag_ms = lag_ms if lag_ms < MOST_LAG_MS else MOST_LAG_MS
        self.lag_by_pings = connection.lag_by_pings
        self.is_stamped = connection.is_stamped
        self.omit = connection.omit


class OpenTurn:
    """The turn that is open: whose, since when, and what its clock allows."""

    __slots__ = ("asked_at_ms", "deadline_ms", "held", "lag_ms", "late_ms", "seat", "turn_id", "used_ms")

    def __init__(
        self, turn_id: str, seat: int, asked_at_ms: int, used_ms: int, lag_ms: int, deadline_ms: int, late_ms: int
    ) -> None:
        self.turn_id = turn_id
        self.seat = seat
        self.asked_at_ms = asked_at_ms
        self.used_ms = used_ms
        """Thinking on this ply before this asking (the bot dropped and came back)."""
        self.lag_ms = lag_ms
        self.deadline_ms = deadline_ms
        """When the clock has run out, if nothing is excused."""
        self.late_ms = late_ms
        """How late the server had been in all when the clock started."""
        self.held = False
        """It still waits in the server; its clock has not started."""

    def thought_ms(self, now_ms: int, excused_ms: int) -> int:
        """Thinking on this ply so far, of which this much is excused since the asking."""
        if self.held:
            return self.used_ms
        return self.used_ms + thinking_ms(self.asked_at_ms, now_ms, self.lag_ms, excused_ms)

    def excused_ms(self, now_ms: int, late_ms: int) -> int:
        """Of the time since the clock started, how much the server was late, if it was late by `late_ms` in all."""
        excused_ms = late_ms - self.late_ms
        if excused_ms <= 0 or self.held:
            return 0
        open_ms = now_ms - self.asked_at_ms
        if excused_ms > open_ms:
            return open_ms if open_ms > 0 else 0
        return excused_ms
