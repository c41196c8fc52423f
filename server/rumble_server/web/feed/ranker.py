"""Standings and ratings for the web: computed on demand, and off the event loop if the computation is long.

The standings of a small field are computed at each reading. The standings of a large field, all ratings, and the
earlier ranks (for movement) are computed in the background, from a snapshot. Such a computation runs at most once a
second for each tournament, and more rarely for very large fields. Between computations, the ranking of the last
computation is shown. The final ranking is exact. `fresh_ranking` waits for a computation, and `ranking` never waits.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from rumble_protocol.feed_messages import Standing

from rumble_server.match.facts import MatchOver
from rumble_server.results.ratings import Ratings
from rumble_server.results.standings import LiveStandings
from rumble_server.tournament.tournament import Tournament

log = logging.getLogger(__name__)

PACE_MS, SLOWEST_PACE_MS = 1_000, 10_000
"""Smallest and largest value of `RankingState.pace_ms`, in ms. Between these bounds, the value depends on `SHARE`."""
SHARE = 0.02
"""Share of a processor that a tournament's background computations should not exceed, apart from the first computation.

A computation takes 0.1 to 0.2 s for 300 bots, so 5 to 10 s pass between two computations. For 100 bots, a computation
takes 0.03 s.
"""
FEWEST_RESULTS = 6
"""Minimum number of latest results over which movement (places gained or lost) is measured."""
FEW_BOTS = 32
"""Maximum number of bots of a field whose standings are computed at each reading. The computation takes 1 ms for such a
field, and over 10 ms for a field of 100 bots."""
NO_RATING: dict[str, Any] = {"rating": None, "interval": None}


@dataclass(frozen=True, slots=True)
class EarlierRanks:
    """The ranks after the first `results` results of a tournament."""

    ranks: dict[str, int]
    results: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The standings by rank, and the ratings.

    `ratings` is None if the tournament is unrated, and before the first computation.
    """

    standings: list[Standing]
    ratings: Ratings | None = None
    version: int = -1
    """The version of the tournament's `LiveStandings` from which the ranking was made."""
    past: EarlierRanks | None = None
    """The earlier ranks, from which the field `gained` of each standing is computed; None if no movement is shown."""
    gained_by: int = 0
    """Number of results since `past`; 0 if no movement is shown."""

    @property
    def model(self) -> str:
        """The model of the ratings in words; empty without ratings."""
        ratings = self.ratings
        return "" if ratings is None or all(line.rating is None for line in ratings.lines) else ratings.model


RankingTask = Callable[[], Ranking]
OnRanked = Callable[[Ranking | None, float], None]
"""A function that is called on the event loop after a task.

The arguments are the result (None if the task failed) and the CPU time of the task in s (0 if not measured).
"""
RankingWork = Callable[[RankingTask, OnRanked], None]
"""A function that runs a task, usually in the background, and then calls the given `OnRanked`."""


