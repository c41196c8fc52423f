"""The fairness audit of a tournament, running or over: who played how much, from which seat, who waited for whom. Pure.

What is flagged, for each bot:
- `seats`: it had one seat more often than the other, by more than one (while the tournament runs, by more than two);
- `needless_wait`: it and its next opponent were both there and idle, together, for longer than `patience_ms`;
- `passed_over`: while it waited for its next opponent, that one began more than `patience` matches with others that
  come later in the schedule than their own;
- `behind`: it has played less than half as many matches as the bot in the middle of the field, where all are to play
  alike.
Times when the tournament was paused or a bot was away are no waiting.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

from rumble_engine import Termination

from rumble_server.tournament.openings import duplicates

Span = tuple[int, int]
"""From and to, in ms."""
FlagKind = Literal["seats", "needless_wait", "passed_over", "behind"]


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match that was begun, or lost before it began. `ended_ms` None: it is running."""

    match: str
    seats: tuple[str, str]
    started_ms: int
    ended_ms: int | None = None
    termination: Termination | None = None
    at_fault: tuple[int, ...] = ()
    moves: tuple[str, ...] = ()
    known_ms: int = 0
    """Since when its pairing stands, where that depends on results (Swiss, knockout): no waiting for it before."""

    @property
    def place(self) -> tuple[int, ...]:
        """Its place in the schedule, by its id; empty if the id has none."""
        parts = self.match.split(".")[-4:]
        return tuple(map(int, parts)) if len(parts) == 4 and all(part.isdecimal() for part in parts) else ()

    @property
    def was_played(self) -> bool:
        """Whether it was more than a `no_show`."""
        return self.termination is not Termination.NO_SHOW


