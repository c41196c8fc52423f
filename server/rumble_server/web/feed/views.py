"""Tournaments and matches as models of the feed. Used by the feed, the API and the pages."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, TypeVar

from rumble_engine import ALL, get_game
from rumble_protocol.feed_messages import (
    Away,
    Board,
    Entrant,
    FeedStandings,
    FeedStatus,
    MatchResult,
    TournamentSummary,
    TournamentView,
)

from rumble_server.arena.state.display_names import DisplayNames
from rumble_server.match import public_view
from rumble_server.match.facts import MatchOver, played
from rumble_server.match.progress import Progress
from rumble_server.tournament.ended import Outline, outline_of
from rumble_server.tournament.tournament import MOST_LATEST, Tournament
from rumble_server.web.feed.crosstable import MOST_IN_CROSSTABLE, pair_view, pairs_view
from rumble_server.web.feed.expected import expected_end
from rumble_server.web.feed.headline import headline
from rumble_server.web.feed.position_view import log_once, newest_position_view, position_view
from rumble_server.web.feed.ranker import Ranking
from rumble_server.web.ports import ClubPlay

BOARDS_AT_ONCE = 10
"""Maximum number of boards drawn in an iteration of the event loop; the other boards follow in later iterations."""
SHOWN_MS = 10_000
"""Time in ms after the end of a match for which a page may show the result on a board.

