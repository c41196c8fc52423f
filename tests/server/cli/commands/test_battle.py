import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.cli.run_here import Captured, printed, printed_json, ran, refused


def test_json_has_counts_and_intervals(capsys: Captured) -> None:
    answer = printed_json(capsys, "battle", "heuristic", "random", "--matches", "100", "--seed", "3")
    assert answer["wins"] + answer["draws"] + answer["losses"] == answer["matches"] == 100
    assert answer["wins"] > 60
    low, high = answer["intervals"]["wins"]
    assert 0 <= low <= answer["wins"] / 100 <= high <= 1
    assert set(answer["intervals"]) == {"wins", "draws", "losses", "score"}
    assert (answer["no_intervals"], sum(answer["pairs"])) == (None, 50)
    assert {"first": "heuristic", "second": "random", "game": "tictactoe", "seed": 3}.items() <= answer.items()
    assert printed_json(capsys, "battle", "heuristic", "random", "--matches", "100", "--seed", "3") == answer


def test_where_games_repeat_json_has_the_reason_and_no_intervals(capsys: Captured) -> None:
    answer = printed_json(capsys, "battle", "minimax", "perfect", "--matches", "200")
    expected = {"draws": 200, "score": 100, "distinct_games": 2, "pairs": [0, 0, 100, 0, 0], "intervals": None}
    assert answer == answer | expected
    assert "200 matches were 2 different games" in answer["no_intervals"]
    assert "--opening" in answer["no_intervals"]


def test_text_is_for_people(capsys: Captured) -> None:
    code, out, err = ran(capsys, "battle", "random", "random", "--matches", "10")
    assert (code, err) == (0, "")
    assert out.startswith("random against random, Tic-tac-toe, 10 matches\nwins ")
    assert "95%" in out


def test_another_game_with_settings(capsys: Captured) -> None:
    args = ["winner", "random", "--matches", "4", "--game", "connect4", "--setting", "columns=5", "--setting", "rows=5"]
    assert printed_json(capsys, "battle", *args)["game"] == "connect4"


def test_functions_fight_too(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "mine.py").write_text("def first(turn): return turn.legal[0]\ndef wrong(turn): return 'x'\n")
    answer = printed_json(capsys, "battle", f"{tmp_path}/mine.py:first", "minimax", "--matches", "4")
    assert answer["wins"] == 0
    line = refused(capsys, 1, "battle", f"{tmp_path}/mine.py:wrong", "random")
    assert "mine.py:wrong answered no legal move: 'x' is not a move" in line


def test_a_function_that_changes_the_working_directory_leaves_the_files_of_others_where_they_are(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("import os\nos.chdir('/')\ndef ai(turn): return turn.legal[0]\n")
    for others in (["mine.py:ai"], ["random", "mine.py:ai", "--game", "liars-dice"]):
        monkeypatch.chdir(tmp_path)
        printed(capsys, "battle", "mine.py:ai", *others, "--matches", "2")


def test_bots_take_options_of_their_own_and_matches_begin_with_random_plies(capsys: Captured) -> None:
    args = ["minimax,depth=4", "minimax,depth=1,search=plain", "--matches", "20", "--opening", "2"]
    game = ["--game", "connect4", "--setting", "columns=5", "--setting", "rows=4"]
    answer = printed_json(capsys, "battle", *args, *game)
    assert (answer["first"], answer["opening"]) == ("minimax,depth=4", 2)
    assert answer["wins"] > answer["losses"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["minimax,deep=4", "random"], "minimax has no option 'deep'"),
        (["minimax,seed=4", "random"], "minimax has no option 'seed'"),
        (["minimax,name=random", "random"], "minimax has no option 'name'"),
        (["minimax,depth=x", "random"], "depth"),
        (["mcts,iterations=0", "random"], "iterations must be a whole number from 1 up, not 0"),
        (["random", "random", "--opening", "-1"], "--opening"),
        (["nobody", "random"], "unknown bot 'nobody'"),
        (["random"], "random is no folder with two files NAME.py; or name a second bot"),
        (["random", "random", "--game", "go"], "unknown game 'go'"),
        (["random", "random", "--matches", "0"], "--matches"),
        (["random", "nowhere.py:ai"], "no such file: nowhere.py"),
        (["random", "random", "--setting", "columns=5"], "tictactoe has no setting 'columns'"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: Captured) -> None:
    assert message in refused(capsys, 2, "battle", *args)


@pytest.mark.parametrize(
    ("options", "unused"), [(["--json"], "--json"), (["--json", "--opening", "3"], "--opening, --json")]
)
def test_options_that_are_not_for_a_folder_are_refused(
    options: list[str], unused: str, tmp_path: Path, capsys: Captured
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("def ai(turn): return turn.legal[0]\n")
    message = refused(capsys, 2, "battle", str(tmp_path), *options)
    assert message == f"rumble: {unused}: not for a folder of bots\n"


@pytest.mark.slow
def test_a_function_that_never_returns_ends_the_battle(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def ai(turn):\n    while True: pass\n")
    (tmp_path / "slow.py").write_text("import threading\ndef ai(turn): threading.Event().wait()\n")
    for name in ("mine", "slow"):
        command = [sys.executable, "-m", "rumble_server.cli", "battle", "random", f"{name}.py:ai", "--timeout", "0.2"]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == f"rumble: {name}.py:ai gave no answer in 0.2 s; --timeout SECONDS allows more\n"


TABLE = ["heuristic", "random", "random", "--game", "snakes", "--setting", "size=7", "--matches", "6"]


def test_three_bots_play_at_one_table(capsys: Captured) -> None:
    answer = printed_json(capsys, "battle", *TABLE)
    assert [bot["name"] for bot in answer["bots"]] == ["heuristic", "random", "random"]
    assert sum(bot["score"] for bot in answer["bots"]) == pytest.approx(1.5)
    low, high = answer["bots"][0]["interval"]
    assert low < answer["bots"][0]["score"] <= high
    heading, *lines = printed(capsys, "battle", *TABLE).splitlines()
    assert heading == "snakes, 6 matches of 3 bots"
    assert [line.split()[0] for line in lines] == ["heuristic", "random", "random"]


@pytest.mark.parametrize(
    ("more", "words"),
    [(["--opening", "2"], "openings are for two bots"), (["--game", "chess"], "chess has 2 seats, not 3")],
)
def test_a_table_that_cannot_be_is_told(more: list[str], words: str, capsys: Captured) -> None:
    assert words in refused(capsys, 2, "battle", "random", "random", "random", "--game", "snakes", *more)
