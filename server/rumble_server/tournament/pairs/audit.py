"""The fairness audit of pairs: waits and seats. Pure.

The flags of pairs, which `tournament/audit.py` defines:
- `seats`: after a complete schedule that gives both seats equally often, a bot's number of first seats and its number
  of second seats differ by more than one;
- `passed_over`: a bot that could play waited longer than `PATIENCE_MS`. Meanwhile its next opponent began more than
  `MOST_PASSED` matches with other bots, and these matches come later in the schedule than the match of the two bots;
- `needless_wait`: two bots that could play waited for each other for longer than `PATIENCE_MS`.

A bot waits while it is connected, has room for a match, and plays no match of the tournament; pauses and its time in
other tournaments do not count. Each wait is flagged once, for the bot that lost most by the wait.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.match_id import MatchId, MatchKey
from rumble_server.tournament.audit import MOST_PASSED, PATIENCE_MS, Audit, BotAudit, Context, Flag, seconds


@dataclass(frozen=True, slots=True)
class AuditedMatch:
    """A match that began, or was lost before it began. `ended_ms` is None while the match runs."""

    match_id: str
    seats: tuple[str, str]
    started_ms: int
    ended_ms: int | None = None
    termination: Termination | None = None
    at_fault: tuple[int, ...] = ()
    moves: tuple[str, ...] = ()
    playable_ms: int = 0
    """Time in ms from which bots can wait for the match.

    A match with a void attempt has the time at which the last attempt became void. A match of a round that was paired
    from results (Swiss, knockout) has the time of the pairing. Any other match has 0.
    """
    free_since_ms: tuple[int, ...] = (0, 0)
    """Times in ms, by seat: the bot was connected and had room for a match from then until the start of the match."""

    @property
    def schedule_key(self) -> MatchKey:
        return MatchId.parse(self.match_id).key

    @property
    def was_played(self) -> bool:
        return self.termination is not Termination.NO_SHOW


def audit_pairs(matches: Iterable[AuditedMatch], context: Context) -> Audit:
    """Return the audit of the matches in `matches`, which may be in any order."""
    ordered = sorted(matches, key=lambda match: match.started_ms)
    bots = {name: BotAudit() for name in context.bots}
    by_bot: dict[str, list[AuditedMatch]] = {name: [] for name in context.bots}
    for match in ordered:
        for seat, name in enumerate(match.seats):
            bot = bots.setdefault(name, BotAudit())
            by_bot.setdefault(name, []).append(match)
            bot.matches += 1
            bot.seats[seat] += 1
            if seat in match.at_fault and match.termination is not None:
                bot.faults[str(match.termination)] = bot.faults.get(str(match.termination), 0) + 1
    for name, bot in bots.items():
        bot.excused_ms, bot.drops = context.excused_ms.get(name, 0), context.drops.get(name, 0)
    waits = _Waits(bots, by_bot, context)
    for match in ordered:
        waits.add(match)
    if not context.is_finished:
        waits.look_at_now()
    played = [(match.seats, match.moves) for match in ordered if match.moves and match.ended_ms is not None]
    repeated = len(played) - len(set(played))
    flags = (*_seat_flags(bots, context), *waits.flags())
    return Audit(bots, len(ordered), len(ordered) - repeated, flags, context.void)


class _Waits:
    """The waits of bots. Waits are collected from the bots' matches in order, and from the matches that the bots wait
    for now.
    """

    def __init__(
        self, bots: Mapping[str, BotAudit], by_bot: Mapping[str, Sequence[AuditedMatch]], context: Context
    ) -> None:
        self._bots = bots
        self._context = context
        self._starts = {
            name: sorted((match.started_ms, match.schedule_key) for match in own if match.was_played)
            for name, own in by_bot.items()
        }
        self._playing = {name for name, own in by_bot.items() if any(match.ended_ms is None for match in own)}
        self._ended_ms = dict.fromkeys(bots, context.started_ms)
        """For each bot, the time in ms at which its last match ended; at first, the start of the tournament."""
        self._passed_by: dict[str, tuple[str, int]] = {}
        """For each bot that was passed over, one of its waits: the opponent, and the length of the wait in ms.

        The wait is the one during which the opponent began the greatest number of matches that come later in the
        schedule.
        """
        self._idle_with: dict[str, str] = {}
        """For each bot, the opponent of the match that waited longest while both bots were idle."""

    def add(self, match: AuditedMatch) -> None:
        """Add a match. Matches must be added in the order of their starts."""
        if match.was_played:
            since = [
                max(self._ended_ms[name], match.playable_ms, free_ms)
                for name, free_ms in zip(match.seats, match.free_since_ms, strict=True)
            ]
            for seat, name in enumerate(match.seats):
                other = match.seats[1 - seat]
                self._note(name, other, match.schedule_key, since[seat], match.started_ms)
                self._note_idle(name, other, max(since), match.started_ms)
        ended_ms = self._context.now_ms if match.ended_ms is None else match.ended_ms
        for name in match.seats:
            self._ended_ms[name] = max(self._ended_ms[name], ended_ms)

    def look_at_now(self) -> None:
        """Add the waits that have not ended yet."""
        context, now_ms = self._context, self._context.now_ms
        since = {
            name: max(self._ended_ms[name], free_ms)
            for name, free_ms in context.free_since_ms.items()
            if name not in self._playing
        }
        for name, to_play in context.to_play.items():
            if name not in since or not to_play:
                continue
            bot = self._bots[name]
            bot.waits_since_ms = since[name]
            for other, key in to_play:
                bot.waits_for[other] = "nothing" if other in since else "away" if other in context.absent else "playing"
                self._note(name, other, key, since[name], now_ms)
                if other in since:
                    self._note_idle(name, other, max(since[name], since[other]), now_ms)

    def _note(self, name: str, other: str, key: MatchKey, since_ms: int, until_ms: int) -> None:
        bot, starts = self._bots[name], self._starts.get(other, [])
        wait_ms = self._context.waited_ms(since_ms, until_ms, name)
        if wait_ms > bot.longest_wait_ms:
            bot.longest_wait_ms, bot.waited_for = wait_ms, other
        meanwhile = starts[bisect_left(starts, (since_ms,)) : bisect_left(starts, (until_ms,))]
        passed_over = sum(begun > key for _, begun in meanwhile)
        if passed_over > bot.passed_over:
            bot.passed_over, self._passed_by[name] = passed_over, (other, wait_ms)

    def _note_idle(self, name: str, other: str, since_ms: int, until_ms: int) -> None:
        bot, both_ms = self._bots[name], self._context.waited_ms(since_ms, until_ms, name, other)
        if both_ms > bot.needless_wait_ms:
            bot.needless_wait_ms, self._idle_with[name] = both_ms, other

    def flags(self) -> Iterable[Flag]:
        flagged: set[str] = set()
        for name, (other, wait_ms) in self._passed_by.items():
            passed_over = self._bots[name].passed_over
            if passed_over > MOST_PASSED and wait_ms > PATIENCE_MS:
                flagged.add(name)
                message = f"{name} waited {seconds(wait_ms)} for {other}, which began {passed_over} later matches"
                yield Flag(
                    "passed_over", name, f"{message} meanwhile: let the tournament go on until {name} has played"
                )
        for name, other in sorted(self._idle_with.items(), key=lambda each: -self._bots[each[0]].needless_wait_ms):
            wait_ms = self._bots[name].needless_wait_ms
            if wait_ms > PATIENCE_MS and flagged.isdisjoint((name, other)):
                flagged.add(name)
                message = f"{name} and {other} were free for {seconds(wait_ms)}, and their match did not begin"
                yield Flag("needless_wait", name, f"{message}: look whether the club's quota of matches is used up")


def _seat_flags(bots: Mapping[str, BotAudit], context: Context) -> Iterable[Flag]:
    for name, bot in bots.items():
        first, second = bot.seats
        if context.has_even_seats and abs(first - second) > 1:
            message = f"{name} moved first in {first} matches and second in {second}: count its points with care"
            yield Flag("seats", name, message)
