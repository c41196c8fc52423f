"""Rankings off the event loop: the rankings shown meanwhile, the pace of computations, and exact final rankings."""

import asyncio

from rumble_engine import Termination
from rumble_server.match.facts import MatchOver
from rumble_server.results.result import result_of
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import BotJoined, TournamentCreated, TournamentEnded
from rumble_server.tournament.tournament import Tournament
from rumble_server.web.feed.ranker import (
    FEW_BOTS,
    PACE_MS,
    SHARE,
    OnRanked,
    Ranker,
    Ranking,
    RankingTask,
    movement_results,
)


class Elsewhere:
    """Background work that waits until the test runs it."""

    def __init__(self) -> None:
        self.tasks: list[tuple[RankingTask, OnRanked]] = []

    def __call__(self, task: RankingTask, done: OnRanked) -> None:
        self.tasks.append((task, done))

    def finish(self, cpu_s: float = 0.0, *, fails: bool = False) -> None:
        ((task, done),) = self.tasks
        self.tasks.clear()
        done(None if fails else task(), cpu_s)


class Hall:
    """A tournament with results added by hand, a clock and a ranker."""

    def __init__(self, bots: int, *, rated: bool = True) -> None:
        config = TournamentConfig(name="Friday", game="tictactoe", rated=rated)
        self.tournament = Tournament(TournamentCreated("friday", config, 0))
        for number in range(bots):
            self.tournament.apply(BotJoined("friday", f"b{number:04}", 0))
        self.now_ms = 0
        self.elsewhere = Elsewhere()
        self.ranker = Ranker(lambda: self.now_ms, self.elsewhere)

    def win(self, first: int, second: int) -> None:
        number = len(self.tournament.results) + 1
        seats = (f"b{first:04}", f"b{second:04}")
        over = MatchOver(f"friday.1.{number}.1.1", 1, seats, (1, 0), Termination.NORMAL, "", (), (), self.now_ms)
        self.tournament.results[over.match] = over
        self.tournament.standings.add(result_of(over))

    def end(self) -> None:
        self.tournament.apply(TournamentEnded("friday", "finished", "", self.now_ms))

    def compute(self, *, fails: bool = False) -> None:
        """Let the time of a pace pass, read the ranking, and finish its computation."""
        self.now_ms += PACE_MS
        self.ranker.refresh(self.tournament)
        self.elsewhere.finish(fails=fails)

    async def fresh(self, *, fails: bool = False) -> Ranking:
        """Wait for a ranking whose computation is finished."""
        reading = asyncio.ensure_future(self.ranker.fresh_ranking(self.tournament))
        await asyncio.sleep(0)
        self.elsewhere.finish(fails=fails)
        return await reading

    @property
    def ranking(self) -> Ranking:
        return self.ranker.ranking(self.tournament)

    @property
    def leader(self) -> tuple[str, float]:
        return self.ranking.standings[0].name, self.ranking.standings[0].points


def test_small_fields_are_exact_and_ratings_come_later() -> None:
    hall = Hall(2)
    hall.win(1, 0)
    assert hall.leader == ("b0001", 1.0)
    assert [line.rating for line in hall.ranking.standings] == [None, None]
    hall.elsewhere.finish()
    line = hall.ranking.standings[0]
    assert line.rating is not None
    assert line.interval is not None
    assert line.interval[0] < line.rating < line.interval[1]
    hall.win(1, 0)
    assert hall.leader == ("b0001", 2.0)
    assert hall.ranking.standings[0].rating == line.rating, "as it was computed last"
    assert hall.ranking is hall.ranking, "made once"


def test_ranks_are_computed_at_most_once_a_second_and_only_when_read() -> None:
    hall = Hall(2)
    hall.win(0, 1)
    assert not hall.elsewhere.tasks, "nobody has read it"
    hall.ranker.refresh(hall.tournament)
    hall.ranker.refresh(hall.tournament)
    hall.elsewhere.finish()
    hall.win(0, 1)
    hall.now_ms += PACE_MS - 1
    hall.ranker.refresh(hall.tournament)
    assert not hall.elsewhere.tasks
    hall.now_ms += 1
    hall.ranker.refresh(hall.tournament)
    hall.elsewhere.finish()
    hall.now_ms += PACE_MS
    hall.ranker.refresh(hall.tournament)
    assert not hall.elsewhere.tasks, "nothing has changed"


