"""The fairness audit of a tournament, running or over: matches, seats, waits and clocks of each bot. Pure.

What is flagged, for each bot:
- `seats`: it had one seat more often than the other, by more than one (while the tournament runs, by more than two);
- `needless_wait`: it and its next opponent were both there and idle, together, for longer than `patience_ms`;
- `passed_over`: while it waited for its next opponent, that one began more than `patience` matches with others that
  come later in the schedule than their own;
- `behind`: it has played less than half as many matches as the median of the field, in a format where all bots are to
  play the same number.
Times when the tournament was paused or a bot was away do not count as waiting.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

from rumble_engine import Termination

from rumble_server.match.match_id import MatchId
from rumble_server.tournament.openings import duplicates

Span = tuple[int, int]
"""From and to, in ms."""
FlagKind = Literal["seats", "needless_wait", "passed_over", "behind"]


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match that was begun, or lost before it began. `ended_ms` is None while it runs."""

    match_id: str
    seats: tuple[str, str]
    started_ms: int
    ended_ms: int | None = None
    termination: Termination | None = None
    at_fault: tuple[int, ...] = ()
    moves: tuple[str, ...] = ()
    known_ms: int = 0
    """Since when its pairing stands, where that depends on results (Swiss, knockout): before, nobody waits for it."""

    @property
    def place(self) -> tuple[int, ...]:
        """Its place in the schedule, by its id; empty if the id has none."""
        try:
            return MatchId.parse(self.match_id).key
        except ValueError:
            return ()

    @property
    def was_played(self) -> bool:
        return self.termination is not Termination.NO_SHOW


@dataclass
class BotAudit:
    """What one bot had. Waits are in ms."""

    matches: int = 0
    seats: list[int] = field(default_factory=lambda: [0, 0])
    faults: dict[str, int] = field(default_factory=dict)
    longest_wait_ms: int = 0
    waited_for: str | None = None
    """The opponent that it met after its longest wait."""
    needless_wait_ms: int = 0
    passed_over: int = 0
    waits_since_ms: int | None = None
    """Since when it is connected, idle, and has matches to play; None if one of these does not hold."""
    waits_for: dict[str, str] = field(default_factory=dict)
    """While it waits: its opponents to come, and what keeps each (`playing`, `away` or `nothing`)."""
    excused_ms: int = 0
    """Time on its clock in which the server was late and it could think on, in all attempts that are over."""
    drops: int = 0
    """How often its connection ended on its own turn, in these."""


