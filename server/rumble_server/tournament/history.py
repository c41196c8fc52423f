"""The times that the fairness audit needs but `Tournament` does not keep. They are taken from a tournament's facts.

`context_of` runs in the server's process, and `audit_facts` in the process that reads the log.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.match_id import MatchId, MatchKey
from rumble_server.results.table_result import table_result_of
from rumble_server.tournament import facts as tournament_facts
from rumble_server.tournament.audit import Audit, Context, Period
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.audit import AuditedMatch, audit_pairs
from rumble_server.tournament.tables.audit import AuditedTable, audit_tables
from rumble_server.tournament.tournament import Tournament

R = TypeVar("R")
"""The type of a match in an audit."""


def context_of(tournament: Tournament, now_ms: int, free_since_ms: Mapping[str, int] = MappingProxyType({})) -> Context:
    """Return the part of the audit's input that a `Tournament` has, for an audit in another process.

    `free_since_ms` has, by bot, the time in ms since which the bot has been connected with room for a match. Bots that
    are not connected, or have no room, are missing.
    """
    agenda, kind = tournament.agenda, FORMATS[tournament.config.format]
    finished = tournament.is_over
    at_ms = now_ms if tournament.ended_at_ms is None else tournament.ended_at_ms
    to_play: dict[str, list[tuple[str, MatchKey]]] = {}
    away: dict[str, list[Period]] = {}
    for bot, entrant in tournament.field.items():
        if agenda is not None and not finished and not entrant.is_gone and bot in free_since_ms:
            waiting = agenda.queue.waiting(bot)
            to_play[bot] = [(slot.opponent(bot), slot.key) for slot in waiting if len(slot.seats) == 2]
        if entrant.absent_since_ms is not None:
            away[bot] = [(entrant.absent_since_ms, max(entrant.absent_since_ms, at_ms))]
    return Context(
        bots=tuple(tournament.field),
        started_ms=at_ms if tournament.started_at_ms is None else tournament.started_at_ms,
        now_ms=at_ms,
        is_finished=finished,
        has_even_seats=agenda is not None and kind.has_even_seats and len(tournament.results) == agenda.matches_total,
        has_even_company=kind.has_even_company,
        seats=tournament.config.match_seats,
        to_play=to_play,
        free_since_ms=dict(free_since_ms),
        absent=frozenset(away),
        away=away,
    )


def audit_facts(facts: Iterable[tournament_facts.LogFact], now: Context) -> Audit:
    """Return the audit of a tournament, made from the facts that rebuild the tournament. `now` is the result of
    `context_of`.
    """
    history: _History[Any] = _TableHistory(now) if now.seats > 2 else _PairHistory(now)
    for fact in facts:
        history.apply(fact)
    return history.audit()


class _History(ABC, Generic[R]):
    """The times of a tournament's matches, pauses and absences."""

    def __init__(self, now: Context) -> None:
        self._now = now
        self._absent_ms = 0
        self._begun: dict[str, MatchStarted] = {}
        self._over: dict[str, R] = {}
        self._void: Counter[str] = Counter()
        self._paired_ms: dict[tuple[int, int, int], int] = {}
        self._again_ms: dict[str, int] = {}
        """By match, the time in ms at which an attempt or a result became void. The match is then played again."""
        self._paused: list[Period] = []
        self._paused_since_ms: int | None = None
        self._away: dict[str, list[Period]] = {}
        self._left_ms: dict[str, int] = {}
        self._excused_ms: Counter[str] = Counter()
        self._drops: Counter[str] = Counter()

    def apply(self, fact: tournament_facts.LogFact) -> None:
        match fact:
            case tournament_facts.TournamentCreated():
                self._absent_ms = fact.config.absent_ms
            case tournament_facts.ConfigChanged() if fact.config.absent_ms != self._absent_ms:  # still in the lobby
                self._absent_ms = fact.config.absent_ms
                self._left_ms = dict.fromkeys(self._left_ms, self._absent_ms)
            case MatchStarted():
                self._begun[fact.match] = fact
            case MatchOver():
                self._add_result(fact)
            case tournament_facts.ResultVoided():
                self._over.pop(fact.match, None)
                self._void[fact.match] += 1
                self._again_ms[fact.match] = fact.at_ms
            case tournament_facts.RoundPaired(pairings=made) | tournament_facts.TablesSeated(seatings=made):
                for each in made:
                    self._paired_ms[each.cycle, each.round, each.board] = fact.at_ms
            case tournament_facts.TournamentPaused():
                self._paused_since_ms = fact.at_ms
            case tournament_facts.TournamentResumed() | tournament_facts.TournamentEnded():
                self._end_pause(fact.at_ms)
            case tournament_facts.BotJoined():
                self._left_ms[fact.bot] = self._absent_ms
                if self._now.started_ms < fact.at_ms:  # a late bot waited for no opponent before
                    self._away.setdefault(fact.bot, []).append((self._now.started_ms, fact.at_ms))
            case tournament_facts.BotAbsent():
                # The budget runs while the bot is away with matches to play, so the used part of the budget is time
                # away.
                used_ms = self._left_ms[fact.bot] - fact.absent_left_ms
                self._left_ms[fact.bot] = fact.absent_left_ms
                self._away.setdefault(fact.bot, []).append((fact.at_ms - used_ms, fact.at_ms))

    def _add_result(self, over: MatchOver) -> None:
        # `seats_excused_ms` and `drops` are empty if no referee ended the match.
        self._excused_ms.update(dict(zip(over.seats, over.seats_excused_ms, strict=False)))
        self._drops.update(dict(zip(over.seats, over.drops, strict=False)))
        begun = self._begun.pop(over.match, None)
        if over.scores is None:
            self._again_ms[over.match] = over.at_ms
            self._void[over.match] += 1
            return
        if begun is None or begun.attempt != over.attempt:
            self._over[over.match] = self._lost_match(over)
        else:
            self._over[over.match] = self._started_match(begun, over)

    @abstractmethod
    def audit(self) -> Audit: ...

    @abstractmethod
    def _lost_match(self, over: MatchOver) -> R:
        """Return a match that was lost before it began."""

    @abstractmethod
    def _started_match(self, begun: MatchStarted, over: MatchOver | None = None) -> R:
        """Return a match that began; `over` is None while the match runs."""

    def _end_pause(self, at_ms: int) -> None:
        if self._paused_since_ms is not None:
            self._paused.append((self._paused_since_ms, at_ms))
            self._paused_since_ms = None

    def _playable_ms(self, match_id: str) -> int:
        cycle, number, board, _ = MatchId.parse(match_id).key
        return max(self._paired_ms.get((cycle, number, board), 0), self._again_ms.get(match_id, 0))

    def matches(self) -> list[R]:
        """Return the matches that are over or running."""
        running = [] if self._now.is_finished else map(self._started_match, self._begun.values())
        return [*self._over.values(), *running]

    def finish(self) -> Context:
        """Add the pause and the absences that go on, and return the audit's context. Call the method once."""
        self._end_pause(self._now.now_ms)
        for bot, periods in self._now.away.items():
            self._away.setdefault(bot, []).extend(periods)
        return replace(
            self._now,
            paused=self._paused,
            away=self._away,
            excused_ms=self._excused_ms,
            drops=self._drops,
            void=self._void,
        )