A page shows the result for 3 s. The rest of the time is for loading the page.
"""

View = TypeVar("View", bound=TournamentView)
BoardView = TypeVar("BoardView", bound=Board)
ResultView = TypeVar("ResultView", bound=MatchResult)


def summary_view(tournament: Tournament | Outline) -> TournamentSummary:
    """Return the line of a tournament in lists, from the tournament in memory or from its outline."""
    if isinstance(tournament, Tournament):
        return TournamentSummary(**outline_of(tournament))
    return TournamentSummary(**{name: getattr(tournament, name) for name in TournamentSummary.model_fields})


@dataclass(frozen=True, slots=True)
class LiveState:
    """The state of a tournament outside the log: connected bots, bots with matches in other tournaments, boards."""

    now_ms: int
    connected: Collection[str] = ()
    elsewhere: Collection[str] = ()
    boards: Sequence[Board] = ()


def live(tournament: Tournament, play: ClubPlay) -> LiveState:
    """Return the live state of a tournament; all boards are drawn at once."""
    return _live(tournament, play, boards_view(tournament.running, play))


async def live_in_pieces(tournament: Tournament, play: ClubPlay) -> LiveState:
    """Return the live state of a tournament; the boards are drawn in several iterations of the event loop."""
    matches, boards = list(tournament.running), list[Board]()
    for first in range(0, len(matches), BOARDS_AT_ONCE):
        boards += boards_view(matches[first : first + BOARDS_AT_ONCE], play)
        await asyncio.sleep(0)
    return _live(tournament, play, [board for board in boards if play.live_progress(board.match) is not None])


async def ended_in_pieces(tournament: Tournament, now_ms: int) -> list[Board]:
    """Make the final boards of the latest matches that pages may still show, one board in each loop iteration."""
    boards = []
    for board in ended_boards(tournament, now_ms):
        boards.append(board)
        await asyncio.sleep(0)
    return boards


def ended_boards(tournament: Tournament, now_ms: int) -> Iterator[Board]:
    """Yield the final boards of the latest matches that ended in the last `SHOWN_MS` before `now_ms`."""
    recent = [over for over in _latest(tournament) if over.at_ms >= now_ms - SHOWN_MS]
    boards = (final_board_view(tournament, over) for over in recent)
    return (board for board in boards if board is not None)


def _live(tournament: Tournament, play: ClubPlay, boards: Sequence[Board]) -> LiveState:
    return LiveState(play.clock.now_ms(), *presence(tournament, play), boards)


def presence(tournament: Tournament, play: ClubPlay) -> tuple[frozenset[str], frozenset[str]]:
    """Return the connected bots of the field, and the bots of the field with matches in other tournaments."""
    players = [player for name in tournament.field if (player := play.players.get(name)) is not None]
    connected = frozenset(player.name for player in players if player.is_connected)
    return connected, frozenset(player.name for player in players if player.plays_elsewhere_too(tournament))


def _latest(tournament: Tournament) -> list[MatchOver]:
    """Return the latest results, newest first."""
    return list(islice(reversed(tournament.results.values()), MOST_LATEST))


def boards_view(matches: Iterable[str], play: ClubPlay) -> list[Board]:
    """Make the boards of `matches`. Matches that are not being played now, or cannot be shown, are left out."""
    now_ms, names = play.clock.now_ms(), play.display_names
    running = (progress for match in matches if (progress := play.live_progress(match)) is not None)
    boards = (board_view(Board, progress, now_ms, names) for progress in running)
    return [board for board in boards if board is not None]


def tournament_view(kind: type[View], tournament: Tournament, ranking: Ranking, live: LiveState, **more: Any) -> View:
    """Make the view of a whole tournament. `kind` is TournamentView or Snapshot.

    For Snapshot, `more` has the fields that TournamentView lacks.
    """
    config = {name: value for name, value in tournament.config if name in kind.model_fields}
    return kind(
        **config | outline_of(tournament),
        match_seats=tournament.config.match_seats,
        by_invitation=tournament.invite is not None,
        reason=tournament.reason,
        **_standings_and_progress(tournament, live.now_ms, ranking),
        entrants=entrants_view(tournament, live.connected, live.elsewhere, ranking),
        running=list(live.boards),
        pairs=pairs_view(tournament),
        latest=[result_view(MatchResult, over) for over in _latest(tournament)],
        **more,
    )


def _progress(tournament: Tournament, now_ms: int, ranking: Ranking) -> dict[str, Any]:
    return {
        "matches_over": len(tournament.results),
        "matches_total": tournament.matches_total,
        "headline": headline(tournament, ranking.standings),
        "expected": expected_end(tournament, now_ms),
        "pairing": tournament.is_pairing_slow,
    }


def _standings_and_progress(tournament: Tournament, now_ms: int, ranking: Ranking) -> dict[str, Any]:
    return {
        **_progress(tournament, now_ms, ranking),
        "standings": ranking.standings,
        "gained_by": ranking.gained_by,
        "rating_model": ranking.model,
    }


def entrants_view(
    tournament: Tournament, connected: Collection[str], elsewhere: Collection[str], ranking: Ranking
) -> list[Entrant]:
    """Make the views of all entrants, sorted by name, or by rank if the tournament is over."""
    ranked = [line.name for line in ranking.standings if line.name in tournament.field]
    names = ranked if tournament.is_over and len(ranked) == len(tournament.field) else []
    names = names or sorted(tournament.field, key=str.casefold)
    to_come = byes_to_come(tournament)
    return [
        Entrant(
            name=entrant.bot,
            connected=entrant.bot in connected,
            withdrawn=entrant.withdrawn,
            benched=entrant.benched,
            bye_rounds=to_come.get(entrant.bot, []),
            elsewhere=entrant.bot in elsewhere,
            display_name=entrant.display,
        )
        for entrant in (tournament.field[name] for name in names)
    ]


def byes_to_come(tournament: Tournament) -> dict[str, list[int]]:
    """Return the half-point byes of a Swiss in rounds that are not paired yet: the numbers of these rounds, by bot."""
    paired = 0 if tournament.agenda is None else len(tournament.agenda.schedule.rounds_added)
    rounds: dict[str, list[int]] = {}
    for number, resting in sorted(tournament.half_byes.items()):
        if not tournament.is_over and number > paired:
            for name in resting:
                rounds.setdefault(name, []).append(number)
    return rounds


def board_view(
    kind: type[BoardView], progress: Progress, now_ms: int, display_names: DisplayNames | None = None
) -> BoardView | None:
    """Make the view of the board of a match that is being played.

    Return None if the game's code raises an error. Only the first error of an attempt is logged.
    """
    public = public_view.position(progress, now_ms)
    clock = public_view.clocks(progress, public, now_ms)
    try:
        position = newest_position_view(progress, public)
    except Exception:  # noqa: BLE001  # a game's code may raise anything
        log_once(f"attempt {progress.terms.attempt} at {progress.terms.match} has no board")
        return None
    return kind(
        match=progress.terms.match,
        attempt=progress.terms.attempt,
        seats=list(progress.terms.seats),
        seat=public.state.to_move,
        movers=public_view.movers(progress) if public.is_newest else [],
        ply=len(public.moves),
        moves=list(public.moves),
        **position._asdict(),
        seats_ms=list(clock.seats_ms),
        ticking=public_view.is_ticking(progress) and public.is_newest,
        at_ms=clock.at_ms,
        away=away_view(progress) if public.is_newest else [],
        display_names={} if display_names is None else display_names.of(progress.terms.seats),
    )


def final_board_view(tournament: Tournament, over: MatchOver) -> Board | None:
    """Make the view of the final board of a match. Unless the final state was kept, the moves are played again.

    Return None if the game's code raises an error. Only the first error of an attempt is logged.
    """
    terms = tournament.terms_of(over)
    try:
        state = tournament.final_states.get(over.match) or played(terms.first_state(), over.moves)
        position = position_view(get_game(terms.game), state, over.moves[-1] if over.moves else None, ALL)
    except Exception:  # noqa: BLE001  # a game's code may raise anything
        log_once(f"attempt {over.attempt} at {over.match} has no board")
        return None
    return Board(
        match=over.match,
        attempt=over.attempt,
        seats=list(over.seats),
        seat=state.to_move,
        movers=[],
        ply=len(over.moves),
        moves=list(over.moves),
        **position._asdict(),
        seats_ms=[],
        ticking=False,
        at_ms=over.at_ms,
        display_names=tournament.display_names(over.seats),
    )


def away_view(progress: Progress) -> list[Away | None]:
    """Return a list with an item for each seat: the absence of the seat's bot, or None for a connected bot.

    If all bots are connected, return an empty list.
    """
    away = public_view.absences(progress)
    return [time and Away(since_at_ms=time[0], until_at_ms=time[1]) for time in away] if any(away) else []


def result_view(kind: type[ResultView], over: MatchOver) -> ResultView:
    """Make the model `kind` of the outcome of a match, valid or void."""
    return kind.model_validate(over, strict=False, from_attributes=True)


def status_event(tournament: Tournament, now_ms: int, ranking: Ranking) -> FeedStatus:
    """Make the feed's event for a change of a tournament's status or progress."""
    return FeedStatus(
        tournament=tournament.id,
        status=tournament.status,
        reason=tournament.reason,
        **_progress(tournament, now_ms, ranking),
        started_at_ms=tournament.started_at_ms,
        ended_at_ms=tournament.ended_at_ms,
    )


def standings_event(
    tournament: Tournament, now_ms: int, ranking: Ranking, met: Iterable[frozenset[str]]
) -> FeedStandings:
    """Make the event with the standings, the progress, and pairs for the crosstable.

    `met` has sets of bots that met each other. The event has every pair of bots of the same set. If the field is too
    large for a crosstable, the event has no pairs.
    """
    in_crosstable = len(tournament.field) <= MOST_IN_CROSSTABLE
    pairs = [names for bots in met for names in combinations(sorted(bots), 2)] if in_crosstable else []
    return FeedStandings(
        tournament=tournament.id,
        **_standings_and_progress(tournament, now_ms, ranking),
        pairs=[pair_view(tournament, *names) for names in pairs],
    )
