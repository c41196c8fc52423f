import json
from pathlib import Path

import pytest
from rumble_server.cli.main import run


@pytest.mark.parametrize(("position", "move"), [("XOXX.O..O", "6"), ("X....O.XO", "2"), ("X....OOX.", "1")])
@pytest.mark.parametrize("search", ["plain", "cached", "alphabeta"])
def test_minimax_finds_the_move_by_any_search(
    position: str, move: str, search: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "minimax", "--game", "tictactoe", "--position", position, "--search", search, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["move"] == move
    assert answer["nodes"] > 0
    assert {"bot": "minimax", "game": "tictactoe", "position": position}.items() <= answer.items()
    assert set(answer) == {"bot", "game", "position", "move", "score", "nodes"}


def test_the_start_is_asked_about_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "minimax", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["position"], answer["score"]) == (".........", 0)


def test_a_bot_that_knows_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "winner", "--position", "XX.OO....", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["move"], answer["score"], answer["nodes"]) == ("2", None, None)


def test_text_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "minimax", "--position", "XX.OO...."]) == 0
    shown = capsys.readouterr().out
    assert "X | X | 2" in shown
    assert "move 2\nscore 1\nnodes " in shown
    assert run(["ask", "minimax", "--game", "connect4", "--depth", "1"]) == 0
    assert capsys.readouterr().out.endswith("the value is an estimate\n")


def test_a_function_is_asked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("def ai(board, player): return (2, 2)\n")
    assert run(["ask", f"{tmp_path}/mine.py:ai"]) == 0
    assert capsys.readouterr().out.endswith("move 8\n")
    assert run(["ask", f"{tmp_path}/mine.py:ai", "--depth", "2"]) == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
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
def test_wrong_usage(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", *args]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