@dataclass(slots=True)
class BotAudit:
    """What one bot got. Waits are in ms."""

    matches: int = 0
    seats: list[int] = field(default_factory=lambda: [0, 0])
    faults: dict[str, int] = field(default_factory=dict)
    longest_wait_ms: int = 0
    waited_for: str | None = None
    """Whom it met after its longest wait."""
    needless_wait_ms: int = 0
    passed_over: int = 0
    waits_since_ms: int | None = None
    """Since when it is there, idle, and has matches to play; None: it is not."""
    waits_for: dict[str, str] = field(default_factory=dict)
    """Then, its opponents to come and what keeps each: `playing`, `away` or `nothing`."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that a fair tournament does not do."""

    kind: FlagKind
    bot: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit. `repeated` is how many matches had the seats and moves of another, earlier one."""

    bots: dict[str, BotAudit]
    matches: int
    distinct: int
    flags: tuple[Flag, ...]

    @property
    def repeated(self) -> int:
        """Matches that told nothing new."""
        return self.matches - self.distinct

    @property
    def is_fair(self) -> bool:
        """Whether nothing is flagged."""
        return not self.flags

    def as_json(self) -> dict[str, Any]:
        """The audit as the API shows it."""
        return {
            "fair": self.is_fair,
            "matches": self.matches,
            "distinct": self.distinct,
            "repeated": self.repeated,
            "flags": [{"kind": flag.kind, "bot": flag.bot, "message": flag.message} for flag in self.flags],
            "bots": {
                name: {
                    "matches": bot.matches,
                    "seats": bot.seats,
                    "faults": bot.faults,
                    "longest_wait_ms": bot.longest_wait_ms,
                    "waited_for": bot.waited_for,
                    "needless_wait_ms": bot.needless_wait_ms,
                    "passed_over": bot.passed_over,
                    "waits_since_ms": bot.waits_since_ms,
                    "waits_for": bot.waits_for,
                }
                for name, bot in self.bots.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Scene:
    """What the audit must know beside the matches. `to_play`: for each bot, the opponents it still has matches with."""

    bots: Sequence[str]
    started_ms: int
    now_ms: int
    finished: bool = False
    everyone_plays_alike: bool = True
    """Whether all bots are to have as many matches: not so in a knockout or a gauntlet."""
    to_play: Mapping[str, Iterable[str]] = field(default_factory=dict)
    paused: Sequence[Span] = ()
    away: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """When each bot was not connected; a span that lasts ends at `now_ms` or later."""


def audit(records: Iterable[MatchRecord], scene: Scene, *, patience_ms: int = 1000, patience: int = 3) -> Audit:
    """Look at the matches in order of their beginning."""
    ordered = sorted(records, key=lambda record: record.started_ms)
    bots = {name: BotAudit() for name in scene.bots}
    by_bot: dict[str, list[MatchRecord]] = {name: [] for name in scene.bots}
    for record in ordered:
        for seat, name in enumerate(record.seats):
            bot = bots.setdefault(name, BotAudit())
            by_bot.setdefault(name, []).append(record)
            bot.matches += 1
            bot.seats[seat] += 1
            if seat in record.at_fault and record.termination is not None:
                bot.faults[str(record.termination)] = bot.faults.get(str(record.termination), 0) + 1
    starts = {
        name: sorted((match.started_ms, match.place) for match in own if match.was_played)
        for name, own in by_bot.items()
    }
    free_at = dict.fromkeys(bots, scene.started_ms)
    for record in ordered:
        if record.was_played:
            _look_at_start(record, free_at, bots, starts, scene)
        for name in record.seats:
            free_at[name] = max(free_at[name], scene.now_ms if record.ended_ms is None else record.ended_ms)
    if not scene.finished:
        _look_at_now(bots, by_bot, free_at, scene)
    played = [(record.seats, record.moves) for record in ordered if record.moves and record.ended_ms is not None]
    repeated = sum(number - 1 for number in duplicates(played).values())
    return Audit(bots, len(ordered), len(ordered) - repeated, tuple(_flags(bots, scene, patience_ms, patience)))


def _look_at_start(
    record: MatchRecord,
    free_at: Mapping[str, int],
    bots: Mapping[str, BotAudit],
    starts: Mapping[str, list[tuple[int, tuple[int, ...]]]],
    scene: Scene,
) -> None:
    for seat, name in enumerate(record.seats):
        other = record.seats[1 - seat]
        bot = bots[name]
        since = max(free_at[name], record.known_ms)
        wait = _waited(since, record.started_ms, scene, name)
        if wait > bot.longest_wait_ms:
            bot.longest_wait_ms, bot.waited_for = wait, other
        both = _waited(max(since, free_at[other]), record.started_ms, scene, name, other)
        bot.needless_wait_ms = max(bot.needless_wait_ms, both)
        meanwhile = starts[other][
            bisect_left(starts[other], (since,)) : bisect_left(starts[other], (record.started_ms,))
        ]
        bot.passed_over = max(bot.passed_over, sum(place > record.place for _, place in meanwhile))


def _look_at_now(
    bots: Mapping[str, BotAudit],
    by_bot: Mapping[str, list[MatchRecord]],
    free_at: Mapping[str, int],
    scene: Scene,
) -> None:
    playing = {name for name, matches in by_bot.items() if any(match.ended_ms is None for match in matches)}
    away = {name for name, spans in scene.away.items() if any(start <= scene.now_ms <= end for start, end in spans)}
    for name, bot in bots.items():
        opponents = list(dict.fromkeys(scene.to_play.get(name, ())))
        if name in playing or name in away or not opponents:
            continue
        bot.waits_since_ms = free_at[name]
        bot.waits_for = {
            other: "playing" if other in playing else "away" if other in away else "nothing" for other in opponents
        }
        bot.longest_wait_ms = max(bot.longest_wait_ms, _waited(free_at[name], scene.now_ms, scene, name))
        for other, why in bot.waits_for.items():
            if why == "nothing":
                both = _waited(max(free_at[name], free_at[other]), scene.now_ms, scene, name, other)
                bot.needless_wait_ms = max(bot.needless_wait_ms, both)


def _waited(start: int, end: int, scene: Scene, *names: str) -> int:
    """How long from `start` to `end`, without pauses and the times one of the bots was away."""
    excused = sorted([*scene.paused, *(span for name in names for span in scene.away.get(name, ()))])
    total, at = 0, start
    for begins, ends in excused:
        total += max(0, min(begins, end) - at)
        at = max(at, ends)
    return total + max(0, end - at)


def _flags(bots: Mapping[str, BotAudit], scene: Scene, patience_ms: int, patience: int) -> Iterable[Flag]:
    middle = median(bot.matches for bot in bots.values()) if bots else 0
    for name, bot in bots.items():
        first, second = bot.seats
        if abs(first - second) > (1 if scene.finished else 2):
            yield Flag("seats", name, f"{name} moved first in {first} matches and second in {second}")
        if bot.needless_wait_ms > patience_ms:
            yield Flag("needless_wait", name, f"{name} waited {bot.needless_wait_ms} ms for a bot that was idle too")
        if bot.passed_over > patience:
            message = f"{name} waited while its next opponent began {bot.passed_over} later matches with others"
            yield Flag("passed_over", name, message)
        if scene.everyone_plays_alike and bot.matches * 2 < middle and middle >= 4:
            yield Flag("behind", name, f"{name} has {bot.matches} matches; the middle of the field has {middle:g}")
