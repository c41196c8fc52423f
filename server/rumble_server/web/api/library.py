"""The tournaments and matches of a club, for routes and pages: from memory while going on, from disk when over.

A tournament that is over never changes, so answers about it are kept (`kept.KeptAnswers`). Other answers are shared by
requests that come at the same time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from typing import TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

from fastapi import Request
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentSummary

from rumble_server.match.match_id import Neighbours, tournament_id_of
from rumble_server.results.standings import Table
from rumble_server.tournament.audit import Context
from rumble_server.tournament.ended import Outline
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.history import context_of
from rumble_server.tournament.rebuild import Rebuilt
from rumble_server.tournament.tournament import OVER, Tournament
from rumble_server.web.api import documents
from rumble_server.web.api.documents import Basics
from rumble_server.web.api.kept import KeptAnswers
from rumble_server.web.api.models import MatchView
from rumble_server.web.api.replays import match_view
from rumble_server.web.errors import WebError
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site, site_of

SHOWN_MS = 250
"""Time in ms for which all requests share an answer about a large tournament that goes on: the pace of the feed."""
MANY_RESULTS = 500
"""Number of results from which a tournament is large: showing it takes some ms of the event loop."""

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


class Shelves:
    """The answers kept by the libraries of all clubs."""

    def __init__(self, most_bytes: int) -> None:
        self.kept = KeptAnswers(most_bytes)
        self.shown: WeakKeyDictionary[Table, tuple[int, asyncio.Future[bytes]]] = WeakKeyDictionary()
        """The last answer about a tournament, and the time at which its making began, in ms.

        The key is the tournament's table, which lives as long as the tournament.
        """


class Library:
    """Finds a club's tournaments and matches. Callers send facts from memory only after `site.on_disk()` returned."""

    def __init__(self, site: Site, shelves: Shelves) -> None:
        self._site = site
        self._kept = shelves.kept
        self._shown = shelves.shown

    # --- tournaments ---

    async def shown(self, tournament: Tournament, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the answer that `make` makes of a tournament in memory; large tournaments share it for `SHOWN_MS`."""
        now_ms = self._site.arena.clock.now_ms()
        known = self._shown.get(tournament.table)
        if known is None or now_ms - known[0] >= SHOWN_MS or len(tournament.results) < MANY_RESULTS:
            known = self._shown[tournament.table] = now_ms, asyncio.ensure_future(make())
        return await asyncio.shield(known[1])

    def is_archived(self, tournament_id: str) -> bool:
        """Return whether a tournament is over and no longer in memory."""
        return self._site.arena.lifecycle.is_archived(tournament_id)

    def in_memory(self, tournament_id: str) -> Tournament | None:
        """Find a tournament in memory; None if it is only in the archive. Raises TournamentError for an unknown id."""
        lifecycle = self._site.arena.lifecycle
        if self.is_archived(tournament_id) or tournament_id in lifecycle.damaged:
            return None
        return lifecycle.tournament(tournament_id)

    async def made(self, tournament_id: str, make: Callable[[Rebuilt, *Given], Made], *given: *Given) -> Made:
        """Run `make` with a tournament from the log, in another process, and return the result.

        The result is kept if the tournament is over. `make` is a module-level function, and `given` can be pickled.
        Raises TournamentError with `unknown_tournament`, WebError, StoreError.
        """
        found = self.in_memory(tournament_id)
        await self._site.on_disk()

        async def ask() -> Made:
            made = await self._site.archive.of_tournament(tournament_id, make, *given)
            if made is None:
                raise TournamentError(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament_id!r}")
            return made

        if found is not None and found.status not in OVER:
            return await ask()
        answer: Made = await self._kept.get((self._site.club, tournament_id, make, given), ask)
        return answer

    async def packed(self, tournament_id: str, make: Callable[[Rebuilt, *Given], bytes], *given: *Given) -> bytes:
        """Make a document as `made` does, and return it as gzip; an empty document stays empty."""
        return await self.made(tournament_id, documents.packed, make, *given)

    async def pieces(
        self,
        tournament_id: str,
        total: int,
        make: Callable[[Rebuilt, *Given, int, int], bytes],
        *given: *Given,
        size: int,
    ) -> AsyncIterator[bytes]:
        """Yield the results of `make` for the first `total` matches, `size` matches at a time.

        `make` also gets the number of the first match of the piece, from 0, and the number after the last.
        """
        for first in range(0, total, size):
            until = min(total, first + size)
            yield await self.made(tournament_id, make, *given, first, until)

    async def once(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """Make an answer once for all requests that ask for the same key at the same time."""
        answer: bytes = await self._kept.get((self._site.club, key), make, keep=False)
        return answer

    async def basics(self, tournament_id: str) -> Basics:
        """Return the identity and the configuration of a tournament. Raises as `made` does."""
        found = self.in_memory(tournament_id)
        return await self.made(tournament_id, documents.basics) if found is None else documents.basics_of(found)

    async def connected(self, tournament_id: str) -> frozenset[str]:
        """Return the connected bots of the field of a tournament that is over and not in memory."""
        ended = await self._site.archive.ended(tournament_id)
        lines = () if ended is None else ended.lines
        return frozenset(line.name for line in lines if self._site.arena.is_connected(line.name))

    def audit_context(self, tournament_id: str) -> Context | None:
        """Return the facts that an audit needs beside the log; None for a tournament that is over."""
        found, arena = self.in_memory(tournament_id), self._site.arena
        if found is None or found.status in OVER:
            return None
        free = found.field.keys() & arena.players.free(found.config.game)
        since_ms = {each.name: each.free_since_ms for each in arena.players.of(free)}
        return context_of(found, arena.clock.now_ms(), since_ms)

    async def name(self, tournament_id: str) -> str:
        """Return the name of a tournament, if possible from its record. Raises as `made` does."""
        in_memory = tournament_id in self._site.arena.tournaments
        ended = None if in_memory else await self._site.archive.ended(tournament_id)
        return (await self.basics(tournament_id)).config.name if ended is None else ended.name

    async def listed(self, limit: int) -> list[TournamentSummary]:
        """Return at most `limit` listed tournaments, newest first, as lines of a list. Raises StoreError."""
        return [summary_view(each) for each in await self.newest(limit)]

    async def newest(self, limit: int) -> list[Tournament | Outline]:
        """Return at most `limit` listed tournaments, newest first, without rebuilding any. Raises StoreError."""
        archived = await self._site.archive.listed(limit)
        in_memory = self._site.arena.tournaments
        found: list[Tournament | Outline] = [each for each in in_memory.values() if each.config.listed]
        found += [each for each in archived if each.id not in in_memory]
        return sorted(found, key=lambda each: each.created_at_ms, reverse=True)[:limit]

    # --- matches ---

    async def match(self, match_id: str) -> MatchView:
        """Find a match that is being played, or its last attempt. Raises WebError, TournamentError, StoreError."""
        is_open = self._site.arena.matches.live.get(match_id)
        if is_open is not None:
            referee = is_open.referee
            now_ms = self._site.arena.clock.now_ms()
            return match_view(referee.terms, referee.moves, referee=referee, now_ms=now_ms)
        found = await self._of_match(match_id, documents.shown_match)
        return found or _there(match_id, await self._of_its_tournament(match_id, documents.shown_no_show))

    async def boards(self, match_id: str, first: int, most: int) -> bytes:
        """Draw the boards of a match from ply `first` on, as JSON. Raises WebError, TournamentError, StoreError."""
        is_open = self._site.arena.matches.live.get(match_id)
        if is_open is not None:
            terms, moves = is_open.referee.terms, tuple(is_open.referee.moves)
            key = documents.boards_so_far, match_id, terms.attempt, len(moves), first, most
            return await self.once(
                key, lambda: self._of_match(match_id, documents.boards_so_far, terms, moves, first, most)
            )
        found = await self._of_match(match_id, documents.boards, first, most)
        if found is not None:
            return found
        return _there(match_id, await self._of_its_tournament(match_id, documents.boards_of_no_show, first, most))

    async def neighbours(self, match_id: str) -> Neighbours:
        """Find the matches before and after a match that has begun. Raises StoreError."""
        return await self._site.archive.neighbours(match_id)

    async def transcript(self, match_id: str, owner: str | None) -> bytes | None:
        """Write the transcript of a match, as `documents.transcript_lines` does. Raises StoreError."""
        return await self._of_match(match_id, documents.transcript_lines, owner)

    async def _of_match(self, match_id: str, make: Callable[[Sequence[LogFact], *Given], Made], *given: *Given) -> Made:
        await self._site.on_disk()
        tournament_id = tournament_id_of(match_id)
        if not self.is_archived(tournament_id):
            return await self._site.archive.of_match(match_id, make, *given)
        answer: Made = await self._kept.get(
            (self._site.club, match_id, make, given), lambda: self._site.archive.of_match(match_id, make, *given)
        )
        return answer

    async def _of_its_tournament(
        self, match_id: str, make: Callable[[Rebuilt, str, *Given], Made], *given: *Given
    ) -> Made | None:
        """Look for a match in the whole tournament; a match that was lost before it began has no facts of its own."""
        tournament_id = tournament_id_of(match_id)
        self.in_memory(tournament_id)
        return await self._site.archive.of_tournament(tournament_id, make, match_id, *given)


def _there(match_id: str, found: Made | None) -> Made:
    if found is None:
        raise WebError.not_found(f"there is no match {match_id!r}, or it has not begun")
    return found


def library_of(request: Request) -> Library:
    """Return the library of the club that a request is for."""
    return Library(site_of(request), request.state.shelves)
