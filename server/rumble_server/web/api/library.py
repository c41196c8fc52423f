"""Finding tournaments and matches: in memory, or in the archive if they are over and not in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from rumble_engine import get_game
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentSummary

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.last_attempt import last_attempt, notes
from rumble_server.match.match_id import tournament_id_of
from rumble_server.match.referee import Referee
from rumble_server.tournament.ended import Outline
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.models import MatchBoards, MatchView
from rumble_server.web.api.replays import replay
from rumble_server.web.errors import WebError
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site

MOST_LOADED = 16
"""Maximum number of rebuilt tournaments kept in memory; beyond it the one used longest ago goes."""


class Library:
    """Everything there is to show. Tell it only after `site.on_disk()` has returned."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._loaded: OrderedDict[str, Tournament] = OrderedDict()
        self._loading = asyncio.Lock()

    async def tournament(self, tournament_id: str) -> Tournament:
        """Find a tournament, running or over. Raises TournamentError with `unknown_tournament`, StoreError."""
        arena = self._site.arena
        if tournament_id in arena.tournaments or tournament_id not in arena.lifecycle.taken_ids:
            return arena.lifecycle.tournament(tournament_id)
        async with self._loading:
            found = self._loaded.pop(tournament_id, None)
            if found is None:
                found = await self._site.archive.tournament(tournament_id)
            if found is None:
                raise TournamentError(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament_id!r}")
            self._loaded[tournament_id] = found
            if len(self._loaded) > MOST_LOADED:
                self._loaded.popitem(last=False)
            return found

    async def name(self, tournament_id: str) -> str:
        """Find a tournament's name, from its record where there is one. Raises as `tournament` does."""
        in_memory = tournament_id in self._site.arena.tournaments
        ended = None if in_memory else await self._site.archive.ended(tournament_id)
        return (await self.tournament(tournament_id)).config.name if ended is None else ended.name

    async def listed(self, limit: int) -> list[TournamentSummary]:
        """List the newest tournaments that are listed, newest first. Raises StoreError."""
        return [summary_view(each) for each in await self.newest(limit)]

    async def newest(self, limit: int) -> list[Tournament | Outline]:
        """List them as far as they are known without rebuilding any. Raises StoreError."""
        archived = await self._site.archive.listed(limit)
        in_memory = self._site.arena.tournaments
        found: list[Tournament | Outline] = [each for each in in_memory.values() if each.config.listed]
        found += [each for each in archived if each.id not in in_memory]
        return sorted(found, key=lambda each: each.created_at_ms, reverse=True)[:limit]

    async def match(self, match_id: str) -> MatchView:
        """Find a match that is being played, or its last attempt. Raises WebError, TournamentError, StoreError."""
        is_open = self._site.arena.matches.live.get(match_id)
        if is_open is not None:
            now_ms = self._site.arena.clock.now_ms()
            return _match_view(is_open.referee.terms, is_open.referee.moves, now_ms, referee=is_open.referee)
        facts, started, over = await self._last_attempt(match_id)
        told = None if over.scores is None else notes(facts, over)
        return _match_view(started, over.moves, None, over=over, notes=told)

    async def boards(self, match_id: str, first: int, most: int) -> MatchBoards:
        """Draw the boards of a match, from ply `first`. Raises WebError, TournamentError, StoreError."""
        is_open = self._site.arena.matches.live.get(match_id)
        if is_open is not None:
            started, moves = is_open.referee.terms, tuple(is_open.referee.moves)
        else:
            _, started, over = await self._last_attempt(match_id)
            moves = over.moves
        return await asyncio.to_thread(replay, started, moves, first, most)

    async def _last_attempt(self, match_id: str) -> tuple[Sequence[LogFact], MatchStarted, MatchOver]:
        """Find a match that is over: its facts, the terms of its last attempt, and how that ended.

        The tournament is asked only for a match that was lost before it began: it may have to be rebuilt.
        """
        await self._site.on_disk()
        facts = await self._site.archive.match_facts(match_id)
        started, over = last_attempt(facts)
        if over is None or started is None or started.attempt != over.attempt:
            tournament = await self.tournament(tournament_id_of(match_id))
            over = over or tournament.results.get(match_id)
            if over is None:
                raise WebError.not_found(f"there is no match {match_id!r}, or it has not begun")
            if started is None or started.attempt != over.attempt:
                started = tournament.terms_of(over)
        return facts, started, over


def _match_view(
    terms: MatchStarted,
    moves: Sequence[str],
    now_ms: int | None,
    *,
    over: MatchOver | None = None,
    notes: list[str | None] | None = None,
    referee: Referee | None = None,
) -> MatchView:
    game = get_game(terms.game)
    state = game.initial(terms.settings, terms.seed)
    for move in moves:
        state = state.play(move)
    view = state.view()
    scores = None if over is None or over.scores is None else list(over.scores)
    return MatchView(
        id=terms.match,
        tournament=terms.tournament,
        attempt=terms.attempt,
        status="running" if over is None else "over",
        game=terms.game,
        settings=terms.settings,
        time_control=terms.time_control,
        seats=list(terms.seats),
        seat=state.to_move if over is None else None,
        ply=len(moves),
        opening=min(len(terms.moves), len(moves)),
        moves=list(moves),
        notes=notes or [None] * len(moves),
        state=view,
        position=state.text(),
        diagram=state.diagram(),
        drawing=game.drawing(view, moves[-1] if moves else None),
        seats_ms=None if referee is None or now_ms is None else list(referee.clock(now_ms)),
        ticking=referee is not None and referee.turn is not None,
        at_ms=now_ms,
        scores=scores,
        winner=None if over is None else over.winner,
        termination=None if over is None else over.termination,
        reason="" if over is None else over.reason,
        at_fault=[] if over is None else list(over.at_fault),
        started_at_ms=terms.at_ms,
        ended_at_ms=None if over is None else over.at_ms,
    )