class _PairHistory(_History[AuditedMatch]):
    """The history of a tournament of pairs."""

    def audit(self) -> Audit:
        return audit_pairs(self.matches(), self.finish())

    def _lost_match(self, over: MatchOver) -> AuditedMatch:
        seats, playable_ms = (over.seats[0], over.seats[1]), self._playable_ms(over.match)
        return _ended(AuditedMatch(over.match, seats, over.at_ms, playable_ms=playable_ms), over)

    def _started_match(self, begun: MatchStarted, over: MatchOver | None = None) -> AuditedMatch:
        seats, playable_ms = (begun.seats[0], begun.seats[1]), self._playable_ms(begun.match)
        match = AuditedMatch(
            begun.match, seats, begun.at_ms, playable_ms=playable_ms, free_since_ms=begun.free_since_ms
        )
        return match if over is None else _ended(match, over)


def _ended(match: AuditedMatch, over: MatchOver) -> AuditedMatch:
    return replace(match, ended_ms=over.at_ms, termination=over.termination, at_fault=over.at_fault, moves=over.moves)


class _TableHistory(_History[AuditedTable]):
    """The history of a tournament of tables."""

    def audit(self) -> Audit:
        return audit_tables(self.matches(), self.finish())

    def _lost_match(self, over: MatchOver) -> AuditedTable:
        faults = table_result_of(over).faults
        return AuditedTable(over.match, over.seats, over.at_ms, {}, self._playable_ms(over.match), faults)

    def _started_match(self, begun: MatchStarted, over: MatchOver | None = None) -> AuditedTable:
        # The log does not tell since when an absent bot has been gone: perhaps only just now.
        since_ms = {
            **dict.fromkeys(begun.absent, begun.at_ms),
            **dict(zip(begun.seats, begun.free_since_ms, strict=True)),
        }
        faults = () if over is None else table_result_of(over).faults
        bots = begun.seats + begun.absent
        return AuditedTable(begun.match, bots, begun.at_ms, since_ms, self._playable_ms(begun.match), faults)
