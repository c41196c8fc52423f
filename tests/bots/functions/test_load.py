import sys
from pathlib import Path

import pytest
from rumble_bots import BadFunction, Bot, Turn, load_bot
from rumble_bots.functions.load import as_bot, is_function
from rumble_protocol import server_messages as server

from tests.bots.sdk import says


def asked(frame: str) -> Turn:
    return Turn.of(says.read(server.Turn, frame), None, lambda: 0.0)


HEATON = asked(says.turn(board="XO..O.X..", moves=("0", "1", "6", "4")))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def write(file: Path, text: str) -> str:
    file.write_text(text)
    return str(file)


def test_a_function_of_board_and_player(file: Path) -> None:
    path = write(
        file,
        "def ai(board, player):\n"
        "    assert board == [['X', 'O', None], [None, 'O', None], ['X', None, None]] and player == 'X'\n"
        "    board[0][0] = 'spoilt'\n"
        "    return (1, 0)\n",
    )
    bot = load_bot(f"{path}:ai")
    assert bot.choose(HEATON) == "3"
    assert bot.choose(HEATON) == "3", "each turn has a fresh board"
    assert bot.games == ("tictactoe", "connect4")


def test_the_second_seat_plays_o(file: Path) -> None:
    bot = load_bot(write(file, "def ai(board, player): return player") + ":ai")
    assert bot.choose(asked(says.turn(board="X........", moves=("0",)))) == "O"


def test_a_function_of_a_turn(file: Path) -> None:
    bot = load_bot(write(file, "def ai(turn, depth=3): return turn.legal[-1]") + ":ai")
    assert bot.choose(HEATON) == "8"
    assert bot.games is None


def test_a_function_of_board_and_player_is_asked_about_no_other_game(file: Path) -> None:
    bot = load_bot(write(file, "def ai(board, player): return 1") + ":ai")
    with pytest.raises(BadFunction, match="plays Tic-tac-toe and Connect four, not Chess"):
        bot.choose(asked(says.turn(game="chess")))


async def test_an_async_function_of_a_turn(file: Path) -> None:
    answer = load_bot(write(file, "async def ai(turn): return turn.legal[0]") + ":ai").choose(HEATON)
    assert not isinstance(answer, str)
    assert await answer == "2"


def test_a_bot_class_and_a_bot(file: Path) -> None:
    path = write(
        file,
        "from rumble_bots import Bot\nclass Mine(Bot):\n    def choose(self, turn): return 'm'\nmade = Mine()\n"
        "class Needs(Mine):\n    def __init__(self, what): pass\n",
    )
    assert load_bot(f"{path}:Mine").choose(HEATON) == "m"
    assert isinstance(load_bot(f"{path}:made"), Bot)
    with pytest.raises(BadFunction, match="needs 1 arguments to be made"):
        load_bot(f"{path}:Needs")


def test_modules_beside_the_file_can_be_imported(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (file.parent / "beside_mine.py").write_text("MOVE = '5'\n")
    bot = load_bot(write(file, "from beside_mine import MOVE\ndef ai(turn): return MOVE") + ":ai")
    assert bot.choose(HEATON) == "5"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mine.py", "write FILE.py:FUNCTION"),
        ("mine.py:", "write FILE.py:FUNCTION"),
        ("mine:ai", "write FILE.py:FUNCTION"),
        ("nowhere.py:ai", "no such file: nowhere.py"),
    ],
)
def test_a_text_that_names_no_function_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(BadFunction, match=problem):
        load_bot(text)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("", "has no ai"),
        ("ai = 3", "ai is not a function"),
        ("def ai(): pass", "needs 0 arguments; a function takes one argument"),
        ("def ai(a, b, c): pass", "needs 3 arguments"),
        ("def ai(*turns): pass", "needs 0 arguments"),
        ("def ai(turn, *, depth): pass", "needs keyword arguments"),
        ("def ai(:", r"is not Python: .* \(line 1\)"),
        ("1 / 0", r"fails when it is loaded: ZeroDivisionError: division by zero \(mine.py, line 1\)"),
        ("import no_such_module_at_all", "ModuleNotFoundError"),
        ("raise SystemExit('gone')", "SystemExit: gone"),
        ("raise ValueError('two\\nlines')", "ValueError: two lines"),
        (
            "from rumble_bots import Bot\nclass ai(Bot):\n    def __init__(self): 1 / 0",
            r"fails when it is made: ZeroDivisionError: division by zero \(mine.py, line 3, in __init__\)",
        ),
        (
            "from rumble_bots import Bot\nclass ai(Bot):\n    def __init__(self): exit('gone')",
            r"fails when it is made: SystemExit: gone \(mine.py, line 3, in __init__\)",
        ),
    ],
)
def test_files_that_give_no_bot(file: Path, source: str, problem: str) -> None:
    with pytest.raises(BadFunction, match=problem) as raised:
        load_bot(write(file, source) + ":ai")
    assert "\n" not in str(raised.value)


def test_a_callable_that_hides_its_arguments() -> None:
    with pytest.raises(BadFunction, match="the arguments of max are unknown"):
        as_bot(max, "max")


@pytest.mark.parametrize(("text", "yes"), [("a.py:ai", True), ("a.py", True), ("a:ai", True), ("minimax", False)])
def test_is_function(text: str, yes: bool) -> None:
    assert is_function(text) is yes
