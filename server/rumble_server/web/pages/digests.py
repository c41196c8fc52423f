"""Digests of tournaments for lists and for records of bots: the progress, the headline, and each bot's results.

The page of all tournaments and the page of a bot read the listing of a club from `Digests`.
"""

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
"""Maximum number of tournaments in lists and in records of bots; older tournaments are left out."""
MOST_CLUBS = 64
"""Maximum number of clubs whose digests are kept; the club whose list was shown longest ago is dropped first."""
PATIENCE_S = 1.0
"""Time in s for which a page waits for missing records; tournaments still without a record are not counted."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A tournament in a list, with the results of its bots (`lines`) by rank."""

    summary: TournamentSummary
    format: str
    matches_over: int
    matches_total: int | None
    headline: str
    lines: tuple[Line, ...]


@dataclass(slots=True)
class Record:
    """The results of a bot in several tournaments. `first` counts the tournaments it won, alone or with others."""

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
        """The share of matches won; a draw counts half. None without a match."""
        return (self.wins + self.draws / 2) / self.played if self.played else None


def digest(tournament: Tournament, standings: Sequence[Standing]) -> Digest:
    """Make the digest of a tournament in memory, from its standings."""
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
    """Sum up the results of each bot, most wins first. Names are compared without case; the first spelling is kept."""
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
    """Return whether rank 1 wins the tournament. In a gauntlet it does not: challengers play far more than others."""
    return digest.summary.status == "finished" and digest.format != "gauntlet"


def lines_of(digests: Iterable[Digest], name: str) -> list[tuple[Digest, Line]]:
    """Return the results of a bot, with the digest of each of its tournaments."""
    wanted = name.casefold()
    return [(each, line) for each in digests for line in each.lines if line.name.casefold() == wanted]


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest listed tournaments, newest first. Tournaments without a record are not in `digests`."""

    tournaments: list[TournamentSummary]
    digests: dict[str, Digest]

    @property
    def unread(self) -> int:
        """Number of tournaments without a digest, which records of bots do not count."""
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
    """The digests of all clubs. The digest of a tournament that is over is made once, and kept while listed."""

    def __init__(self) -> None:
        self._clubs: OrderedDict[str, _OfClub] = OrderedDict()

    async def listing(self, site: Site, library: Library) -> Listing:
        """List the tournaments of a club. The caller awaits `site.on_disk()` before sending. Raises StoreError."""
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
                await asyncio.sleep(0)  # up to a hundred tournaments, each of which takes up to some ms
            elif isinstance(each, EndedTournament):
                digests[each.id] = club.over.get(each.id) or digest_of_ended(each)
        club.over = {each.id: digests[each.id] for each in listed if isinstance(each, EndedTournament)}
        return Listing([summary_view(each) for each in listed], digests)


async def _read(site: Site, tournament_ids: Sequence[str]) -> None:
    """Make missing records. The archive logs a tournament that it cannot read, and does not try again."""
    for tournament_id in tournament_ids:
        await site.archive.ended(tournament_id)
