"""Finding tournaments and matches: in memory, or, if they ended in an earlier run, in the archive."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from pydantic import ValidationError
from rumble_engine import get_game
from rumble_protocol.bot_messages import Move
from rumble_protocol.codes import ErrorCode
from rumble_protocol.feed_messages import TournamentSummary

from rumble_server.arena.recovery import replay_tournament
from rumble_server.match.facts import MatchOver, MatchStarted, MoveMade
from rumble_server.match.referee import Referee
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentStarted
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.api.models import MatchBoards, MatchView
from rumble_server.web.api.replays import replay
from rumble_server.web.errors import WebError
from rumble_server.web.feed.views import summary_view
from rumble_server.web.site import Site

MOST_LOADED = 16
"""So many tournaments of earlier runs are kept in memory."""


class Library:
    """Everything there is to show. What it gives may be told once `site.on_disk()` returns."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._loaded: OrderedDict[str, Tournament] = OrderedDict()
        self._loading = asyncio.Lock()

    async def tournament(self, tournament_id: str) -> Tournament:
        """The tournament of that id, running or long over. Raises TournamentError with `unknown_tournament`."""
        arena = self._site.arena
        if tournament_id in arena.tournaments or tournament_id not in arena.taken_ids:
            return arena.tournament(tournament_id)
        async with self._loading:
            found = self._loaded.pop(tournament_id, None)
            if found is None:
                facts = await self._site.archive.tournament_facts(tournament_id)
                found = await asyncio.to_thread(replay_tournament, facts)
            if found is None:
                raise TournamentError(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament_id!r}")
            self._loaded[tournament_id] = found
            if len(self._loaded) > MOST_LOADED:
                self._loaded.popitem(last=False)
            return found

    async def listed(self, limit: int) -> list[TournamentSummary]:
        """The newest tournaments that are listed, newest first."""
        in_memory = self._site.arena.tournaments
        found = [summary_view(each) for each in in_memory.values() if each.config.listed]
        for outline in await self._site.archive.outlines(limit):
            summary = _summary_of(outline)
            if summary.id not in in_memory:
                found.append(summary)
        return sorted(found, key=lambda summary: summary.created_at_ms, reverse=True)[:limit]

    async def match(self, match_id: str) -> MatchView:
        """A match that is being played, or its last attempt. Raises WebError, TournamentError."""
        is_open = self._site.arena.matches.get(match_id)
        if is_open is not None:
            now_ms = self._site.arena.clock.now_ms()
            return _match_view(is_open.referee.terms, is_open.referee.moves, now_ms, referee=is_open.referee)
        facts, started, over = await self._last_attempt(match_id)
        notes = None if over.scores is None else _notes(facts, over)
        return _match_view(started, over.moves, None, over=over, notes=notes)

    async def boards(self, match_id: str, first: int, most: int) -> MatchBoards:
        """The boards of a match, from ply `first`. Raises WebError, TournamentError."""
        is_open = self._site.arena.matches.get(match_id)
        if is_open is not None:
            started, moves = is_open.referee.terms, tuple(is_open.referee.moves)
        else:
            _, started, over = await self._last_attempt(match_id)
            moves = over.moves
        return await asyncio.to_thread(replay, started, moves, first, most)

    async def _last_attempt(self, match_id: str) -> tuple[Sequence[LogFact], MatchStarted, MatchOver]:
        """A match that is over: its facts, the terms of the attempt that counts or is void, and how it ended."""
        tournament = await self.tournament(match_id.partition(".")[0])
        await self._site.on_disk()
        facts = await self._site.archive.match_facts(match_id)
        started = next((fact for fact in reversed(facts) if isinstance(fact, MatchStarted)), None)
        over = next((fact for fact in reversed(facts) if isinstance(fact, MatchOver)), None)
        if over is None:
            over = tournament.results.get(match_id)
        if over is None:
            raise WebError.not_found(f"there is no match {match_id!r}, or it has not begun")
        if started is None or started.attempt != over.attempt:
            started = tournament.terms_of(over)
        return facts, started, over


def _summary_of(outline: Sequence[LogFact]) -> TournamentSummary:
    created = next(fact for fact in outline if isinstance(fact, TournamentCreated))
    started = next((fact for fact in outline if isinstance(fact, TournamentStarted)), None)
    ended = next(fact for fact in outline if isinstance(fact, TournamentEnded))
    return TournamentSummary(
        id=created.tournament,
        name=created.config.name,
        game=created.config.game,
        status=ended.status,
        bots=None if started is None else len(started.bots),
        created_at_ms=created.at_ms,
        started_at_ms=None if started is None else started.at_ms,
        ended_at_ms=ended.at_ms,
    )


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
        tournament=terms.match.partition(".")[0],
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


def _notes(facts: Sequence[LogFact], over: MatchOver) -> list[str | None]:
    """What the bots wrote beside their moves, by ply. Public now that the match is over."""
    notes: list[str | None] = [None] * len(over.moves)
    for fact in facts:
        if isinstance(fact, MoveMade) and fact.attempt == over.attempt and fact.ply < len(notes):
            notes[fact.ply] = _note(fact.frame)
    return notes


def _note(frame: str) -> str | None:
    try:
        return Move.model_validate_json(frame).note
    except ValidationError:  # written by a version whose messages were others
        return None