def run_on_thread(task: RankingTask, done: OnRanked) -> None:
    """Run a task on a thread of the event loop's executor."""

    def timed() -> tuple[Ranking, float]:
        began_s = time.thread_time()
        return task(), time.thread_time() - began_s

    def finished(future: asyncio.Future[tuple[Ranking, float]]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.error("standings could not be computed", exc_info=error)
        done(*((None, 0.0) if error is not None or future.cancelled() else future.result()))

    asyncio.get_running_loop().run_in_executor(None, timed).add_done_callback(finished)


@dataclass(slots=True)
class RankingState:
    """A tournament's newest ranking from a background computation, and the newest ranking that was shown."""

    background: Ranking | None = None
    computed_at_ms: int = 0
    pace_ms: float = PACE_MS
    """Minimum time in ms until the next background computation."""
    is_busy: bool = False
    shown: Ranking | None = None
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


class Ranker:
    """The rankings of every tournament that somebody reads. Only code on the event loop may use them."""

    def __init__(self, now_ms: Callable[[], int], work: RankingWork) -> None:
        self._now_ms = now_ms
        self._work = work
        self._known: WeakKeyDictionary[LiveStandings[Any], RankingState] = WeakKeyDictionary()
        """The rankings of each tournament, keyed by its `LiveStandings`, which lives as long as the tournament."""

    def ranking(self, tournament: Tournament) -> Ranking:
        """Return the newest known ranking, and start a background computation if one is due."""
        known = self.refresh(tournament)
        computed, standings = known.background, tournament.standings
        if len(tournament.field) > FEW_BOTS and computed is not None:
            return computed
        ratings, past = (None, None) if computed is None else (computed.ratings, computed.past)
        shown = known.shown
        if (
            shown is None
            or shown.version != standings.version
            or shown.ratings is not ratings
            or shown.past is not past
        ):
            known.shown = shown = _ranking(standings, ratings, past, len(tournament.results))
        return shown

    async def fresh_ranking(self, tournament: Tournament) -> Ranking:
        """Return an exact ranking if the tournament is over, else a ranking at most `RankingState.pace_ms` old."""
        for _ in range(2):  # the second time if the computation began before the tournament's end
            known = self.refresh(tournament)
            if not known.is_busy or not self._is_old(tournament, known):
                break
            done = asyncio.get_running_loop().create_future()
            known.waiting.append(done)
            await done
        return self.ranking(tournament)

    def refresh(self, tournament: Tournament) -> RankingState:
        """Start a background computation if one is due; return the tournament's rankings."""
        known = self._known.get(tournament.standings)
        if known is None:
            known = self._known[tournament.standings] = RankingState()
        if not known.is_busy and self._is_old(tournament, known):
            self._compute(tournament, known)
        return known

    def _is_old(self, tournament: Tournament, known: RankingState) -> bool:
        computed = known.background
        if computed is None:
            return True
        since_ms = self._now_ms() - known.computed_at_ms
        return computed.version != tournament.standings.version and (tournament.is_over or since_ms >= known.pace_ms)

    def _compute(self, tournament: Tournament, known: RankingState) -> None:
        task = _ranking_task(tournament)

        def done(ranking: Ranking | None, cpu_s: float) -> None:
            known.is_busy = False
            if known.background is not None:  # the first computation in a process imports numpy
                known.pace_ms = min(max(PACE_MS, cpu_s * 1_000 / SHARE), SLOWEST_PACE_MS)
            known.computed_at_ms = self._now_ms()
            # A computation that failed is not repeated for the same version: its ranking has no ratings.
            known.background = ranking or _ranking(tournament.standings, None, None, 0)
            waiting, known.waiting = known.waiting, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)

        known.is_busy = True
        self._work(task, done)


def ranking_of(tournament: Tournament) -> Ranking:
    """Compute the exact ranking of a tournament at this moment."""
    return _ranking_task(tournament)()


def _ranking_task(tournament: Tournament) -> RankingTask:
    """Return a function that computes the ranking of the tournament as it is now. Any thread may call the function."""
    standings, rated = tournament.standings.snapshot(), tournament.config.rated
    latest, results = _latest(tournament), len(tournament.results)

    def task() -> Ranking:
        ratings = standings.rate() if rated else None
        past = None
        if latest:
            earlier = standings.without(map(standings.result_of, latest))
            past = EarlierRanks({standing.name: standing.rank for standing in earlier.lines()}, results - len(latest))
        return _ranking(standings, ratings, past, results)

    return task


def movement_results(bots: int) -> int:
    """Return the number of latest results over which movement is measured. A bot has about two of the results."""
    return max(bots, FEWEST_RESULTS)


def _latest(tournament: Tournament) -> list[MatchOver]:
    """Return the latest results. Movement is the change of ranks by these results.

    Returns an empty list if ranks do not follow points, if there are too few results, or if the tournament is over.
    """
    latest = movement_results(len(tournament.field))
    if tournament.is_over or tournament.standings.places is not None or len(tournament.results) <= latest:
        return []
    return list(islice(reversed(tournament.results.values()), latest))


def _ranking(
    standings: LiveStandings[Any], ratings: Ratings | None, past: EarlierRanks | None, results: int
) -> Ranking:
    rated = {line.name: line.as_json() for line in (() if ratings is None else ratings.lines)}
    ranks = {} if past is None else past.ranks
    lines = [
        standing.model_copy(
            update={
                **{key: rated.get(standing.name, NO_RATING)[key] for key in NO_RATING},
                "gained": ranks[standing.name] - standing.rank if standing.name in ranks else None,
            }
        )
        for standing in standings.lines()
    ]
    return Ranking(lines, ratings, standings.version, past, 0 if past is None else max(0, results - past.results))
