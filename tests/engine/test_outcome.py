"""Outcomes: scores, winner, termination."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Outcome, Termination


def test_a_win_is_the_whole_point() -> None:
    outcome = Outcome.win(1, "three in a row")
    assert outcome == Outcome((0.0, 1.0), Termination.NORMAL, "three in a row")
    assert outcome.winner == 1
    assert Outcome.win(2, "", termination=Termination.TIMEOUT, seats=3).scores == (0.25, 0.25, 1.0)


def test_a_draw_shares_the_point() -> None:
    outcome = Outcome.draw("board full")
    assert outcome.scores == (0.5, 0.5)
    assert outcome.winner is None
    assert Outcome.draw("", seats=3) == Outcome((0.5, 0.5, 0.5), places=(1, 1, 1))


def test_a_score_is_the_share_of_the_others_behind() -> None:
    assert Outcome.ranked([1, 3, 3, 2], "").scores == (1.0, 1 / 6, 1 / 6, 2 / 3)
    assert Outcome.ranked([2, 1], "").scores == (0.0, 1.0)


def test_payoffs_give_the_places() -> None:
    outcome = Outcome.paid([3, -1, 3, 0], "four rounds")
    assert (outcome.places, outcome.payoffs) == ((1, 4, 1, 3), (3, -1, 3, 0))
    assert outcome.scores == (5 / 6, 0.0, 5 / 6, 1 / 3)
    assert outcome.winner is None


def test_fallen_seats_are_last_whatever_the_rules_gave() -> None:
    outcome = Outcome.ranked([1, 2, 2, 4, 5], "", payoffs=[9, 2, 2, 1, 0])
    fallen = outcome.with_falls({0: 7, 3: 7, 1: 30})
    assert (fallen.places, fallen.payoffs) == ((4, 3, 1, 4, 2), (9, 2, 2, 1, 0))
    assert fallen.scores == (0.125, 0.5, 1.0, 0.125, 0.75)
    assert outcome.with_falls({}) is outcome
    assert Outcome.win(0, "").with_falls({0: 3}).scores == (0.0, 1.0)


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=8))
def test_scores_are_shares_of_the_pairs(payoffs: list[int]) -> None:
    scores = Outcome.paid(payoffs, "").scores
    assert sum(scores) == pytest.approx(len(payoffs) / 2)
    by_payoff = sorted(zip(payoffs, scores, strict=True))
    assert [score for _, score in by_payoff] == sorted(scores)


@pytest.mark.parametrize(
    ("scores", "winner"), [((0.0, 0.0), None), ((0.5, 0.3, 0.2), 0), ((0.4, 0.4, 0.2), None), ((0.0, 0.5), 1)]
)
def test_the_winner_alone_has_the_highest_score(scores: tuple[float, ...], winner: int | None) -> None:
    assert Outcome(scores).winner == winner
