"""Digests of tournaments for lists and for records of bots: the progress, the headline, and each bot's results.

The page of all tournaments and the page of a bot are made from the `listing` of a club.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rumble_protocol.feed_messages import Standing, TournamentSummary

from rumble_server.tournament.ended import EndedTournament, FinalResult, final_result
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.answers import ClubAnswers
from rumble_server.web.feed.headline import headline, headline_of
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site

MOST_ON_A_PAGE = 100
"""Maximum number of tournaments in lists and in records of bots; older tournaments are left out."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A tournament in a list, with the results of its bots (`lines`) by rank."""

    summary: TournamentSummary
    format: str
    matches_over: int
    matches_total: int | None
    headline: str
    lines: tuple[FinalResult, ...]


@dataclass(slots=True)
class Record:
    """The results of a bot in several tournaments.

    `first` is the number of tournaments that the bot won, alone or with others.
    """

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
    matches, text = (len(tournament.results), tournament.matches_total), headline(tournament, standings)
    lines = tuple(map(final_result, standings))
    return Digest(summary_view(tournament), tournament.config.format, *matches, text, lines)


def digest_of_ended(ended: EndedTournament) -> Digest:
    """Make the digest of a tournament that is over, from its record."""
    counts_places = ended.match_seats > 2
    text = headline_of(ended.status, ended.format, ended.lines, ended.challengers, counts_places=counts_places)
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
    """Return true if the tournament is finished, and its format has winners: the bots with rank 1."""
    return digest.summary.status == "finished" and FORMATS[digest.format].has_winner


def lines_of(digests: Iterable[Digest], name: str) -> list[tuple[Digest, FinalResult]]:
    """Return the result of a bot in each of its tournaments, with the tournament's digest."""
    wanted = name.casefold()
    return [(each, line) for each in digests for line in each.lines if line.name.casefold() == wanted]


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest listed tournaments, newest first. Damaged tournaments are not in `digests`."""

    tournaments: list[TournamentSummary]
    digests: dict[str, Digest]

    @property
    def damaged(self) -> int:
        """Number of tournaments without a digest. The records of bots do not count these tournaments."""
        return len(self.tournaments) - len(self.digests)

    @property
    def counted(self) -> list[Digest]:
        """The digests, newest first."""
        return [self.digests[each.id] for each in self.tournaments if each.id in self.digests]


async def listing(site: Site, answers: ClubAnswers) -> Listing:
    """List the tournaments of a club. Raises StoreError.

    The caller must await `site.wait_for_disk()` before it sends the list.
    """
    listed = await answers.newest(MOST_ON_A_PAGE)
    digests: dict[str, Digest] = {}
    for each in listed:
        if isinstance(each, Tournament):
            digests[each.id] = digest(each, (await site.ranker.fresh_ranking(each)).standings)
            await asyncio.sleep(0)  # up to a hundred tournaments, each of which takes up to some ms
    ended = [each for each in listed if isinstance(each, EndedTournament)]
    digests |= await asyncio.to_thread(lambda: {each.id: digest_of_ended(each) for each in ended})
    return Listing([summary_view(each) for each in listed], digests)
