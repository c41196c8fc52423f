from pathlib import Path
from random import Random

import pytest
from rumble_bots.functions.local import FunctionBot
from rumble_bots.sdk.errors import BadFunction, BotFailed
from rumble_engine import get_game


def local(folder: Path, source: str, game: str = "tictactoe") -> FunctionBot:
    (folder / "mine.py").write_text(source)
    return FunctionBot(Random(0), text=f"{folder / 'mine.py'}:ai", game=game)


START = get_game("tictactoe").initial()


@pytest.mark.parametrize(
    "source",
    [
        "def ai(board, player): return (1, 1)",
        "def ai(turn): return turn.legal[4]",
        "async def ai(turn): return str(turn.position.to_move + 4)",
        "def ai(turn): return '4' if turn.think_ms > 0 else 'no time'",
    ],
)
def test_any_kind_of_function_plays(tmp_path: Path, source: str) -> None:
    assert local(tmp_path, source).choose(START).move == "4"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def ai(turn): return 1 / 0", r"mine\.py:ai failed: ZeroDivisionError: .* \(mine\.py, line 1, in ai\)"),
        ("def ai(turn): return 9", r"mine\.py:ai answered no legal move: '9' is not a move"),
        ("def ai(turn): return None", r"answered no legal move: 'None'"),
        (
            "import asyncio\nasync def ai(turn): raise asyncio.CancelledError",
            r"failed: CancelledError \(mine\.py, line 2, in ai\)",
        ),
    ],
)
def test_a_fault_of_a_function_is_told_with_its_kind(tmp_path: Path, source: str, problem: str) -> None:
    with pytest.raises(BotFailed, match=problem):
        local(tmp_path, source).choose(START)


def test_connect4_answers_a_column(tmp_path: Path) -> None:
    asked = local(tmp_path, "def ai(board, player): return len(board)", game="connect4")
    assert asked.choose(get_game("connect4").initial()).move == "g"


def test_no_such_function(tmp_path: Path) -> None:
    with pytest.raises(BadFunction, match="has no ai"):
        local(tmp_path, "")
