import pytest
from rumble_bots.reference import Streetwise, make_reference_bot
from rumble_bots.search import END, Tally

from tests.bots.reference.positions import CONNECT4, at


def test_streetwise_takes_two_in_a_row_before_a_corner() -> None:
    """All moves draw. Next to the corner, a single reply of six is right; at the far corner, four are."""
    choice = make_reference_bot("streetwise").choose(at("X...O...."))
    assert (choice.move, choice.score, choice.note) == ("1", 0, "83% of the replies are wrong")
    assert trap_at("XX..O....") == pytest.approx(5 / 6)
    assert trap_at("X...O...X") == pytest.approx(2 / 6)


def trap_at(text: str) -> float:
    bot = make_reference_bot("streetwise")
    assert isinstance(bot, Streetwise)
    return bot.trap(at(text), END, Tally())


def test_streetwise_ends_the_game_when_it_can() -> None:
    choice = make_reference_bot("streetwise").choose(at("XX.OO...."))
    assert (choice.move, choice.score, choice.note) == ("2", 1, "it ends the game")


def test_streetwise_plays_big_games_too() -> None:
    for depth in (1, 3):
        choice = make_reference_bot("streetwise", depth=depth).choose(CONNECT4.initial())
        assert choice.move in "abcdefg"
