"""What lists show of a tournament: how far it is, who leads, and what each bot has done in it."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rumble_protocol.feed_messages import Standing, TournamentSummary

from rumble_server.arena.recovery import replay_tournament
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.library import Library
from rumble_server.web.feed.headline import headline
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site

log = logging.getLogger(__name__)

MOST_LISTED = 100
"""Lists and records are of so many tournaments, the newest."""
PATIENCE_S = 1.0
"""A page waits so long for tournaments of earlier runs to be read; the others are counted when they are."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one bot has done in a tournament, and its rank."""

    name: str
    rank: int
    points: float
    wins: int
    draws: int
    losses: int

    @property
    def played(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Digest:
    """A tournament in a list; `lines` by rank."""

    summary: TournamentSummary
    format: str
    matches_over: int
    matches_total: int | None
    headline: str
    lines: tuple[Line, ...]


@dataclass(slots=True)
class Record:
    """What a bot has done over several tournaments; `first` counts those that it has won, alone or with others."""

    name: str
    tournaments: int = 0
    first: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def played(self) -> int:
        """Matches with a result."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float | None:
        """Of its matches the wins, with half of the draws; None without a match."""
        return (self.wins + self.draws / 2) / self.played if self.played else None


def digest(tournament: Tournament, standings: Sequence[Standing]) -> Digest:
    """The tournament for a list; `standings` as they are told."""
    return Digest(
        summary=summary_view(tournament),
        format=tournament.config.format,
        matches_over=len(tournament.results),
        matches_total=tournament.matches_total,
        headline=headline(tournament, standings),
        lines=tuple(Line(line.name, line.rank, line.points, line.wins, line.draws, line.losses) for line in standings),
    )


def records(digests: Iterable[Digest]) -> list[Record]:
    """The bots of these tournaments, newest first, with all their matches. Names are compared without case."""
    found: dict[str, Record] = {}
    for each in digests:
        for line in each.lines:
            record = found.setdefault(line.name.casefold(), Record(line.name))
            record.tournaments += 1
            record.first += _has_winner(each) and line.rank == 1 and line.played > 0
            record.wins += line.wins
            record.draws += line.draws
            record.losses += line.losses
    return sorted(found.values(), key=lambda record: (-record.wins, -(record.share or 0), record.name.casefold()))


def _has_winner(digest: Digest) -> bool:
    """A gauntlet has none: its challengers play far more than the others."""
    return digest.summary.status == "finished" and digest.format != "gauntlet"


def lines_of(digests: Iterable[Digest], name: str) -> list[tuple[Digest, Line]]:
    """What one bot has done in each of these tournaments that it was in."""
    wanted = name.casefold()
    return [(each, line) for each in digests for line in each.lines if line.name.casefold() == wanted]


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest tournaments that are listed, newest first. `digests` lacks those that are still being read."""

    tournaments: list[TournamentSummary]
    digests: dict[str, Digest]

    @property
    def unread(self) -> int:
        """How many are not counted yet."""
        return len(self.tournaments) - len(self.digests)


class Digests:
    """The digests of one server. Those of tournaments that are over are made once, and kept while they are listed."""

    def __init__(self, site: Site, library: Library) -> None:
        self._site = site
        self._library = library
        self._over: dict[str, Digest] = {}
        self._reading: asyncio.Task[None] | None = None

    async def listing(self) -> Listing:
        """What there is to list. To be told once `site.on_disk()` returns."""
        listed = await self._library.listed(MOST_LISTED)
        unread = [
            each.id for each in listed if each.id not in self._site.arena.tournaments and each.id not in self._over
        ]
        if unread:
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read(unread))
            await asyncio.wait([self._reading], timeout=PATIENCE_S)
        ids = {each.id for each in listed}
        self._over = {tournament: kept for tournament, kept in self._over.items() if tournament in ids}
        found: dict[str, Digest] = {}
        for each in listed:
            in_memory = self._site.arena.tournaments.get(each.id)
            if in_memory is not None:
                found[each.id] = digest(in_memory, self._site.ranker.ranking(in_memory).standings)
            elif each.id in self._over:
                found[each.id] = self._over[each.id]
        return Listing(listed, found)

    async def _read(self, tournaments: Sequence[str]) -> None:
        for tournament in tournaments:
            facts = await self._site.archive.tournament_facts(tournament)
            found = await asyncio.to_thread(_digest_of, facts)
            if found is not None:
                self._over[tournament] = found


def _report(reading: "asyncio.Task[None]") -> None:
    if not reading.cancelled() and reading.exception() is not None:
        log.error("a tournament could not be read for the lists", exc_info=reading.exception())


def _digest_of(facts: Sequence[LogFact]) -> Digest | None:
    tournament = replay_tournament(facts)
    if tournament is None:
        return None
    return digest(tournament, tournament.table.standings())
