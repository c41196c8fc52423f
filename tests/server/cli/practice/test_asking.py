"""Positions to ask about, searches to the end, and tables."""

import re
import time
from threading import Event

import pytest
from rumble_bots.functions.any_board import AnyBoard
from rumble_bots.reference import make_reference_bot
from rumble_engine import BadPosition, get_game
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.practice import asking
from rumble_server.cli.practice.asking import cached_positions, exactly, position_of

from tests.server.cli.run_here import Captured

TICTACTOE, CONNECT4 = get_game("tictactoe"), get_game("connect4")
ROWS = "[['X', None, None], [None, 'O', None], [None, None, None]]"


def test_rows_are_the_same_as_the_games_text() -> None:
    assert position_of(TICTACTOE, ROWS, None, {}) == TICTACTOE.parse("X...O....")
    assert position_of(
        TICTACTOE, ROWS.replace("[[", " [(").replace("], [", "), (").replace("]]", ")]"), None, {}
    ).codes()
    rows = str([[None] * 4, [None] * 4, [None] * 4, ["X", "O", None, None]])
    assert position_of(CONNECT4, rows, None, {}).text() == "..../..../..../XO.."


def test_a_side_apart_from_the_board() -> None:
    assert position_of(TICTACTOE, None, None, {}) == position_of(TICTACTOE, None, "x", {}) == TICTACTOE.initial()
    assert position_of(TICTACTOE, "X........", "O", {}) == TICTACTOE.parse("X........")
    assert position_of(TICTACTOE, "X........", "X", {}) == AnyBoard.read("X........", 0)
    assert position_of(TICTACTOE, "XOO.O....", "O", {}) == AnyBoard.read("XOO.O....", 1)
    assert position_of(CONNECT4, None, "x", {}) == CONNECT4.initial()


@pytest.mark.parametrize(
    ("game", "position", "to_move", "message"),
    [
        ("tictactoe", "[1, 2", None, "no list of rows"),
        ("tictactoe", "[" * 5000, None, "no list of rows"),
        ("tictactoe", "[print(1)]", None, "no list of rows"),
        ("tictactoe", "[{[]: 1}]", None, "no list of rows"),
        ("chess", "[1]", None, "rows are for tictactoe and connect4, not for chess"),
        ("tictactoe", None, "Z", "--to-move is one of X, O, not 'Z'"),
        ("connect4", None, "O", "the position says that it is the move of X"),
    ],
)
def test_a_bad_position_is_refused_with_the_reason(
    game: str, position: str | None, to_move: str | None, message: str
) -> None:
    with pytest.raises(CliError, match=message):
        position_of(get_game(game), position, to_move, {})


def test_a_wrong_board_is_refused_by_the_game() -> None:
    for rows in ("[1]", "[['X', 'Y', None]] ", "[[[1]]]"):
        with pytest.raises(BadPosition):
            position_of(TICTACTOE, rows, None, {})
        with pytest.raises(BadPosition):
            position_of(TICTACTOE, rows, "X", {})
    with pytest.raises(BadPosition, match="cannot occur"):
        position_of(TICTACTOE, "XOO.O....", None, {})


def test_a_search_to_the_end_tells_its_progress(capsys: Captured) -> None:
    choice = exactly(make_reference_bot("minimax"), TICTACTOE.initial(), {})
    assert (choice.move, choice.score) == ("0", 0)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"depth {depth}" for depth in range(1, 10)]


def test_a_search_to_the_end_is_for_bots_that_search() -> None:
    with pytest.raises(CliError, match="--exact is for minimax and streetwise"):
        exactly(make_reference_bot("mcts"), TICTACTOE.initial(), {})
    with pytest.raises(CliError, match="--exact has no limit"):
        exactly(make_reference_bot("minimax", depth=3), TICTACTOE.initial(), {"depth": 3})


def test_the_table_is_shown_nearest_first_each_position_once() -> None:
    bot, state = make_reference_bot("minimax", search="cached"), TICTACTOE.initial()
    bot.choose(state)
    assert cached_positions(bot, state, 3) == [("X........", 0.0), (".X.......", 0.0), ("....X....", 0.0)]
    everything = cached_positions(bot, state, 10_000)
    assert len(everything) == 764  # all positions but the start, which `choose` searches and so never looks up
    assert {value for _, value in everything} == {-1.0, 0.0, 1.0}
    with pytest.raises(CliError, match="--show-cache is for minimax with --search cached"):
        cached_positions(make_reference_bot("minimax", search="plain"), state, 1)
    with pytest.raises(CliError, match="--show-cache"):
        cached_positions(make_reference_bot("random"), state, 1)


def test_a_slow_function_is_named_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SLOW_S", 0.0)
    answered, lines = Event(), list[str]()

    def tell(slow: str) -> None:
        lines.append(slow)
        answered.set()

    asked_at_s = {"mine.py:ai": time.monotonic() - 7}
    assert asking.in_time(lambda: answered.wait(60), lambda: asked_at_s, 60, tell)
    assert re.fullmatch(r"; mine\.py:ai has thought about its move for \d+ s", lines[0])
