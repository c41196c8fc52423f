"""The Python side of a worker in the browser, run here: code with its errors and output, and trials of a draft."""

import json
from typing import Any

import pytest
from rumble_browser.worker import MOST_LINES, Worker
from rumble_engine import game_names, get_game

FIRST = "def choose(turn):\n    return turn.legal[0]\n"


class Page:
    """A page that asks a worker."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.worker = Worker(lambda text: self.messages.append(json.loads(text)))

    async def ask(self, do: str, **asked: Any) -> Any:
        return json.loads(await self.worker.handle(json.dumps({"do": do, **asked})))

    async def play(self, game: str, seat: int, bot: str) -> Any:
        """Play a trial with the first legal moves, and return the plies and the end."""
        answer = await self.ask("start", game=game, settings={}, seat=seat, bot=bot)
        plies = list(answer.get("plies", ()))
        while "turn" in answer:
            answer = await self.ask("move", move=(await self.ask("turn", turn=answer["turn"]))["move"])
            plies += answer["plies"]
        return plies, answer


@pytest.fixture
def page() -> Page:
    return Page()


async def turn_of(page: Page, source: str, **asked: Any) -> Any:
    loaded = await page.ask("load", source=source)
    assert "error" not in loaded, loaded
    return await page.ask("turn", turn={"legal": ["4", "5"]}, **asked)


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        ("tictactoe", "heuristic"),
        ("connect4", "random"),
        ("dilemma", "heuristic"),
        ("snakes", "random"),
        ("backgammon", "heuristic"),
        ("liars-dice", "random"),
    ],
)
async def test_a_trial_has_every_ply_and_an_end(page: Page, game: str, bot: str) -> None:
    await page.ask("load", source=FIRST)
    plies, answer = await page.play(game, 1, bot)
    assert plies[0]["text"] == ""
    assert {"scores", "reason"} == set(answer["over"])
    assert all(ply["drawing"] or ply["diagram"] or get_game(game).hides for ply in plies)


async def test_every_game_here_can_be_begun(page: Page) -> None:
    for game in game_names():
        if ":" not in game:
            answer = await page.ask("start", game=game, settings={}, seat=0, bot="random")
            assert "turn" in answer, (game, answer)


async def test_the_draft_has_its_seat_and_sees_the_moves(page: Page) -> None:
    answer = await page.ask("start", game="tictactoe", settings={}, seat=1, bot="random")
    assert answer["turn"]["seat"] == answer["turn"]["ply"] == len(answer["turn"]["moves"]) == 1
    assert [ply["seat"] for ply in answer["plies"]] == [None, 0]


async def test_an_illegal_move_is_refused(page: Page) -> None:
    await page.ask("start", game="tictactoe", settings={}, seat=0, bot="random")
    assert "9" in (await page.ask("move", move="9"))["refused"]


async def test_a_game_that_is_not_here_is_refused(page: Page) -> None:
    assert "nim" in (await page.ask("start", game="nim", settings={}, seat=0, bot="random"))["refused"]


@pytest.mark.parametrize(
    ("source", "error", "line"),
    [
        ("def choose(turn):\n  return 1 +\n", "SyntaxError: invalid syntax", 2),
        ("import nothing_here\n", "ModuleNotFoundError: No module named 'nothing_here'", 1),
        ("def ai(turn):\n  pass\n", "TypeError: the code has no function choose(turn)", None),
        ("raise SystemExit(3)\n", "SystemExit: 3", 1),
    ],
)
async def test_code_that_cannot_be_loaded_has_an_error_with_its_line(
    page: Page, source: str, error: str, line: int | None
) -> None:
    answer = await page.ask("load", source=source)
    assert (answer["error"], answer["line"]) == (error, line)


async def test_an_error_of_a_turn_has_the_innermost_line_of_the_code(page: Page) -> None:
    answer = await turn_of(page, "def deep():\n    return [][1]\ndef choose(turn):\n    return deep()\n")
    assert (answer["error"], answer["line"]) == ("IndexError: list index out of range", 2)


async def test_an_answer_that_is_no_text_is_an_error(page: Page) -> None:
    assert "returned 4" in (await turn_of(page, "def choose(turn):\n    return 4\n"))["error"]


async def test_the_turn_has_attributes_and_items_and_the_function_may_be_async(page: Page) -> None:
    answer = await turn_of(page, "async def choose(turn):\n    return turn.legal[1] if turn['legal'] else ''\n")
    assert answer["move"] == "5"
    missing = await turn_of(page, "def choose(turn):\n    return turn.nothing\n")
    assert missing["error"] == "AttributeError: a turn has no 'nothing'"


@pytest.mark.parametrize("excuse", ["Exception", "BaseException"])
async def test_an_endless_loop_is_ended_at_its_line(page: Page, excuse: str) -> None:
    source = (
        f"def choose(turn):\n    try:\n        while True:\n            pass\n    except {excuse}:\n        raise\n"
    )
    answer = await turn_of(page, source, within_ms=20)
    assert answer["error"] == "the code did not end"
    assert page.messages[0]["endless"] in (3, 4)
    assert answer["line"] in (3, 4)


async def test_output_is_cut_and_the_rest_is_counted(page: Page) -> None:
    answer = await turn_of(page, "def choose(turn):\n    for n in range(20_000): print(n)\n    return '4'\n")
    lines = answer["output"].splitlines()
    assert lines[:2] == ["0", "1"]
    assert (len(lines), lines[-1]) == (MOST_LINES + 1, "and 19,800 more")
    assert (await page.ask("turn", turn={"legal": []}))["output"] != ""
    assert (await page.ask("load", source=FIRST))["output"] == ""


async def test_a_log_that_is_set_up_at_the_loading_is_shown_at_each_turn(page: Page) -> None:
    source = "import sys\nlog = sys.stderr\ndef choose(turn):\n    log.write('thinking')\n    return '4'\n"
    assert (await turn_of(page, source))["output"] == "thinking"


async def test_long_lines_are_cut_too(page: Page) -> None:
    answer = await turn_of(page, "def choose(turn):\n    print('x' * 20_000)\n    return '4'\n")
    assert answer["output"] == "and 1 more\n"
