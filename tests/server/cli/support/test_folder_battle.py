from pathlib import Path

import pytest
from rumble_engine import get_game

from tests.server.cli.run_here import Captured, ran

FIRST = "def choose(turn):\n    return turn.legal[0]\n"
LAST = (
    "from random import Random\ndef _help(turn):\n    return turn.legal[-1]\ndef best(turn):\n    return _help(turn)\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"anna": FIRST, "berta": LAST, "_notes": "x = 1 / 0"}
    folder = tmp_path / "class"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def battle(folder: Path, capsys: Captured, *options: str, status: int = 0) -> tuple[str, str]:
    code, out, err = ran(capsys, "battle", folder, *options)
    assert code == status
    return out, err


def test_all_play_all(folder: Path, capsys: Captured) -> None:
    (folder / "cem.py").write_text(FIRST)
    out, err = battle(folder, capsys, "--game", "connect4", "--matches", "4")
    assert "class: finished after 12 matches" in out
    assert sorted(line.split("|")[2].strip() for line in out.splitlines()[4:7]) == ["anna", "berta", "cem"]
    assert err == ""
    assert battle(folder, capsys, "--game", "connect4", "--matches", "4") == (out, err)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(:", "cem.py is not Python: invalid syntax (line 1)"),
        ("\n1/0", "cem.py fails when it is loaded: ZeroDivisionError: division by zero (cem.py, line 2)"),
        ("x = 1", "cem.py has 0 functions, and none is called choose or ai"),
        ("def f(a): pass\ndef g(a): pass", "cem.py has 2 functions, and none is called choose or ai"),
        ("def choose(board, player): return 0", "cem.py does not play Gomoku"),
    ],
)
def test_a_file_that_is_no_bot_is_left_out(folder: Path, capsys: Captured, source: str, expected: str) -> None:
    (folder / "cem.py").write_text(source)
    out, err = battle(folder, capsys, "--game", "gomoku")
    assert (err.count("\n"), err.strip().removeprefix(f"{folder}/")) == (1, expected)
    assert "class: finished after 2 matches" in out


@pytest.mark.parametrize("game", ["connect4", "dilemma", "backgammon", "liars-dice"])
def test_a_bot_that_fails_loses_and_the_others_play_on(folder: Path, capsys: Captured, game: str) -> None:
    (folder / "cem.py").write_text("def ai(turn):\n    board = {}\n    return board['x']\n")
    (folder / "dora.py").write_text("def ai(turn):\n    return 'nonsense'\n")
    (folder / "emil.py").write_text("def ai(turn):\n    exit()\n")
    out, err = battle(folder, capsys, "--game", game)
    lines = sorted(err.splitlines())
    assert lines[0] == "cem.py failed: KeyError: 'x' (cem.py, line 3, in ai)"
    assert lines[1].startswith("dora.py answered no legal move: ")
    assert lines[2:] == ["emil.py failed: SystemExit: None (emil.py, line 2, in ai)"]
    rows = {cells[2].strip(): cells for line in out.splitlines() if len(cells := line.split("|")) > 5}
    assert {"anna", "berta", "cem", "dora", "emil"} < rows.keys()
    assert "class: finished after 20 matches" in out


def test_linked_files_import_modules_from_their_own_folders(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    for name, move in (("xena", "turn.legal[0]"), ("yuri", "'nonsense'")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(f"def pick(turn): return {move}")
        (tmp_path / name / "bot.py").write_text("def choose(turn):\n    import helper\n    return helper.pick(turn)")
        (folder / f"{name}.py").symlink_to(tmp_path / name / "bot.py")
    _, err = battle(folder, capsys)
    assert (err.count("\n"), err.startswith("yuri.py answered no legal move")) == (1, True)


def test_a_bot_that_changes_its_working_directory_still_imports_from_its_folder(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "_helper.py").write_text(FIRST)
    late = "import os\nos.chdir('/')\ndef choose(turn):\n    import _helper\n    return _helper.choose(turn)"
    for name in ("adam", "zoe"):
        (folder / f"{name}.py").write_text(late)
    monkeypatch.chdir(folder.parent)
    assert battle(Path(folder.name), capsys)[1] == ""


def test_a_file_that_never_returns_is_named(folder: Path, capsys: Captured) -> None:
    for source in ("import time\ntime.sleep(9)", "import time\ndef ai(turn):\n    time.sleep(9)"):
        (folder / "cem.py").write_text(source)
        out, err = battle(folder, capsys, "--timeout", "0.1", status=1)
        assert (out, "cem.py gave no answer in 0.1 s" in err) == ("", True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--matches", "1001"], "--matches: 1000 at most for each pair of a folder"),
        (["--game", "hex", "--set", "size=99"], "size must be from 2 to 19, not 99"),
        (["--game", "snakes"], "snakes has 3 to 8 seats, not 2"),
    ],
)
def test_wrong_usage_is_told_in_a_line(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, options: list[str], told: str
) -> None:
    monkeypatch.setattr(type(get_game("snakes")), "least_seats", 3)
    assert battle(folder, capsys, *options, status=2) == ("", f"rumble: {told}\n")


def test_brackets_in_names_are_no_markup(folder: Path, capsys: Captured) -> None:
    folder = folder.rename(folder.with_name("[x]"))
    (folder / "[b].py").write_text(FIRST)
    out, _ = battle(folder, capsys)
    assert out.startswith("[x]: finished after 6 matches")
    assert "| [b] " in out


def test_a_folder_needs_two_bots(folder: Path, capsys: Captured) -> None:
    (folder / "anna.py").write_text("x = 1")
    assert "of 2 files, 1 are bots: two are needed" in battle(folder, capsys, status=1)[1]
    (folder / "anna.py").unlink()
    assert "or name a second bot" in battle(folder, capsys, status=2)[1]
