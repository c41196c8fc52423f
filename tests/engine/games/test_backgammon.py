"""Backgammon: OpenSpiel's rules in lockstep, notation, bearing off, ends, and positions that cannot be."""

from random import Random
from typing import Any

import pytest
from rumble_engine import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.conformance import check_game
from rumble_engine.games.backgammon import GAME, OPENING, ROLLS, BackgammonState

from tests.needs import long_or, need_module

Shape = tuple[tuple[int, ...], tuple[int, ...]]


def shape(state: BackgammonState) -> Shape:
    view = state.view()
    return tuple(view["points"]), tuple(view["bar"])


def openspiel_shape(state: Any) -> Shape:
    points = tuple(state.board(0, point) - state.board(1, point) for point in range(23, -1, -1))
    return points, (state.board(0, 100), state.board(1, 100))


def openspiel_results(state: Any) -> dict[Shape, Any]:
    """Return the states after the turn; OpenSpiel has the turn of a double in two halves."""
    seat, begun = state.current_player(), [state]
    results: dict[Shape, Any] = {}
    while begun:
        after = {openspiel_shape(child): child for each in begun for child in map(each.child, each.legal_actions())}
        results |= {key: child for key, child in after.items() if child.current_player() != seat}
        begun = [child for child in after.values() if child.current_player() == seat]
    return results


def rolled(text: str, is_opening: bool) -> str:
    """Return a roll of OpenSpiel (`chance outcome 0 X starts, (roll: 12)`) as Rumble writes rolls."""
    low, high = sorted(text[-3:-1])
    return low + high if is_opening and "O starts" in text else high + low


def test_games_of_openspiel_in_lockstep() -> None:
    need_module("pyspiel", "openspiel")
    import pyspiel

    turns = 0
    for seed in range(long_or(3, 100)):
        random, theirs, state = Random(seed), pyspiel.load_game("backgammon").new_initial_state(), GAME.initial()
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                action, _ = random.choice(theirs.chance_outcomes())
                state = state.play(rolled(theirs.action_to_string(-1, action), state.turn == 0))
                theirs.apply_action(action)
                assert theirs.current_player() == state.to_move
                continue
            results = openspiel_results(theirs)
            codes = {shape(state.after(code)): code for code in state.codes()}
            assert set(codes) == set(results), state
            wanted = random.choice(sorted(results))
            state, theirs, turns = state.after(codes[wanted]), results[wanted], turns + 1
        assert state.outcome is not None
        assert state.outcome.winner == (0 if theirs.returns()[0] > 0 else 1)
    assert turns > 100


def test_backgammon_passes_the_conformance_kit() -> None:
    assert check_game(GAME, playouts=long_or(1, 10), seed=2).playouts
    assert check_game(GAME, settings={"turns": 3}, playouts=5).wins == [0, 0]


def position(seat0: dict[int, int], seat1: dict[int, int], dice: int, to_move: int = 0) -> BackgammonState:
    """Return a position by the checkers on points (25: the bar), each seat's from its own side; all others are off."""
    sides = []
    for counts in (seat0, seat1):
        side = [counts.get(point, 0) for point in range(26)]
        side[0] = 15 - sum(side)
        sides.append(tuple(side))
    return BackgammonState((sides[0], sides[1]), to_move, dice, 7, 1_000)


@pytest.mark.parametrize(
    ("own", "other", "dice", "moves"),
    [
        ({24: 1}, {}, 31, ["24/20"]),
        ({24: 1, 6: 1}, {2: 1}, 31, ["24/23*/20", "24/20", "24/21 6/5", "24/23* 6/3", "6/2"]),
        ({25: 1, 8: 1}, {}, 62, ["bar/19 8/6", "bar/17", "bar/23 8/2"]),
        ({25: 2, 8: 1}, {}, 62, ["bar/19 bar/23"]),
        ({25: 1, 8: 1}, {6: 2}, 62, ["bar/17", "bar/23 8/2"]),
        ({25: 1, 8: 1}, {6: 2, 2: 2}, 62, ["pass"]),
        ({13: 4}, {}, 22, ["13/5", "13/7 13/11", "13/9(2)", "13/9 13/11(2)", "13/11(4)"]),
        ({8: 2}, {21: 1}, 44, ["8/4*/off 8/off"]),
        ({24: 1}, {7: 2, 5: 2}, 64, ["pass"]),
        ({24: 1}, {11: 2}, 64, ["24/18"]),
        ({5: 1, 3: 3}, {}, 44, ["5/1 3/off(3)"]),
        ({7: 2, 1: 1}, {20: 1}, 22, ["7/5*/1 7/5", "7/5*/3 7/3"]),
        ({6: 1, 3: 2}, {}, 52, ["6/1 3/1", "6/off"]),
    ],
)  # fmt: skip
def test_moves(own: dict[int, int], other: dict[int, int], dice: int, moves: list[str]) -> None:
    assert sorted(position(own, {1: 1, **other}, dice).legal_moves) == sorted(moves)
    mirrored = position({1: 1, **other}, own, dice, 1)
    assert sorted(mirrored.legal_moves) == sorted(moves)


