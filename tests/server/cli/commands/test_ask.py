import json
from pathlib import Path

import pytest
from rumble_bots.search import Cached
from rumble_server.cli.main import run

from tests.server.cli.run_here import Captured, printed, printed_json, ran, refused


@pytest.mark.parametrize(("position", "move"), [("XOXX.O..O", "6"), ("X....O.XO", "2"), ("X....OOX.", "1")])
@pytest.mark.parametrize("search", ["plain", "cached", "alphabeta"])
def test_minimax_finds_the_move_by_any_search(position: str, move: str, search: str, capsys: Captured) -> None:
    answer = printed_json(capsys, "ask", "minimax", "--game", "tictactoe", "--position", position, "--search", search)
    assert answer["move"] == move
    assert answer["nodes"] > 0
    assert {"bot": "minimax", "game": "tictactoe", "position": position}.items() <= answer.items()
    assert set(answer) == {"bot", "game", "position", "move", "score", "nodes"}


def test_the_start_is_asked_about_by_default(capsys: Captured) -> None:
    answer = printed_json(capsys, "ask", "minimax")
    assert (answer["position"], answer["score"]) == (".........", 0)


def test_a_bot_that_knows_no_score(capsys: Captured) -> None:
    answer = printed_json(capsys, "ask", "winner", "--position", "XX.OO....")
    assert (answer["move"], answer["score"], answer["nodes"]) == ("2", None, None)


def test_text_is_for_people(capsys: Captured) -> None:
    shown = printed(capsys, "ask", "minimax", "--position", "XX.OO....")
    assert "X | X | 2" in shown
    assert "move 2\nscore 1\nnodes " in shown
    estimated = printed(capsys, "ask", "minimax", "--game", "connect4", "--depth", "1")
    assert estimated.endswith("the value is an estimate\n")


def test_a_function_is_asked_too(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "mine.py").write_text("def ai(board, player): return (2, 2)\n")
    assert printed(capsys, "ask", f"{tmp_path}/mine.py:ai").endswith("move 8\n")
    refused(capsys, 2, "ask", f"{tmp_path}/mine.py:ai", "--depth", "2")


EXERCISE = "[['X', 'O', None], [None, 'O', None], ['X', None, None]]"
WINNER = """
def ai(board, player):
    for row in range(3):
        for column in range(3):
            if board[row][column] is None:
                board[row][column] = player
                lines = [*board, *zip(*board), [board[i][i] for i in range(3)], [board[i][2 - i] for i in range(3)]]
                if any(set(line) == {player} for line in lines):
                    return row, column
                board[row][column] = None
"""


@pytest.mark.parametrize(("side", "row", "column"), [("X", 1, 0), ("O", 2, 1)])
@pytest.mark.parametrize("bot", ["winner", "mine.py:ai"])
def test_the_exercises_own_example(
    bot: str,
    side: str,
    row: int,
    column: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    """Rows `X O .`, `. O .`, `X . .`: the winner plays (1, 0) for X, and (2, 1) for O on the same board."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(WINNER)
    answer = printed_json(capsys, "ask", bot, "--position", EXERCISE, "--to-move", side)
    assert answer == answer | {"move": str(3 * row + column), "to_move": side, "position": "XO..O.X.."}


def test_a_board_that_play_cannot_reach(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "mine.py").write_text(
        WINNER + "def turn(turn): return turn.legal[-1] if turn.position.to_move == 1 else 'x'\n"
    )
    for bot, move in (("minimax", "3"), (f"{tmp_path}/mine.py:ai", "7"), (f"{tmp_path}/mine.py:turn", "8")):
        assert printed_json(capsys, "ask", bot, "--position", "XOO.O.X..", "--to-move", "O")["move"] == move


def test_a_tree_that_looked_small_is_given_up(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(Cached, "node_limit", 2_000)
    position = "......./......./....O../....XO./.X.OXXX/OO.OXOX"
    shown = printed(capsys, "ask", "minimax", "--game", "connect4", "--position", position)
    assert shown.endswith("the value is an estimate\n")


def test_the_table_and_the_progress_of_a_search_to_the_end(capsys: Captured) -> None:
    shown = printed(capsys, "ask", "minimax", "--search", "cached", "--show-cache", "2")
    assert shown.endswith("(2 shown):\nX........ 0\n.X....... 0\n")
    args = ["--position", "X...O....", "--search", "cached", "--show-cache", "1", "--exact", "--json"]
    code, out, err = ran(capsys, "ask", "minimax", *args)
    assert (code, json.loads(out)["cache"]) == (0, [{"position": "XX..O....", "value": 0}])
    assert err.startswith("depth 1: value ")


def test_a_function_that_does_not_answer_is_given_up(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "mine.py").write_text("import time\ndef ai(board, player): time.sleep(9)\n")
    line = refused(capsys, 1, "ask", f"{tmp_path}/mine.py:ai", "--timeout", "0.1")
    assert line == f"rumble: {tmp_path}/mine.py:ai gave no answer in 0.1 s; --timeout SECONDS allows more\n"


def test_a_function_that_exits_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def ai(board, player):\n    raise SystemExit(7)\n")
    with pytest.raises(SystemExit, match="7"):
        run(["ask", f"{tmp_path}/mine.py:ai"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["mine.py:ai", "--exact"], "--exact: only for reference bots, not for functions"),
        (["random", "--timeout", "3"], "--timeout is for functions; see --time-ms"),
        (["nobody"], "unknown bot 'nobody'"),
        (["minimax", "--game", "go"], "unknown game 'go'"),
        (["minimax", "--position", "XOXX"], "'XOXX' is not nine of X, O and ."),
        (["minimax", "--position", "XXX......"], "cannot occur"),
        (["minimax", "--position", "XXXOO...."], "the game is over"),
        (["minimax", "--search", "deep"], "unknown search 'deep'"),
        (["random", "--depth", "3"], "random has no option 'depth'"),
        (["minimax", "--setting", "columns"], "'columns' is not a setting: write NAME=VALUE"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 2, "ask", *args)