def test_ranks_that_take_long_are_computed_more_rarely() -> None:
    hall = Hall(2)

    def computes(after_ms: float, cpu_s: float) -> bool:
        """Return whether a computation, which takes `cpu_s`, begins `after_ms` after the last look."""
        hall.now_ms += int(after_ms)
        hall.win(0, 1)
        hall.ranker.refresh(hall.tournament)
        if not hall.elsewhere.tasks:
            return False
        hall.elsewhere.finish(cpu_s)
        return True

    assert computes(0, 9.0)
    assert computes(PACE_MS, 0.1), "the first computation does not count"
    assert not computes(100 / SHARE - 1, 0.0)
    assert computes(1, 0.0)
    assert computes(PACE_MS, 0.0)


async def test_a_large_field_is_shown_as_it_was_computed_last() -> None:
    hall = Hall(FEW_BOTS + 1)
    assert len((await hall.fresh()).standings) == FEW_BOTS + 1
    hall.win(7, 3)
    assert hall.leader == ("b0000", 0.0)
    hall.now_ms += PACE_MS
    assert (await hall.fresh()).standings[0].name == "b0007"


async def test_a_tournament_that_is_over_is_exact_whatever_was_being_computed() -> None:
    hall = Hall(FEW_BOTS + 1)
    hall.ranker.refresh(hall.tournament)
    hall.win(7, 3)
    hall.end()
    reading = asyncio.ensure_future(hall.ranker.fresh_ranking(hall.tournament))
    await asyncio.sleep(0)
    hall.elsewhere.finish()
    await asyncio.sleep(0)
    assert not reading.done(), "what began before the end is not enough"
    hall.elsewhere.finish()
    ranking = await reading
    assert (ranking.standings[0].name, ranking.version) == ("b0007", hall.tournament.standings.version)


def test_unrated_tournaments_have_no_ratings() -> None:
    hall = Hall(2, rated=False)
    hall.win(0, 1)
    hall.compute()
    ranking = hall.ranking
    assert (ranking.ratings, ranking.model, ranking.standings[0].rating) == (None, "", None)


async def test_where_computing_fails_the_standings_are_still_there() -> None:
    hall = Hall(FEW_BOTS + 1)
    hall.win(7, 3)
    assert (await hall.fresh(fails=True)).standings[0].name == "b0007"


def test_a_computation_that_fails_after_the_end_is_not_repeated() -> None:
    hall = Hall(FEW_BOTS + 1)
    hall.compute()
    hall.win(7, 3)
    hall.end()
    hall.compute(fails=True)
    ranking = hall.ranking
    assert not hall.elsewhere.tasks
    assert (ranking.standings[0].name, ranking.ratings) == ("b0007", None)


def test_without_a_match_there_is_no_model_to_name() -> None:
    hall = Hall(2)
    hall.compute()
    ranking = hall.ranking
    assert ranking.model == ""
    assert ranking.ratings is not None


# --- movement ---


def gained(hall: Hall) -> dict[str, int | None]:
    return {line.name: line.gained for line in hall.ranking.standings}


def test_movement_is_measured_by_the_ranks_before_the_last_results() -> None:
    hall = Hall(3)
    latest = movement_results(3)
    for _ in range(4):
        hall.win(0, 1)
    for _ in range(latest - 4):
        hall.win(2, 1)
    hall.compute()
    assert gained(hall) == {"b0000": None, "b0001": None, "b0002": None}, "there is nothing before"
    for _ in range(5):
        hall.win(2, 1)
    hall.compute()
    ranking = hall.ranking
    assert ranking.gained_by == latest
    # Points before the last six results: bot 0 had 4, bot 2 had 1, bot 1 had none.
    assert gained(hall) == {"b0002": 1, "b0000": -1, "b0001": 0}


def test_results_since_the_last_ranks_count_in_how_far_back_the_ranks_are() -> None:
    hall = Hall(3)
    for _ in range(movement_results(3) + 1):
        hall.win(0, 1)
    hall.compute()
    hall.win(2, 1)
    hall.win(2, 1)
    ranking = hall.ranking
    assert ranking.gained_by == movement_results(3) + 2
    assert gained(hall) == {"b0000": 0, "b0001": -1, "b0002": 0}


def test_no_bot_moves_once_the_tournament_is_over() -> None:
    hall = Hall(3)
    for _ in range(movement_results(3) + 1):
        hall.win(0, 1)
    hall.end()
    hall.compute()
    assert set(gained(hall).values()) == {None}
    assert hall.ranking.gained_by == 0
