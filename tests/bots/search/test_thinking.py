"""Thinking within limits, by a clock that counts."""

import pytest
from rumble_bots.search import END, Cached, CachedAlphaBeta, Found, Limits, OutOfTime, Plain, Tally, solve, think
from rumble_bots.search.thinking import SHARE, TIME_MS, Look, is_small
from rumble_engine import State

from .fixtures import CONNECT4, TICTACTOE, CountedClock

EMPTY = TICTACTOE.initial()
BIG = CONNECT4.initial()


def scripted(answers: dict[int, Found], asked: list[float]) -> Look:
    """Return a look with an answer for each given depth; the look records calls, and is out of time at other depths."""

    def look(state: State, depth: float, tally: Tally) -> Found:
        asked.append(depth)
        answer = None if depth == END else answers.get(int(depth))
        if answer is None and tally.deadline is not None:
            raise OutOfTime
        return answer or Found(0, 0.0, complete=False)

    return look


def test_without_a_clock_a_search_looks_once() -> None:
    found, tally = think(Plain().best, TICTACTOE.parse("X...O...."), Limits(), None)
    assert found.complete
    assert tally.deadline is None
    asked: list[float] = []
    think(scripted({}, asked), EMPTY, Limits(), None)
    think(scripted({}, asked), BIG, Limits(depth=3), None)
    assert asked == [END, 3]


