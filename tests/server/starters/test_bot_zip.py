"""The files of a bot's zip, and what is in them."""

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from rumble_server.starters.bot_zip import Kept, bot_zip
from rumble_server.starters.starter import STARTERS, Language

KEPT = Kept("192.0.2.1:8765", "friday", "anna", "rumble_key", "connect4")
TURN = {"game": "connect4", "legal": ["1", "ü"]}
ALL = pytest.mark.parametrize("language", Language)


def opened(language: Language, kept: Kept = KEPT) -> ZipFile:
    archive = ZipFile(BytesIO(bot_zip(language, kept, TURN)))
    assert archive.testzip() is None
    return archive


@ALL
def test_a_zip_has_the_starter_with_key_and_turn(language: Language) -> None:
    archive = opened(language)
    names = {name.removeprefix("bot/") for name in archive.namelist()}
    own = {*STARTERS[language].sources, "run.sh", "run.command", "key.json", "turn.json", "README.txt"}
    own |= set() if language is Language.SHELL else {"run.bat"}
    assert {name for name in names if "/" not in name} == own
    assert all(name.startswith("bot/") for name in archive.namelist())
    where = {"server": "192.0.2.1:8765", "tournament": "friday", "game": "connect4"}
    assert json.loads(archive.read("bot/key.json")) == {**where, "name": "anna", "key": "rumble_key"}
    assert json.loads(archive.read("bot/turn.json")) == TURN
    folder, strategy = STARTERS[language].folder, STARTERS[language].strategy
    assert archive.read(f"bot/{strategy}") == (folder / strategy).read_bytes()


@ALL
def test_scripts_of_a_zip_can_be_executed_and_its_key_is_the_owner_s_alone(language: Language) -> None:
    modes = {info.filename.removeprefix("bot/"): info.external_attr >> 16 for info in opened(language).infolist()}
    assert {name for name, mode in modes.items() if mode & 0o111} == {"run.sh", "run.command"}
    assert modes["run.sh"] == 0o100755
    assert modes["key.json"] == 0o100600


@ALL
def test_the_readme_of_a_zip_has_ten_lines_and_says_not_to_hand_the_key_on(language: Language) -> None:
    readme = opened(language).read("bot/README.txt").decode()
    assert len(readme.splitlines()) == 10
    assert readme.startswith(f"anna: a bot in {language} for friday at 192.0.2.1:8765\n")
    assert "Do not hand key.json on" in readme
    assert STARTERS[language].strategy in readme


def test_two_bots_have_nothing_of_each_other() -> None:
    opened(Language.GO)
    other = opened(Language.GO, Kept("192.0.2.1:8765", None, "bob", "other"))
    assert json.loads(other.read("bot/key.json")) == {"server": "192.0.2.1:8765", "name": "bob", "key": "other"}
    assert len(other.namelist()) == len(set(other.namelist()))


def test_python_has_all_that_it_imports(tmp_path: Path) -> None:
    opened(Language.PYTHON).extractall(tmp_path)
    asked = "import bot, sys, websockets; print(websockets.__file__, 'websockets.speedups' in sys.modules)"
    folder = tmp_path / "bot"
    done = subprocess.run([sys.executable, "-S", "-c", asked], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(folder / "websockets" / "__init__.py"), "False"]
    assert "Copyright" in (folder / "websockets" / "LICENSE").read_text()
