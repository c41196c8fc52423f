"""Battles: thousands of matches, their tallies and intervals."""

from collections.abc import Sequence
from random import Random

import pytest
from rumble_bots.reference import Choice, ReferenceBot
from rumble_bots.reference.battle import BattleResult, battle, opened, play, wilson
from rumble_engine import MoveError, State, get_game

TICTACTOE = get_game("tictactoe")


@pytest.mark.parametrize("strong", ["perfect", "minimax"])
@pytest.mark.parametrize("weak", ["random", "winner", "heuristic"])
def test_the_strong_never_lose_in_ten_thousand_matches(strong: str, weak: str) -> None:
    result = battle(strong, weak, TICTACTOE, 10_000, seed=5)
    assert result.losses == 0
    assert result.wins > 5_000
    assert result.matches == 10_000


def test_perfect_and_minimax_draw_a_thousand_times() -> None:
    assert battle("perfect", "minimax", TICTACTOE, 1_000) == BattleResult(0, 1_000, 0)


def test_heuristic_beats_random_clearly() -> None:
    result = battle("heuristic", "random", TICTACTOE, 2_000, seed=3)
    assert result.intervals["wins"][0] > 0.7
    assert result.intervals["losses"][1] < 0.1


def test_the_rates_agree_with_the_exact_chances() -> None:
    """Winner against random: 66.76% of wins, both seats together (see reference/test_ladder.py)."""
    low, high = battle("winner", "random", TICTACTOE, 10_000, seed=11).intervals["wins"]
    assert low < 0.6676 < high


def test_a_battle_depends_on_its_arguments_alone() -> None:
    one = battle("random", "winner", TICTACTOE, 200, seed=4)
    assert one == battle("random", "winner", TICTACTOE, 200, seed=4)
    assert one != battle("random", "winner", TICTACTOE, 200, seed=5)


class First(ReferenceBot):
    """Plays the first legal move, so against itself the first mover wins by 0, 2, 4, 6."""

    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        return Choice(state.text_of(codes[0]))


class Cheat(ReferenceBot):
    def pick(self, state: State, codes: Sequence[int], budget_ms: int | None) -> Choice:
        return Choice("99")


def test_seats_alternate() -> None:
    assert battle(First, First, TICTACTOE, 5) == BattleResult(3, 0, 2)


def test_settings_reach_the_game() -> None:
    tall = {"columns": 4, "rows": 4, "connect": 3}
    assert battle(First, First, get_game("connect4"), 2, settings=tall).matches == 2
    outcome = play([First(Random(0)), First(Random(0))], get_game("connect4"), settings=tall)
    assert outcome.reason == "3 in a row"


def test_random_openings_are_the_same_for_both_matches_of_a_pair() -> None:
    """Without an opening, these two bots without chance win by moving first."""
    assert battle(First, First, TICTACTOE, 40, opening=3) not in (BattleResult(40, 0, 0), BattleResult(20, 0, 20))
    start = TICTACTOE.initial()
    assert opened(start, 3, Random(7)) == opened(start, 3, Random(7)) != start
    assert opened(start, 99, Random(7)).outcome is None


def test_an_illegal_move_is_an_error() -> None:
    with pytest.raises(MoveError, match="'99' is not a move"):
        battle(Cheat, "random", TICTACTOE, 1)


def test_no_battle_without_a_match() -> None:
    with pytest.raises(ValueError, match="at least one match, not 0"):
        battle("random", "random", TICTACTOE, 0)


def test_describe() -> None:
    lines = BattleResult(80, 0, 20).describe().splitlines()
    assert lines == [
        "wins         80  80.00%  (95%: 71.12% to 86.66%)",
        "draws         0   0.00%  (95%: 0.00% to 3.70%)",
        "losses       20  20.00%  (95%: 13.34% to 28.88%)",
    ]


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_as_published(count: int, total: int, low: float, high: float) -> None:
    """Table I, method 3, of Robert G. Newcombe, Statistics in Medicine 17 (1998), 857-872."""
    assert list(wilson(count, total)) == pytest.approx([low, high], abs=5e-5)


def test_an_interval_stays_between_0_and_1() -> None:
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1
