"""Readers of everything shown of running matches of hidden games.

Spectators and the host read texts of kind `public`; the owner of each bot reads the bot's transcript.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rumble_engine import get_game
from rumble_protocol.feed_messages import Board
from rumble_server.match import public_view
from rumble_server.match.progress import Progress
from rumble_server.tournament.facts import LogFact
from rumble_server.web.api import from_log
from rumble_server.web.api.replays import running_view
from rumble_server.web.feed.views import board_view

from tests.simulation.trace import Entry, Trace

if TYPE_CHECKING:
    from tests.simulation.server import ServerRun

MOST = 400


def look(run: ServerRun, trace: Trace, now_ms: int) -> None:
    """Note the texts about each running match of a hidden game, as readable at `now_ms`."""
    for match in run.arena.matches.live.values():
        if get_game(match.progress.terms.game).hides:
            facts = run.disk.reader.match_facts(match.progress.terms.match)
            for text in _texts(match.progress, facts, now_ms):
                trace.append(Entry(now_ms, "public", run.number, text, run.disk.written))
            for bot in match.progress.terms.seats:
                owned = f"{bot} {(from_log.transcript_lines(facts, bot) or b'').decode()}"
                trace.append(Entry(now_ms, "owned", run.number, owned, run.disk.written))


def _texts(progress: Progress, facts: Sequence[LogFact], now_ms: int) -> Iterator[str]:
    terms = progress.terms
    board = board_view(Board, progress, now_ms)
    assert board is not None
    yield board.model_dump_json()
    yield running_view(progress, now_ms).model_dump_json()
    plies = len(public_view.position(progress, now_ms).moves)
    yield from_log.boards_so_far(facts, terms, progress.moves[:plies], 0, MOST).decode()
    yield (from_log.transcript_lines(facts, None) or b"").decode()
