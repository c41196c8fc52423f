"""Answers about the tournaments and matches of a club, for routes and pages.

A tournament or match that is over never changes. So answers about it are made from the log, and kept (`AnswerCache`).
Answers about a tournament or match that goes on are made from memory where possible, and are shared by requests that
come at the same time.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import TypeVar, TypeVarTuple

from fastapi import Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentSummary

from rumble_server.match import public_view
from rumble_server.match.match_id import Neighbours, tournament_id_of
from rumble_server.tournament.audit import Context
from rumble_server.tournament.ended import Outline
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.history import context_of
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api import from_log
from rumble_server.web.api.answer_cache import AnswerCache
from rumble_server.web.api.from_log import Basics
from rumble_server.web.api.models import MatchView
from rumble_server.web.api.own_results import results_in_tournament
from rumble_server.web.api.replays import running_view
from rumble_server.web.errors import WebError
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site, site_of

Args = TypeVarTuple("Args")
T = TypeVar("T")


class ClubAnswers:
    """The maker of answers about a club's tournaments and matches.

    Some answers are made from memory. Callers send such an answer only after `site.wait_for_disk()` has returned.
    """

    def __init__(self, site: Site, cache: AnswerCache) -> None:
        self._site = site
        self._kept = cache

    # --- tournaments ---

    async def recent(self, tournament: Tournament, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return an answer about a tournament that goes on. Call `make` if the last answer is `SHOWN_MS` old."""
        return await self._kept.recent(tournament.standings, make, self._site.play.clock.now_ms())

    def is_over(self, tournament_id: str) -> bool:
        """Return whether a tournament is over, and its end is on disk."""
        return self._site.play.tournaments.is_only_on_disk(tournament_id)

    def open_tournament(self, tournament_id: str) -> Tournament | None:
        """Find a tournament that goes on; None if it is over or damaged. Raises CommandRefused for an unknown id."""
        tournaments = self._site.play.tournaments
        if self.is_over(tournament_id) or tournament_id in tournaments.damaged:
            return None
        found = tournaments.find(tournament_id)
        return None if found.is_over else found

    async def made_from_log(self, tournament_id: str, make: Callable[[Rebuilt, *Args], T], *args: *Args) -> T:
        """In another process, call `make` with a tournament rebuilt from the log, and with `args`. Return the result.

        The result is kept if the tournament is over at the call. `make` is a module-level function, and `args` can be
        pickled.

        Raises WebError, StoreError, and CommandRefused with `unknown_tournament`.
        """
        goes_on = self.open_tournament(tournament_id) is not None

        async def ask() -> T:
            result = await self._site.reader.of_tournament(tournament_id, make, *args)
            if result is None:
                raise CommandRefused(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament_id!r}")
            return result

        if goes_on:  # even if the tournament ends during the wait: `args` may hold the state before the end
            await self._site.wait_for_disk()
            return await ask()
        return await self._kept_if_over(tournament_id, (tournament_id, make, args), ask)

    async def _kept_if_over(self, tournament_id: str, key: Hashable, ask: Callable[[], Awaitable[T]]) -> T:
        """Wait until all facts are on disk. Then return a kept answer, or the answer of `ask`.

        The answer is kept if the tournament is over. Raises WebError.
        """
        await self._site.wait_for_disk()
        if not self.is_over(tournament_id):
            return await ask()
        return await self._kept.get((self._site.club, key), ask)

    async def gzipped(self, tournament_id: str, make: Callable[[Rebuilt, *Args], bytes], *args: *Args) -> bytes:
        """Call `make` as `made_from_log` does, and compress the result with gzip. An empty result stays empty."""
        return await self.made_from_log(tournament_id, from_log.gzipped, make, *args)

    async def pieces(
        self, tournament_id: str, matches: range, make: Callable[[Rebuilt, *Args, int, int], bytes], *args: *Args
    ) -> AsyncIterator[bytes]:
        """Yield the results of `make` for pieces of `matches`, a range of indexes whose step is the size of a piece.

        `make` also gets the range of the piece as two indexes: `first` (included), `until` (excluded).
        """
        for first in matches:
            until = min(matches.stop, first + matches.step)
            yield await self.made_from_log(tournament_id, make, *args, first, until)

    async def once(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Make an answer once for all requests that ask for the same key at the same time."""
        return await self._kept.get((self._site.club, key), make, keep=False)

    async def own_results(self, tournament_id: str, bot: str) -> bytes:
        """Return the results of a bot in a tournament, as the JSON of OwnResults.

        The bytes are kept until the tournament has a further result. Raises CommandRefused, WebError, StoreError.
        """
        found = self.open_tournament(tournament_id)
        ask = partial(self.made_from_log, tournament_id, results_in_tournament, bot)
        if found is None:
            return await ask()
        key = self._site.club, results_in_tournament, tournament_id, bot, found.standings.version
        return await self._kept.get(key, ask)

    async def basics(self, tournament_id: str) -> Basics:
        """Return the identity and the configuration of a tournament, once all facts so far are on disk.

        Raises CommandRefused, WebError, StoreError.
        """
        found = self.open_tournament(tournament_id)
        if found is None:
            return await self.made_from_log(tournament_id, from_log.basics)
        basics = from_log.basics_of(found)
        await self._site.wait_for_disk()
        return basics

    def audit_context(self, tournament_id: str) -> Context | None:
        """Return the data in memory that an audit needs besides the log; None for a tournament that is over."""
        found, play = self.open_tournament(tournament_id), self._site.play
        if found is None:
            return None
        free = found.field.keys() & play.players.free(found.config.game)
        since_ms = {each.name: each.free_since_ms for each in play.players.of(free)}
        return context_of(found, play.clock.now_ms(), since_ms)

    async def name(self, tournament_id: str) -> str:
        """Return the name of a tournament, from the record of its end if there is a record, else from the log.

        Raises CommandRefused, WebError, StoreError.
        """
        ended = await self._site.reader.ended(tournament_id) if self.is_over(tournament_id) else None
        return (await self.basics(tournament_id)).config.name if ended is None else ended.name

    async def listed(self, limit: int) -> list[TournamentSummary]:
        """Return summaries of at most `limit` listed tournaments, newest first. Raises StoreError."""
        return [summary_view(each) for each in await self.newest(limit)]

    async def newest(self, limit: int) -> list[Tournament | Outline]:
        """Return at most `limit` listed tournaments, newest first. Raises StoreError.

        The tournaments are not rebuilt from the log.
        """
        in_memory = dict(self._site.play.tournaments)  # a copy: a tournament that ends meanwhile leaves memory
        ended = await self._site.reader.listed(limit)
        found: list[Tournament | Outline] = [each for each in in_memory.values() if each.config.listed]
        found += [each for each in ended if each.id not in in_memory]
        return sorted(found, key=lambda each: each.created_at_ms, reverse=True)[:limit]

    # --- matches ---

    async def match(self, match_id: str) -> MatchView:
        """Show the running attempt at a match, or else the last attempt.

        Raises WebError, CommandRefused, StoreError.
        """
        play = self._site.play
        progress = play.live_progress(match_id)
        if progress is not None:
            view = running_view(progress, play.clock.now_ms())
        else:
            view = await self._begun_or_lost(match_id, from_log.shown_match)
        return view.model_copy(update={"display_names": play.display_names.of((*view.seats, *view.absent))})

    async def boards(self, match_id: str, first: int, most: int) -> bytes:
        """Draw the boards of a match from ply `first` on, as JSON. Raises WebError, CommandRefused, StoreError."""
        progress = self._site.play.live_progress(match_id)
        if progress is not None:
            plies = len(public_view.position(progress, self._site.play.clock.now_ms()).moves)
            terms, moves = progress.terms, tuple(progress.moves[:plies])
            key = from_log.boards_so_far, match_id, terms.attempt, len(moves), first, most

            async def draw() -> bytes:
                # Not by `_of_match`, which keeps an answer if the tournament has ended meanwhile.
                await self._site.wait_for_disk()
                return await self._site.reader.of_match(match_id, from_log.boards_so_far, terms, moves, first, most)

            return await self.once(key, draw)
        return await self._begun_or_lost(match_id, from_log.boards, first, most)

    async def neighbours(self, match_id: str) -> Neighbours:
        """Find the matches before and after a match, among those that have begun. Raises StoreError."""
        return await self._site.reader.neighbours(match_id)

    async def transcript(self, match_id: str, owner: str | None) -> bytes | None:
        """Return the transcript of a match for a reader: the owner of the bot `owner`, or the host if `owner` is None.

        Return None if the match never began. Raises WebError, also if `owner` did not play, and StoreError.
        """
        return await self._of_match(match_id, from_log.transcript_lines, owner)

    async def _of_match(self, match_id: str, make: Callable[[Sequence[LogFact], *Args], T], *args: *Args) -> T:
        ask = partial(self._site.reader.of_match, match_id, make, *args)
        return await self._kept_if_over(tournament_id_of(match_id), (match_id, make, args), ask)

    async def _begun_or_lost(
        self, match_id: str, make: Callable[[Sequence[LogFact], *Args], T | None], *args: *Args
    ) -> T:
        """Run `make` with the facts of a match, or with facts of its tournament if the match never began.

        A match that was lost because a bot was gone never began. Such a match has no facts of its own.

        Raises WebError, CommandRefused, StoreError.
        """
        found = await self._of_match(match_id, make, *args)
        if found is None:
            tournament_id = tournament_id_of(match_id)
            self.open_tournament(tournament_id)
            reader = self._site.reader
            found = await reader.of_tournament(tournament_id, from_log.of_lost_match, match_id, make, args)
        if found is None:
            raise WebError.not_found(f"there is no match {match_id!r}, or it has not begun")
        return found


def answers_of(request: Request) -> ClubAnswers:
    """Make the maker of answers for a request's club; all requests to the process share the kept answers."""
    return ClubAnswers(site_of(request), request.state.answer_cache)