@dataclass(frozen=True)
class Flag:
    """Something that a fair tournament does not do."""

    kind: FlagKind
    bot: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit. `distinct` matches did not have the seats and moves of an earlier one."""

    bots: dict[str, BotAudit]
    matches: int
    distinct: int
    flags: tuple[Flag, ...]

    @property
    def repeated(self) -> int:
        """How many matches had the seats and moves of an earlier one."""
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
            "flags": [vars(flag) for flag in self.flags],
            "bots": {name: vars(bot) for name, bot in self.bots.items()},
        }


@dataclass(frozen=True, slots=True)
class Context:
    """What the audit must know beside the matches. `to_play`: for each bot, the opponents it still has matches with."""

    bots: Sequence[str]
    started_ms: int
    now_ms: int
    finished: bool = False
    everyone_plays_alike: bool = True
    """Whether all bots are to have the same number of matches: not so in a knockout or a gauntlet."""
    to_play: Mapping[str, Iterable[str]] = field(default_factory=dict)
    paused: Sequence[Span] = ()
    away: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """When each bot was not connected; a span that lasts ends at `now_ms` or later."""
    excused_ms: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, int] = field(default_factory=dict)
    """By bot, of all attempts that are over, void ones too."""


def audit(records: Iterable[MatchRecord], context: Context, *, patience_ms: int = 1000, patience: int = 3) -> Audit:
    """Audit matches, which may be given in any order."""
    ordered = sorted(records, key=lambda record: record.started_ms)
    bots = {name: BotAudit() for name in context.bots}
    by_bot: dict[str, list[MatchRecord]] = {name: [] for name in context.bots}
    for record in ordered:
        for seat, name in enumerate(record.seats):
            bot = bots.setdefault(name, BotAudit())
            by_bot.setdefault(name, []).append(record)
            bot.matches += 1
            bot.seats[seat] += 1
            if seat in record.at_fault and record.termination is not None:
                bot.faults[str(record.termination)] = bot.faults.get(str(record.termination), 0) + 1
    for name, bot in bots.items():
        bot.excused_ms, bot.drops = context.excused_ms.get(name, 0), context.drops.get(name, 0)
    starts = {
        name: sorted((match.started_ms, match.place) for match in own if match.was_played)
        for name, own in by_bot.items()
    }
    free_at = dict.fromkeys(bots, context.started_ms)
    for record in ordered:
        if record.was_played:
            _look_at_start(record, free_at, bots, starts, context)
        for name in record.seats:
            free_at[name] = max(free_at[name], context.now_ms if record.ended_ms is None else record.ended_ms)
    if not context.finished:
        _look_at_now(bots, by_bot, free_at, context)
    played = [(record.seats, record.moves) for record in ordered if record.moves and record.ended_ms is not None]
    repeated = sum(number - 1 for number in duplicates(played).values())
    return Audit(bots, len(ordered), len(ordered) - repeated, tuple(_flags(bots, context, patience_ms, patience)))


def _look_at_start(
    record: MatchRecord,
    free_at: Mapping[str, int],
    bots: Mapping[str, BotAudit],
    starts: Mapping[str, list[tuple[int, tuple[int, ...]]]],
    context: Context,
) -> None:
    for seat, name in enumerate(record.seats):
        other = record.seats[1 - seat]
        bot = bots[name]
        since = max(free_at[name], record.known_ms)
        wait = _waited(since, record.started_ms, context, name)
        if wait > bot.longest_wait_ms:
            bot.longest_wait_ms, bot.waited_for = wait, other
        both = _waited(max(since, free_at[other]), record.started_ms, context, name, other)
        bot.needless_wait_ms = max(bot.needless_wait_ms, both)
        others = starts[other]
        meanwhile = others[bisect_left(others, (since,)) : bisect_left(others, (record.started_ms,))]
        bot.passed_over = max(bot.passed_over, sum(place > record.place for _, place in meanwhile))


def _look_at_now(
    bots: Mapping[str, BotAudit], by_bot: Mapping[str, list[MatchRecord]], free_at: Mapping[str, int], context: Context
) -> None:
    playing = {name for name, matches in by_bot.items() if any(match.ended_ms is None for match in matches)}
    away = {name for name, spans in context.away.items() if any(start <= context.now_ms <= end for start, end in spans)}
    for name, bot in bots.items():
        opponents = list(dict.fromkeys(context.to_play.get(name, ())))
        if name in playing or name in away or not opponents:
            continue
        bot.waits_since_ms = free_at[name]
        bot.waits_for = {
            other: "playing" if other in playing else "away" if other in away else "nothing" for other in opponents
        }
        bot.longest_wait_ms = max(bot.longest_wait_ms, _waited(free_at[name], context.now_ms, context, name))
        for other, why in bot.waits_for.items():
            if why == "nothing":
                both = _waited(max(free_at[name], free_at[other]), context.now_ms, context, name, other)
                bot.needless_wait_ms = max(bot.needless_wait_ms, both)


def _waited(start: int, end: int, context: Context, *names: str) -> int:
    """Return the ms from `start` to `end`, without pauses and the times when one of the bots was away."""
    excused = sorted([*context.paused, *(span for name in names for span in context.away.get(name, ()))])
    total, at = 0, start
    for begins, ends in excused:
        total += max(0, min(begins, end) - at)
        at = max(at, ends)
    return total + max(0, end - at)


def _flags(bots: Mapping[str, BotAudit], context: Context, patience_ms: int, patience: int) -> Iterable[Flag]:
    middle = median(bot.matches for bot in bots.values()) if bots else 0
    for name, bot in bots.items():
        first, second = bot.seats
        if abs(first - second) > (1 if context.finished else 2):
            yield Flag("seats", name, f"{name} moved first in {first} matches and second in {second}")
        if bot.needless_wait_ms > patience_ms:
            yield Flag("needless_wait", name, f"{name} waited {bot.needless_wait_ms} ms for a bot that was idle too")
        if bot.passed_over > patience:
            message = f"{name} waited while its next opponent began {bot.passed_over} later matches with others"
            yield Flag("passed_over", name, message)
        if context.everyone_plays_alike and bot.matches * 2 < middle and middle >= 4:
            yield Flag("behind", name, f"{name} has {bot.matches} matches; the middle of the field has {middle:g}")
