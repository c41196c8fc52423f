from pathlib import Path

import pytest
from rumble_bots.sdk.errors import BadFunction
from rumble_server.cli.output.errors import CliError
from rumble_server.cli.support.bot_names import (
    DEFAULT_HOUSE,
    as_bot_name,
    checked_bots,
    own_name,
    read_house,
    read_reference_bot,
    split_names,
)


def test_names_are_split_and_known() -> None:
    assert checked_bots(split_names("random, minimax")) == ["random", "minimax"]
    with pytest.raises(CliError, match="an empty name in 'random,'"):
        split_names("random,")
    with pytest.raises(CliError, match="unknown bot 'chaos'; known: random"):
        checked_bots(["chaos"])
    with pytest.raises(BadFunction, match="no such file"):
        checked_bots(["nowhere.py:ai"])


def test_a_bot_that_changes_the_working_directory_changes_it_for_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("import os\nos.chdir('/')\ndef ai(turn): pass\n")
    monkeypatch.chdir(tmp_path)
    assert checked_bots(["mine.py:ai", "mine.py:ai"]) == ["mine.py:ai", "mine.py:ai"]
    assert Path.cwd() == tmp_path


def test_a_reference_bot_with_options() -> None:
    assert read_reference_bot("random") == ("random", {})
    assert read_reference_bot("minimax,depth=4,search=plain,time-ms=9") == (
        "minimax",
        {"depth": 4, "search": "plain", "time_ms": 9},
    )
    with pytest.raises(CliError, match="'depth' is not an option of minimax"):
        read_reference_bot("minimax,depth")


@pytest.mark.parametrize(("bot", "name"), [("random", "random"), ("my.py:ai", "ai"), ("a/b.py:_hidden_", "hidden")])
def test_the_name_of_a_bot_by_default(bot: str, name: str) -> None:
    assert own_name(bot) == name


@pytest.mark.parametrize(
    ("program", "name"),
    [("/usr/games/stockfish", "stockfish"), ("./_my bot.py", "mybot"), ("é", "program"), ("x" * 40, "x" * 32)],
)
def test_the_name_of_a_program(program: str, name: str) -> None:
    assert as_bot_name(Path(program).stem, "program") == name


def test_the_option_house() -> None:
    assert read_house(DEFAULT_HOUSE) == ("random", "heuristic", "minimax", "perfect", "mcts")
    assert read_house("none") == ()
    with pytest.raises(CliError, match="unknown bot 'chaos'"):
        read_house("random,chaos")