def test_without_a_clock_a_search_gives_up_after_a_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer a tree that only looks small, and a depth that is too great, as within the default time."""
    deceptive = CONNECT4.parse("......./......./....O../....XO./.X.OXXX/OO.OXOX")
    assert is_small(deceptive)
    monkeypatch.setattr("rumble_bots.search.thinking.MOST_NODES", 3_000)
    for state, depth in ((deceptive, None), (BIG, 40)):
        attempts: list[Tally] = []

        def look(state: State, depth: float, tally: Tally, attempts: list[Tally] = attempts) -> Found:
            attempts.append(tally)
            return Cached().best(state, depth, tally)

        found, tally = think(look, state, Limits(depth, clock=CountedClock()), None, 3_000)
        assert found.code in state.codes()
        assert not found.complete
        assert attempts[0].nodes == 3_001
        assert attempts[-1] is tally
        assert tally.deadline is not None


def test_a_day_for_a_move_is_no_reason_to_think_for_a_day() -> None:
    deceptive = CONNECT4.parse("......./......./....O../....XO./.X.OXXX/OO.OXOX")
    found, tally = think(Cached().best, deceptive, Limits(), 24 * 60 * 60 * 1000, 3_000)
    assert found.code in deceptive.codes()
    assert tally.nodes == 3_001
    assert tally.depth == 4


def test_a_solution_tells_of_each_depth() -> None:
    told: list[tuple[int | None, bool]] = []
    found, tally = solve(
        CachedAlphaBeta().best,
        TICTACTOE.parse("X...O...."),
        lambda found, tally: told.append((tally.depth, found.complete)),
    )
    assert told == [*((depth, False) for depth in range(1, 7)), (7, True)]
    assert (found.complete, tally.depth) == (True, 7)


def test_a_budget_alone_makes_a_search_look_deeper_and_deeper() -> None:
    clock = CountedClock()
    found, tally = think(Cached().best, EMPTY, Limits(clock=clock), 1000)
    assert (found.code, found.value, found.complete) == (0, 0, True)
    assert tally.nodes > 765


def test_a_small_game_is_looked_through_even_if_a_win_is_seen() -> None:
    """Choose the first winning move, with a clock and without."""
    state = TICTACTOE.parse("X...OX..O")
    look = CachedAlphaBeta().best
    assert think(look, state, Limits(), 1000)[0].code == think(look, state, Limits(), None)[0].code
    asked: list[float] = []
    answers = {1: Found(1, 1.0, complete=False), 2: Found(2, -1.0, complete=False), 3: Found(3, -1.0)}
    assert think(scripted(answers, asked), EMPTY, Limits(), 1000)[0].code == 3
    assert asked == [1, 2, 3]


@pytest.mark.parametrize("kind", [Plain, Cached, CachedAlphaBeta])
@pytest.mark.parametrize("limit", [1, 5, 20])
def test_a_search_never_oversteps_its_time(kind: type[Plain | Cached | CachedAlphaBeta], limit: int) -> None:
    clock = CountedClock()
    found, tally = think(kind().best, BIG, Limits(time_ms=limit, clock=clock), None)
    assert found.code in BIG.codes()
    assert clock.now * 1000 == pytest.approx(limit, abs=0.03)
    assert tally.nodes == pytest.approx(limit / 0.01, abs=2)


@pytest.mark.parametrize(
    ("limits", "budget", "used"),
    [
        (Limits(), None, TIME_MS),
        (Limits(), 20, 20 * SHARE),
        (Limits(time_ms=5), 1000, 5),
        (Limits(time_ms=100), 10, 10 * SHARE),
        (Limits(depth=99), 10, 10 * SHARE),
    ],
)
def test_the_least_limit_counts(limits: Limits, budget: int | None, used: float) -> None:
    clock = CountedClock()
    think(Cached().best, BIG, Limits(limits.depth, limits.time_ms, clock), budget)
    assert clock.now * 1000 == pytest.approx(used, abs=0.03)


def test_the_depth_limit_ends_a_search_before_its_time() -> None:
    asked: list[float] = []
    answers = {depth: Found(depth, 0.0, complete=False) for depth in range(1, 9)}
    assert think(scripted(answers, asked), BIG, Limits(depth=3, time_ms=50), None)[0].code == 3
    assert asked == [1, 2, 3]


def test_the_last_finished_depth_counts() -> None:
    answers = {1: Found(1, 0.1, complete=False), 2: Found(2, 0.2, complete=False)}
    assert think(scripted(answers, []), BIG, Limits(), None)[0].code == 2


def test_in_a_big_game_a_win_is_taken_when_it_is_seen() -> None:
    asked: list[float] = []
    answers = {1: Found(1, 0.1, complete=False), 2: Found(2, 1.0, complete=False), 3: Found(3, 1.0)}
    assert think(scripted(answers, asked), BIG, Limits(), None)[0].code == 2
    assert asked == [1, 2]


def test_in_a_lost_position_the_move_that_held_out_longest_counts() -> None:
    answers = {1: Found(1, 0.1, 0.5, complete=False), 2: Found(2, -1.0, 0.2, complete=False)}
    found, _ = think(scripted(answers, []), BIG, Limits(), None)
    assert (found.code, found.value, found.second) == (1, -1.0, 0.5)
    assert think(scripted({1: Found(4, -1.0)}, []), BIG, Limits(), None)[0].code == 4


def test_without_time_for_one_ply_there_is_an_answer_all_the_same() -> None:
    clock = CountedClock(step_ms=1)
    found, tally = think(Plain().best, BIG, Limits(clock=clock), 1)
    assert found.code in BIG.codes()
    assert tally.nodes == 1 + 8  # the node that was too late, then the root and its seven moves


@pytest.mark.parametrize("value", [0, -1, 0.5, float("nan"), float("inf"), "3", True])
@pytest.mark.parametrize("name", ["depth", "time_ms"])
def test_bad_limits(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a number from 1 up, not "):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_small_games() -> None:
    assert is_small(EMPTY)
    assert not is_small(BIG)
    assert not is_small(CONNECT4.initial({"columns": 5, "rows": 5}))
    assert is_small(CONNECT4.parse("OXOXOX./XOXOXO./XOXOXOX/OXOXOXO/OXOXOXO/XOXOXOX"))


def test_the_real_clock_is_the_default() -> None:
    assert think(Cached().best, BIG, Limits(time_ms=1), None)[1].nodes > 0
