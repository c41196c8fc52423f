"""The fairness audit of a tournament from its facts on disk: they have the times that the machine does not keep."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.audit import Audit, MatchRecord, Scene, Span, audit
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
from rumble_server.web.site import Site

PACE_MS = 5_000
"""An audit of a tournament that goes on serves all who ask within so long."""
ALIKE = ("round-robin", "swiss")
"""Formats in which all bots are to have as many matches."""


@dataclass(frozen=True, slots=True)
class Now:
    """What only the machine knows: who is still to meet whom, and since when bots are away."""

    bots: tuple[str, ...]
    finished: bool
    everyone_plays_alike: bool
    absent_ms: int
    to_play: dict[str, list[str]]
    away_since: dict[str, int]
    at_ms: int


def look(tournament: Tournament, now_ms: int) -> Now:
    """The tournament as it stands, for an audit that is made elsewhere."""
    agenda, over = tournament.agenda, tournament.status in OVER
    to_play: dict[str, list[str]] = {}
    if agenda is not None and not over:
        to_play = {
            bot: [slot.opponent(bot) for slot in agenda.waiting(bot)]
            for bot, entrant in tournament.field.items()
            if not entrant.gone
        }
    return Now(
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


def audit_facts(facts: Iterable[LogFact], now: Now) -> Audit:
    """The audit of a tournament by the facts that rebuild it."""
    history = _History(now)
    for fact in facts:
        history.take(fact)
    return audit(history.records(), history.scene())


class _History:
    """When what happened, of one tournament."""

    def __init__(self, now: Now) -> None:
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
        """The next fact."""
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
                if self._started_ms < fact.at_ms:  # it came late: before, it waited for nobody
                    self._away.setdefault(fact.bot, []).append((self._started_ms, fact.at_ms))
            case BotAbsent():
                # The budget runs while the bot is away and has matches to play: what is gone of it is how long.
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
            match=over.match,
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

    def _known_ms(self, match: str) -> int:
        parts = match.split(".")[-4:]
        cycle, number = (int(part) for part in parts[:2])
        return self._paired_ms.get((cycle, number), 0)

    def records(self) -> list[MatchRecord]:
        """The matches that count, and those that are being played."""
        running = [
            MatchRecord(
                begun.match, (begun.seats[0], begun.seats[1]), begun.at_ms, known_ms=self._known_ms(begun.match)
            )
            for begun in self._begun.values()
            if len(begun.seats) == 2 and not self._now.finished
        ]
        return [*self._over.values(), *running]

    def scene(self) -> Scene:
        """What the audit must know beside the matches."""
        now = self._now
        if self._paused_since_ms is not None:
            self._end_pause(now.at_ms)
        for bot, since_ms in now.away_since.items():
            self._away.setdefault(bot, []).append((since_ms, max(since_ms, now.at_ms)))
        return Scene(
            bots=now.bots,
            started_ms=self._started_ms,
            now_ms=now.at_ms,
            finished=now.finished,
            everyone_plays_alike=now.everyone_plays_alike,
            to_play=now.to_play,
            paused=self._paused,
            away=self._away,
        )


@dataclass(slots=True)
class _Made:
    version: int
    at_ms: int
    audit: Audit


class Auditor:
    """The audits of every tournament that somebody reads, each made once for all who ask."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._made: WeakKeyDictionary[Tournament, _Made] = WeakKeyDictionary()
        self._making = asyncio.Lock()

    async def audit(self, tournament: Tournament) -> Audit:
        """The audit, of a tournament that goes on at most some seconds old."""
        async with self._making:
            now_ms = self._site.arena.clock.now_ms()
            made = self._made.get(tournament)
            if made is not None and self._is_fresh(tournament, made, now_ms):
                return made.audit
            version = tournament.table.version
            await self._site.on_disk()
            facts = await self._site.archive.tournament_facts(tournament.id)
            now = look(tournament, now_ms)
            found = await asyncio.to_thread(audit_facts, facts, now)
            self._made[tournament] = _Made(version, now_ms, found)
            return found

    def _is_fresh(self, tournament: Tournament, made: _Made, now_ms: int) -> bool:
        ended_ms = tournament.ended_at_ms
        if ended_ms is not None:
            return made.version == tournament.table.version and made.at_ms >= ended_ms
        return now_ms - made.at_ms < PACE_MS