def test_the_seat_that_rolls_the_higher_die_begins_with_both_dice() -> None:
    state = GAME.initial()
    assert (state.is_chance, state.movers, len(state.codes())) == (True, (), 30)
    assert [(s.to_move, s.view()["dice"]) for s in (state.play("31"), state.play("13"))] == [(0, [3, 1]), (1, [3, 1])]
    with pytest.raises(UnreadableMove, match="not a roll"):
        state.code_of("33")
    later = state.play("31").play("8/5 6/5")
    assert (later.is_chance, later.to_move, len(later.codes()), later.play("33").to_move) == (True, 1, 21, 1)
    assert sum(weight for _, weight in OPENING) == pytest.approx(1)
    assert sum(weight for _, weight in ROLLS) == pytest.approx(1)


def test_the_text_is_the_board_of_an_xgid() -> None:
    state = GAME.initial().play("13").play("8/5 6/5").play("66")
    assert state.text() == "-b----E-C---eE---b-db---B- X 66 1"
    assert GAME.parse(state.text()) == state


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        ({1: 14}, "all checkers are off"),
        ({1: 15}, "all checkers are off: a gammon"),
        ({1: 14, 19: 1}, "all checkers are off: a backgammon"),
        ({1: 14, 25: 1}, "all checkers are off: a backgammon"),
    ],
)
def test_the_seat_with_all_checkers_off_wins(left: dict[int, int], reason: str) -> None:
    ended = position({1: 1}, left, 61).play("1/off")
    assert ended.outcome is not None
    assert (ended.outcome.scores, ended.outcome.reason, list(ended.codes())) == ((1.0, 0.0), reason, [])
    with pytest.raises(IllegalMove, match="over"):
        ended.code_of("1/off")


def test_a_match_without_a_winner_after_the_last_turn_is_a_draw() -> None:
    ended = GAME.initial({"turns": 1}).play("31").play("8/5 6/5")
    assert ended.outcome is not None
    assert (ended.outcome.scores, ended.outcome.reason) == ((0.5, 0.5), "no winner after 1 turns")


@pytest.mark.parametrize("text", ["6/5 8/5", "8/5", "8/4*", "pass", "13/12 13/12", "8/7/5 6/5"])
def test_moves_that_are_not_allowed(text: str) -> None:
    with pytest.raises(IllegalMove, match="not a move of 31"):
        GAME.initial().play("31").code_of(text)


@pytest.mark.parametrize("text", ["8-5 6-5", "8/5  6/5", "8/5,6/5", "off/6", "8/5(1)", "8/", "31", "108/5"])
def test_texts_that_are_no_move(text: str) -> None:
    with pytest.raises(UnreadableMove):
        GAME.initial().play("31").code_of(text)


@pytest.mark.parametrize(
    "change",
    [
        {"bar": [1, 0]},
        {"bar": [0]},
        {"off": [16, 0], "bar": [-16, 0]},
        {"points": [0] * 24, "off": [15, 15], "dice": []},
        {"points": [0] * 23 + [-15], "off": [15, 0]},
        {"points": [True] * 24},
        {"dice": [1, 3]},
        {"dice": [7, 1]},
        {"dice": [3]},
        {"to_move": 2},
        {"turn": 1_001},
        {"turn": 1_000},
        {"turn": 0, "dice": [3, 3]},
        {"turn": 0, "dice": [], "to_move": 1},
        {"turns": 0},
    ],
)
def test_views_that_cannot_be(change: dict[str, Any]) -> None:
    view = GAME.initial().play("31").play("8/5 6/5").play("42").view()
    assert GAME.load(view).view() == view
    with pytest.raises(BadPosition):
        GAME.load({**view, **change})


@pytest.mark.parametrize(
    "text",
    ["", "-b----E-C---eE---c-e----B- X 13 0", "-b----E-C---eE---c-e----B- Z 31 0", "-b----E-C---eE---c-e----B X 31 0",
     "-b----E-C---eE---c-e----C- X 31 0", "-b----E-C---eE---c-e----B- X 31 1000", "-b----E-C---eE---c-e----B- X 31 00"],
)  # fmt: skip
def test_texts_that_cannot_be(text: str) -> None:
    with pytest.raises(BadPosition):
        GAME.parse(text)


def test_the_estimate_is_the_lead_in_the_race() -> None:
    state = GAME.initial()
    assert state.estimate() == 0
    ahead = state.play("31").play("8/5 6/5")
    assert ahead.estimate() == pytest.approx(-4 / 376)
    assert position({}, {25: 15}, 0).estimate() == pytest.approx(375 / 376)


def test_the_diagram() -> None:
    lines = position({23: 1, 25: 2}, {1: 2, 5: 13}, 0).diagram().splitlines()
    assert lines[0] == "  13  14  15  16  17  18 |  19  20  21  22  23  24"
    assert lines[1] == "   .   .   .   .   .   . |   . 13O   .   .  1X  2O"
    assert lines[4:] == ["X: 2 on the bar, 12 off", "O: 0 on the bar, 0 off", "dice: -"]
