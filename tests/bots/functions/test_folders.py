import sys
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from rumble_bots.functions.folders import BotFolders
from rumble_bots.functions.local import FunctionBot
from rumble_engine import get_game

START = get_game("tictactoe").initial()


def write(folder: Path, **sources: str) -> Path:
    folder.mkdir(parents=True)
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def answers(folders: list[Path]) -> list[str]:
    """Load a bot from each folder, and return the answers of the bots, each asked twice, in turn."""
    bots = [FunctionBot(Random(0), text=f"{folder / 'mine.py'}:ai", game="tictactoe") for folder in folders]
    return [bot.choose(START).move for bot in (*bots, *bots)]


@pytest.mark.parametrize("source", ["import helper\ndef ai(turn):", "def ai(turn):\n    import helper"])
def test_bots_of_two_folders_import_different_modules_of_one_name(tmp_path: Path, source: str) -> None:
    folders = [write(tmp_path / square, mine=f"{source}\n    return helper.MOVE") for square in "26"]
    for folder in folders:
        write(folder / "helper", __init__="from helper.moves import MOVE", moves=f"MOVE = '{folder.name}'")
    assert answers(folders) == ["2", "6", "2", "6"]


def test_a_class_is_found_in_its_module_after_another_file_of_the_name_was_loaded(tmp_path: Path) -> None:
    source = "import pickle\nclass Move:\n    to = '{}'\ndef ai(turn): return pickle.loads(pickle.dumps(Move())).to"
    folders = [write(tmp_path / square, mine=source.format(square)) for square in "26"]
    assert answers(folders) == ["2", "6", "2", "6"]


def test_a_bot_that_changes_its_working_directory_still_imports_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path / "bot",
        helper="MOVE = '4'",
        mine="import os\nos.chdir('/')\ndef ai(turn):\n    import helper\n    return helper.MOVE",
    )
    monkeypatch.chdir(tmp_path)
    assert answers([Path("bot")]) == ["4", "4"]


def test_only_modules_that_a_bot_imported_from_its_folder_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other modules may be ones that Python cannot import twice: compiled ones in a `venv` below the folder."""
    first = write(tmp_path / "first", a_common_module="", a_module_of_the_bot="")
    second = write(tmp_path / "second", a_module_of_the_bot="")
    venv = write(first / "venv", a_compiled_module="")
    for name in ("a_common_module", "a_compiled_module", "a_module_of_the_bot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [str(first), str(venv), *sys.path])
    common = import_module("a_common_module")
    sys.path.remove(str(first))
    folders = BotFolders()
    folders.enter(first)
    compiled, own = import_module("a_compiled_module"), import_module("a_module_of_the_bot")
    folders.enter(second)
    assert (sys.modules["a_common_module"], sys.modules["a_compiled_module"]) == (common, compiled)
    assert import_module("a_module_of_the_bot").__file__ == str(second / "a_module_of_the_bot.py")
    folders.enter(first)
    assert import_module("a_module_of_the_bot") is own
