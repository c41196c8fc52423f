"""Battles at one table: each bot has each seat once a round, and the scores of a match always make the same sum."""

import pytest
from rumble_bots.reference.table_battle import table_battle
from rumble_engine import BadSettings, get_game

SMALL = {"size": 7, "turns": 40}


def test_a_better_bot_has_the_better_score() -> None:
    better, *others = table_battle(["heuristic", "random", "random"], get_game("snakes"), 60, 3, settings=SMALL)
    assert better.mean_score > 0.75 > max(other.mean_score for other in others)
    assert better.score_interval is not None
    low, high = better.score_interval
    assert low < better.mean_score <= high
    assert sum(better.scores.values()) == 20
    assert better.mean_score + sum(other.mean_score for other in others) == pytest.approx(1.5)
    assert better.mean_payoff is None


def test_equal_arguments_give_equal_results() -> None:
    bots = ["random"] * 4
    assert table_battle(bots, get_game("snakes"), 9, 5, settings=SMALL) == table_battle(
        bots, get_game("snakes"), 9, 5, settings=SMALL
    )


def test_equal_bots_have_equal_scores_over_a_round() -> None:
    results = table_battle(["tit-for-tat", "tit-for-tat"], get_game("dilemma"), 2, settings={"rounds": 3})
    assert [(result.mean_score, result.mean_payoff) for result in results] == [(0.5, 9.0), (0.5, 9.0)]
    assert results[0].score_interval is None


def test_a_game_with_fewer_seats_than_bots_is_refused() -> None:
    with pytest.raises(BadSettings, match="tictactoe has 2 seats, not 3"):
        table_battle(["random"] * 3, get_game("tictactoe"), 1)
