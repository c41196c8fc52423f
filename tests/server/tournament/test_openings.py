import pytest
from rumble_engine import get_game
from rumble_engine.game import State
from rumble_server.tournament import openings as module
from rumble_server.tournament.openings import (
    TIC_TAC_TOE,
    BadOpenings,
    Opening,
    affordable,
    opening_of,
    read_openings,
    suite,
)

from tests.engine.games.counting import played, value
from tests.server.failing import note_calls

TICTACTOE, CONNECT4 = get_game("tictactoe"), get_game("connect4")


def test_tic_tac_toe_has_21_drawn_openings_of_three_plies_up_to_symmetry() -> None:
    drawn, known = set(), dict[object, int]()
    start = TICTACTOE.initial()
    for one in start.codes():
        for two in start.after(one).codes():
            for three in start.after(one).after(two).codes():
                state = start.after(one).after(two).after(three)
                if value(state, known) == 0:
                    drawn.add(state.canonical())
    listed = [played(start, " ".join(moves)).canonical() for moves in TIC_TAC_TOE]
    assert len(listed) == len(drawn) == 21
    assert set(listed) == drawn


def test_the_tic_tac_toe_suite() -> None:
    openings = suite(TICTACTOE, {}, seed=7, count=25)
    assert sorted(openings[:21]) == sorted(TIC_TAC_TOE)
    assert openings[21:] == openings[:4]
    assert suite(TICTACTOE, {}, seed=7, count=5) == openings[:5]
    assert suite(TICTACTOE, {}, seed=8, count=21) != openings[:21]
    assert suite(TICTACTOE, {}, seed=8, count=0) == []


@pytest.mark.parametrize("settings", [{}, {"columns": 5, "rows": 4}, {"columns": 4, "rows": 4, "connect": 3}])
def test_connect_four_openings_are_distinct_and_leave_the_game_open(settings: dict[str, int]) -> None:
    openings = suite(CONNECT4, settings, seed=1, count=12)
    assert openings == suite(CONNECT4, settings, seed=1, count=12)
    assert openings != suite(CONNECT4, settings, seed=2, count=12)
    states = [played(CONNECT4.initial(settings), " ".join(moves)) for moves in openings]
    assert len({state.canonical() for state in states}) == 12
    assert all(state.outcome is None for state in states)


def test_nobody_can_force_a_quick_win_from_a_connect_four_opening() -> None:
    for moves in suite(CONNECT4, {}, seed=5, count=6):
        state = played(CONNECT4.initial(), " ".join(moves))
        assert not _wins_by_force(state, state.to_move, 5)
        assert not _wins_by_force(state, 1 - state.to_move, 4)


def _wins_by_force(state: State, seat: int, plies: int) -> bool:
    if state.outcome is not None:
        return state.outcome.winner == seat
    if plies == 0:
        return False
    after = [_wins_by_force(state.after(code), seat, plies - 1) for code in state.codes()]
    return any(after) if state.to_move == seat else all(after)


@pytest.mark.parametrize(("cycles", "legs"), [(1, 2), (2, 1), (3, 4), (2, 3), (4, 3)])
def test_each_opening_is_played_from_both_seats(cycles: int, legs: int) -> None:
    openings = [(str(number),) for number in range((cycles * legs + 1) // 2)]
    seats: dict[Opening, list[int]] = {}
    for cycle in range(1, cycles + 1):
        for leg in range(1, legs + 1):
            # 0 if the same bot as in leg 1 of cycle 1 is first, else 1: seats swap by leg and by cycle.
            first = (leg + cycle) % 2
            seats.setdefault(opening_of(openings, cycle, leg, legs), []).append(first)
    assert list(seats) == openings
    assert all(sorted(used) == [0, 1] for used in seats.values())
    assert opening_of([], 1, 1, 2) == ()
    assert opening_of(openings[:1], cycles, legs, legs) == openings[0]


def test_a_file_of_openings() -> None:
    text = "\ufeff# mine\n0 1 2\n\n  4\t8\n"
    assert read_openings(text, TICTACTOE) == [("0", "1", "2"), ("4", "8")]


def test_bad_lines_are_named_by_number() -> None:
    with pytest.raises(BadOpenings) as caught:
        read_openings("0 1 2\n0 0\n9\n0 1 2\n0 3 1 4 2\n4", TICTACTOE)
    assert caught.value.problems == (
        "line 2: move 2: square 0 is taken",
        "line 3: move 1: '9' is not a move: squares are numbered 0 to 8, row by row",
        "line 4: the same opening as line 1",
        "line 5: the game is over after it (three in a row)",
    )
    with pytest.raises(BadOpenings, match="no opening"):
        read_openings("# nothing\n", TICTACTOE)


@pytest.mark.parametrize(("name", "settings"), [("gomoku", {"columns": 19, "rows": 19}), ("hex", {"size": 19})])
def test_the_work_for_a_large_board_is_bounded(
    name: str, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = note_calls(monkeypatch, module, "forces")
    count = 8
    assert len(set(suite(get_game(name), settings, seed=1, count=count))) == count
    tries = module.TRIES + module.TRIES * count // 4
    assert len(looked) <= tries * 2 * module.MOST_STATES / 10


def test_a_small_board_is_searched_as_deep_as_its_recipe_says() -> None:
    assert affordable(6, 7) == 6
    assert affordable(3, 44) == 3
    assert affordable(3, 45) == 2
    assert affordable(3, 3000) == 0
