"""The fairness audit of a tournament, running or over: matches, seats, waits and clocks of each bot. Pure.

`pairs/audit.py` and `tables/audit.py` make the audit, each from its kind of match. `history.py` makes the input.

A flag is an event that harmed a bot, and that nobody chose; docs/HOSTING.md explains each kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rumble_server.match.match_id import MatchKey

Period = tuple[int, int]
"""Begin and end, in ms."""
FlagKind = Literal["seats", "company", "passed_over", "needless_wait"]
PATIENCE_MS = 1000
"""Time in ms for which a bot may wait without a flag."""
MOST_PASSED = 3
"""Number of later matches that another bot may begin during a wait without a flag."""


@dataclass
class BotAudit:
    """The matches, seats, waits and clock of a bot, in figures. Waits are in ms."""

    matches: int = 0
    seats: list[int] = field(default_factory=lambda: [0, 0])
    faults: dict[str, int] = field(default_factory=dict)
    longest_wait_ms: int = 0
    waited_for: str | None = None
    """Opponent in the match for which the bot waited longest."""
    needless_wait_ms: int = 0
    passed_over: int = 0
    waits_since_ms: int | None = None
    """Time in ms since which the bot is connected, idle, and has matches to play; None in any other state."""
    waits_for: dict[str, str] = field(default_factory=dict)
    """Reasons why the matches of a waiting bot do not begin, by opponent: the opponent is `playing` or `away`, or
    `nothing` is in the way."""
    excused_ms: int = 0
    """Time in ms for which the bot's clock was not charged, because the server was late. All ended attempts count."""
    drops: int = 0
    """Number of times that the bot's connection ended while the bot was on turn, in all ended attempts."""


@dataclass(frozen=True)
class Flag:
    """An event that does not happen in a fair tournament."""

    kind: FlagKind
    bot: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit. `distinct` is the number of matches minus the number of `repeated` matches."""

    bots: dict[str, BotAudit]
    matches: int
    distinct: int
    flags: tuple[Flag, ...]
    void: Mapping[str, int]
    """For each match, the number of void attempts plus the number of results that the host voided."""

    @property
    def repeated(self) -> int:
        """Number of matches that have the same seats and moves as an earlier match."""
        return self.matches - self.distinct

    @property
    def is_fair(self) -> bool:
        return not self.flags

    def as_json(self) -> dict[str, Any]:
        return {
            "fair": self.is_fair,
            "matches": self.matches,
            "distinct": self.distinct,
            "repeated": self.repeated,
            "void": dict(self.void),
            "flags": [vars(flag) for flag in self.flags],
            "bots": {name: vars(bot) for name, bot in self.bots.items()},
        }


@dataclass(frozen=True, slots=True)
class Context:
    """The input of the audit, except the matches."""

    bots: Sequence[str]
    started_ms: int
    now_ms: int
    is_finished: bool = False
    has_even_seats: bool = False
    """True if the schedule gives each bot both seats equally often, and all its matches have been played."""
    to_play: Mapping[str, Sequence[tuple[str, MatchKey]]] = field(default_factory=dict)
    """Waiting matches by bot, for the bots in `free_since_ms`. A match is given as the bot's opponent and the match's
    `MatchKey`, which orders matches as the schedule does."""
    free_since_ms: Mapping[str, int] = field(default_factory=dict)
    """For each bot, the time in ms since which the bot has been connected and had room for a match. Bots without
    room are missing."""
    absent: frozenset[str] = frozenset()
    """Bots that are not connected now."""
    paused: Sequence[Period] = ()
    away: Mapping[str, Sequence[Period]] = field(default_factory=dict)
    """Periods in which a bot was not connected, by bot. The last period of an absent bot ends at `now_ms` or later."""
    excused_ms: Mapping[str, int] = field(default_factory=dict)
    seats: int = 2
    """Number of seats of a full match."""
    has_even_company: bool = False
    """True if the schedule lets any two bots meet about equally often."""
    void: Mapping[str, int] = field(default_factory=dict)
    """For each match, the number of void attempts plus the number of results that the host voided."""
    drops: Mapping[str, int] = field(default_factory=dict)
    """For each bot, the number of connections lost while the bot was on turn. All ended attempts count, also void
    attempts."""

    def waited_ms(self, start_ms: int, end_ms: int, *bots: str) -> int:
        """Return the time in ms between two times, without pauses, and without times when one of the `bots` was away.

        Return 0 if the end comes first.
        """
        total, at_ms = 0, start_ms
        for begins_ms, ends_ms in sorted([*self.paused, *(each for bot in bots for each in self.away.get(bot, ()))]):
            total += max(0, min(begins_ms, end_ms) - at_ms)
            at_ms = max(at_ms, ends_ms)
        return total + max(0, end_ms - at_ms)


def seconds(ms: int) -> str:
    """Return a time as text in seconds."""
    return f"{ms / 1000:.1f} s"
