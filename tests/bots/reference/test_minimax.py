from random import Random

import pytest
from rumble_bots.reference import Choice, Minimax, make_reference_bot
from rumble_bots.reference import minimax as minimax_module
from rumble_bots.search import Cached, Strong

from tests.bots.reference.positions import CONNECT4, TICTACTOE, at


@pytest.mark.parametrize("name", ["minimax", "streetwise", "perfect"])
@pytest.mark.parametrize(("position", "move"), [("XOXX.O..O", "6"), ("X....O.XO", "2"), ("X....OOX.", "1")])
def test_the_classic_positions(name: str, position: str, move: str) -> None:
    choice = make_reference_bot(name).choose(at(position))
    assert (choice.move, choice.score) == (move, 1)


def test_plain_minimax_tells_its_nodes() -> None:
    """Two squares are empty: nodes are the root, two moves, and the single move after each of the two."""
    assert make_reference_bot("minimax", search="plain").choose(at("XOXXO.OX.")) == Choice("5", 0.0, 5)


def test_minimax_remembers_certain_values() -> None:
    bot, state = make_reference_bot("minimax"), TICTACTOE.initial()
    assert bot.choose(state) == Choice("0", 0.0, 765)
    assert bot.choose(state) == Choice("0", 0.0, 0)


def test_minimax_does_not_remember_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimax_module, "REMEMBERED", 2)
    bot = minimax_module.Minimax(make_reference_bot("random").random)
    for position in ("X........", ".X.......", "..X......"):
        bot.choose(at(position))
    assert len(bot.answers) == 1


def test_minimax_with_a_depth_guesses_and_says_so() -> None:
    choice = make_reference_bot("minimax", depth=2).choose(TICTACTOE.initial())
    assert choice.note == "the value is an estimate"
    assert choice.score is not None
    assert -1 < choice.score < 1


def test_one_bot_plays_several_games() -> None:
    bot = make_reference_bot("minimax", depth=2)
    assert bot.choose(CONNECT4.initial()).move in "abcdefg"
    assert bot.choose(TICTACTOE.initial()).move in "012345678"
    assert bot.choose(CONNECT4.initial({"columns": 5, "rows": 5})).move in "abcde"


def test_minimax_takes_the_strong_search_where_a_game_is_big() -> None:
    bot = Minimax(Random(0), depth=2)
    for state, kind in ((TICTACTOE.initial(), Cached), (CONNECT4.initial(), Strong)):
        assert type(bot.search_of(state)) is kind
        assert type(Minimax(Random(0), search="strong").search_of(state)) is Strong
