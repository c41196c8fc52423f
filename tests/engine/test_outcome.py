"""Outcomes: scores, winner, termination."""

import pytest
from rumble_engine import Outcome, Termination


def test_a_win_is_the_whole_point() -> None:
    outcome = Outcome.win(1, "three in a row")
    assert outcome == Outcome((0.0, 1.0), Termination.NORMAL, "three in a row")
    assert outcome.winner == 1
    assert Outcome.win(2, "", termination=Termination.TIMEOUT, seats=3).scores == (0.0, 0.0, 1.0)


def test_a_draw_shares_the_point() -> None:
    outcome = Outcome.draw("board full")
    assert outcome.scores == (0.5, 0.5)
    assert outcome.winner is None
    assert sum(Outcome.draw("", seats=3).scores) == pytest.approx(1)


@pytest.mark.parametrize(
    ("scores", "winner"), [((0.0, 0.0), None), ((0.5, 0.3, 0.2), 0), ((0.4, 0.4, 0.2), None), ((0.0, 0.5), 1)]
)
def test_the_winner_alone_has_the_highest_score(scores: tuple[float, ...], winner: int | None) -> None:
    assert Outcome(scores).winner == winner


def test_terminations_are_words_on_the_wire() -> None:
    assert Termination("no_show") is Termination.NO_SHOW
    assert str(Termination.ILLEGAL_MOVE) == "illegal_move"
