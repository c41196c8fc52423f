"""What the facts of a tournament tell of times, for its fairness audit: the machine does not keep them."""

from collections.abc import Iterable
from dataclasses import dataclass

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.match_id import MatchId
from rumble_server.tournament.audit import Audit, Context, MatchRecord, Span, audit
from rumble_server.tournament.facts import (
    BotAbsent,
    BotJoined,
    LogFact,
    ResultVoided,
    RoundPaired,
    TournamentEnded,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.tournament import OVER, Tournament

ALIKE = ("round-robin", "swiss")
"""Formats in which all bots are to have the same number of matches."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What only the machine knows: the opponents that each bot is still to meet, and since when bots are away."""

    bots: tuple[str, ...]
    finished: bool
    everyone_plays_alike: bool
    absent_ms: int
    to_play: dict[str, list[str]]
    away_since: dict[str, int]
    at_ms: int


def snapshot_of(tournament: Tournament, now_ms: int) -> Snapshot:
    """Take the tournament as it stands, for an audit that is made on another thread."""
    agenda, over = tournament.agenda, tournament.status in OVER
    to_play: dict[str, list[str]] = {}
    if agenda is not None and not over:
        to_play = {
            bot: [slot.opponent(bot) for slot in agenda.waiting(bot)]
            for bot, entrant in tournament.field.items()
            if not entrant.gone
        }
    return Snapshot(
        bots=tuple(tournament.field),
        finished=over,
        everyone_plays_alike=tournament.config.format in ALIKE and not tournament.config.late_join,
        absent_ms=tournament.config.absent_ms,
        to_play=to_play,
        away_since={
            bot: entrant.absent_since_ms
            for bot, entrant in tournament.field.items()
            if entrant.absent_since_ms is not None
        },
        at_ms=now_ms if tournament.ended_at_ms is None else tournament.ended_at_ms,
    )


def audit_facts(facts: Iterable[LogFact], now: Snapshot) -> Audit:
    """Audit a tournament by the facts that rebuild it."""
    history = _History(now)
    for fact in facts:
        history.take(fact)
    return audit(history.records(), history.context())


class _History:
    """The times of one tournament's matches, pauses and absences."""

    def __init__(self, now: Snapshot) -> None:
        self._now = now
        self._started_ms = now.at_ms
        self._begun: dict[str, MatchStarted] = {}
        self._over: dict[str, MatchRecord] = {}
        self._paired_ms: dict[tuple[int, int], int] = {}
        self._paused: list[Span] = []
        self._paused_since_ms: int | None = None
        self._away: dict[str, list[Span]] = {}
        self._left_ms: dict[str, int] = {}

    def take(self, fact: LogFact) -> None:
        """Take the next fact into account."""
        match fact:
            case TournamentStarted():
                self._started_ms = fact.at_ms
            case MatchStarted():
                self._begun[fact.match] = fact
            case MatchOver():
                self._take_over(fact)
            case ResultVoided():
                self._over.pop(fact.match, None)
            case RoundPaired():
                for pairing in fact.pairings:
                    self._paired_ms[pairing.cycle, pairing.round] = fact.at_ms
            case TournamentPaused():
                self._paused_since_ms = fact.at_ms
            case TournamentResumed() | TournamentEnded():
                self._end_pause(fact.at_ms)
            case BotJoined():
                self._left_ms[fact.bot] = self._now.absent_ms
                if self._started_ms < fact.at_ms:  # it came late, and waited for nobody before
                    self._away.setdefault(fact.bot, []).append((self._started_ms, fact.at_ms))
            case BotAbsent():
                # The budget runs while the bot is away and has matches to play, so the part used is the time away.
                used_ms = self._left_ms[fact.bot] - fact.absent_left_ms
                self._left_ms[fact.bot] = fact.absent_left_ms
                self._away.setdefault(fact.bot, []).append((fact.at_ms - used_ms, fact.at_ms))
            case _:
                pass

    def _take_over(self, over: MatchOver) -> None:
        begun = self._begun.pop(over.match, None)
        if over.scores is None or len(over.seats) != 2:
            return
        started_ms = over.at_ms if begun is None or begun.attempt != over.attempt else begun.at_ms
        self._over[over.match] = MatchRecord(
            match_id=over.match,
            seats=(over.seats[0], over.seats[1]),
            started_ms=started_ms,
            ended_ms=over.at_ms,
            termination=over.termination,
            at_fault=over.at_fault,
            moves=over.moves,
            known_ms=self._known_ms(over.match),
        )

    def _end_pause(self, at_ms: int) -> None:
        if self._paused_since_ms is not None:
            self._paused.append((self._paused_since_ms, at_ms))
            self._paused_since_ms = None

    def _known_ms(self, match_id: str) -> int:
        cycle, number, _, _ = MatchId.parse(match_id).key
        return self._paired_ms.get((cycle, number), 0)

    def records(self) -> list[MatchRecord]:
        """Give the matches that count, and those that are being played."""
        running = [
            MatchRecord(
                begun.match, (begun.seats[0], begun.seats[1]), begun.at_ms, known_ms=self._known_ms(begun.match)
            )
            for begun in self._begun.values()
            if len(begun.seats) == 2 and not self._now.finished
        ]
        return [*self._over.values(), *running]

    def context(self) -> Context:
        """Give what the audit must know beside the matches."""
        now = self._now
        if self._paused_since_ms is not None:
            self._end_pause(now.at_ms)
        for bot, since_ms in now.away_since.items():
            self._away.setdefault(bot, []).append((since_ms, max(since_ms, now.at_ms)))
        return Context(
            bots=now.bots,
            started_ms=self._started_ms,
            now_ms=now.at_ms,
            finished=now.finished,
            everyone_plays_alike=now.everyone_plays_alike,
            to_play=now.to_play,
            paused=self._paused,
            away=self._away,
        )
