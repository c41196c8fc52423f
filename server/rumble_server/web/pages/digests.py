"""What lists show of a tournament: how far it is, who leads, and what each bot has done in it."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rumble_protocol.feed_messages import Standing, TournamentSummary

from rumble_server.tournament.ended import EndedTournament, Line
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.library import Library
from rumble_server.web.feed.headline import headline, headline_of
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site

MOST_LISTED = 100
"""Maximum number of tournaments in lists and in records of bots; older ones are left out."""
MOST_CLUBS = 64
"""Number of clubs whose digests are kept; those of the club whose list was shown longest ago go first."""
PATIENCE_S = 1.0
"""How long a page waits, in s, for records to be made; tournaments without one are not counted on it."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A tournament in a list. `lines` are by rank."""

    summary: TournamentSummary
    format: str
    matches_over: int
    matches_total: int | None
    headline: str
    lines: tuple[Line, ...]


@dataclass(slots=True)
class Record:
    """What a bot has done over several tournaments. `first` counts those that it won, alone or with others."""

    name: str
    tournaments: int = 0
    first: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float | None:
        """Share of its matches that it won; a draw counts half. None without a match."""
        return (self.wins + self.draws / 2) / self.played if self.played else None


def digest(tournament: Tournament, standings: Sequence[Standing]) -> Digest:
    """Make the digest of a tournament in memory. `standings` as they are told."""
    counted = ((each, (each.points, each.wins, each.draws, each.losses)) for each in standings)
    lines = tuple(
        Line(each.name, each.rank, *counts, byes=each.byes, half_byes=each.half_byes) for each, counts in counted
    )
    matches, text = (len(tournament.results), tournament.matches_total), headline(tournament, standings)
    return Digest(summary_view(tournament), tournament.config.format, *matches, text, lines)


def digest_of_ended(ended: EndedTournament) -> Digest:
    """Make the digest of a tournament that is over, from its record."""
    text = headline_of(ended.status, ended.format, ended.lines, ended.challengers)
    return Digest(summary_view(ended), ended.format, ended.matches_over, ended.matches_total, text, ended.lines)


def records(digests: Iterable[Digest]) -> list[Record]:
    """Sum up the bots of these tournaments, most wins first. Names are compared without case; the first one counts."""
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
    """Whether rank 1 is a win. In a gauntlet it is not: its challengers play far more than the others."""
    return digest.summary.status == "finished" and digest.format != "gauntlet"


def lines_of(digests: Iterable[Digest], name: str) -> list[tuple[Digest, Line]]:
    """Return what one bot has done in each of these tournaments that it was in."""
    wanted = name.casefold()
    return [(each, line) for each in digests for line in each.lines if line.name.casefold() == wanted]


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest tournaments that are listed, newest first. `digests` lacks those without a record."""

    tournaments: list[TournamentSummary]
    digests: dict[str, Digest]

    @property
    def unread(self) -> int:
        """Number of tournaments that are not counted."""
        return len(self.tournaments) - len(self.digests)

    @property
    def counted(self) -> list[Digest]:
        """The digests, newest first."""
        return [self.digests[each.id] for each in self.tournaments if each.id in self.digests]


@dataclass(slots=True)
class _OfClub:
    over: dict[str, Digest] = field(default_factory=dict)
    reading: asyncio.Task[None] | None = None


class Digests:
    """The digests of all clubs. Those of tournaments that are over are made once, and kept while they are listed."""

    def __init__(self) -> None:
        self._clubs: OrderedDict[str, _OfClub] = OrderedDict()

    async def listing(self, site: Site, library: Library) -> Listing:
        """List what there is in a club. Tell it only after `site.on_disk()` has returned. Raises StoreError."""
        club = self._clubs.setdefault(site.club, _OfClub())
        self._clubs.move_to_end(site.club)
        if len(self._clubs) > MOST_CLUBS:
            self._clubs.popitem(last=False)
        listed = await library.newest(MOST_LISTED)
        unread = [each.id for each in listed if not isinstance(each, Tournament | EndedTournament)]
        if unread:
            if club.reading is None or club.reading.done():
                club.reading = asyncio.create_task(_read(site, unread))
            await asyncio.wait([club.reading], timeout=PATIENCE_S)
            listed = await library.newest(MOST_LISTED)
        digests: dict[str, Digest] = {}
        for each in listed:
            if isinstance(each, Tournament):
                digests[each.id] = digest(each, (await site.ranker.fresh(each)).standings)
                await asyncio.sleep(0)  # there may be a hundred, and each takes up to some ms
            elif isinstance(each, EndedTournament):
                digests[each.id] = club.over.get(each.id) or digest_of_ended(each)
        club.over = {each.id: digests[each.id] for each in listed if isinstance(each, EndedTournament)}
        return Listing([summary_view(each) for each in listed], digests)


async def _read(site: Site, tournament_ids: Sequence[str]) -> None:
    """Have the records made that are missing. The archive logs what it cannot read, and never tries it again."""
    for tournament_id in tournament_ids:
        await site.archive.ended(tournament_id)
