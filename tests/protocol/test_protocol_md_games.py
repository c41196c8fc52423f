"""PROTOCOL.md describes every game: settings, state, notation, and an example that the engine plays."""

import json
import re
import tomllib
from random import Random
from typing import Any

import pytest
from rumble_bots.search.plies import random_ply
from rumble_engine import Game, State, get_game

from tests.docs_blocks import ROOT, blocks
from tests.protocol.protocol_md import PATH, rows, section

EXAMPLES = {
    block.marker.removeprefix("game: "): json.loads(block.text)
    for block in blocks(PATH)
    if block.marker.startswith("game: ")
}
POINTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
EXTRA = {"poker"}
"""Games that come with an extra, which may be missing. docs/games.md tells them."""
OURS = sorted(name for name, point in POINTS["rumble.games"].items() if point.endswith(":GAME") and name not in EXTRA)
TYPES = {"text": str, "integer": int, "true or false": bool}

each_game = pytest.mark.parametrize("game", [get_game(name) for name in OURS], ids=OURS)


def test_every_game_of_ours_is_told() -> None:
    assert sorted(EXAMPLES) == OURS


def tables(game: Game) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of the settings table, and of the state table."""
    text = section(f"### `{game.name}`")
    parts = re.split(r"^\| state \|.*$", text, flags=re.MULTILINE)
    assert len(parts) == 2
    return rows(parts[0]), rows("| state |\n" + parts[1])


@each_game
def test_the_settings_of_each_game_are_the_engine_s(game: Game) -> None:
    settings, _ = tables(game)
    assert [row[0].strip("`") for row in settings] == [setting.name for setting in game.settings]
    for row, setting in zip(settings, game.settings, strict=True):
        default = row[1].strip("`")
        assert default == (setting.default if isinstance(setting.default, str) else json.dumps(setting.default))
        if isinstance(setting.default, bool):
            assert row[2] == "`true`, `false`"
        elif setting.choices:
            assert row[2] == ", ".join(f"`{choice}`" for choice in setting.choices)
        else:
            assert row[2] == f"{setting.minimum} to {setting.maximum}"


@each_game
def test_the_fields_of_each_state_are_the_engine_s(game: Game) -> None:
    _, fields = tables(game)
    kinds: dict[str, str] = {}
    for names, kind, _meaning in fields:
        for name in re.findall(r"`(\w+)`", names):
            kinds[name] = kind if "," not in names else kind.removesuffix("s")
    for state in played(game):
        view = state.view(0)
        assert list(view) == list(kinds)
        types = {name: list if kinds[name].startswith("list of ") else TYPES[kinds[name]] for name in view}
        assert {name: type(value) for name, value in view.items()} == types


@each_game
def test_moves_of_each_game_match_the_notation_of_the_page(game: Game) -> None:
    (notation,) = re.findall(r"`(\^\S+\$)`", section(f"### `{game.name}`"))
    for state in played(game):
        moves = [state.text_for(seat, code) for seat in state.movers for code in state.codes_for(seat)]
        assert [move for move in moves if not re.match(notation, move)] == []


@each_game
def test_the_example_of_each_game_is_as_the_engine_plays(game: Game) -> None:
    example: dict[str, Any] = EXAMPLES[game.name]
    state = game.initial(example["settings"])
    for move in example["moves"]:
        state = state.play(move)
    assert state.view(0) == example["state"]
    codes = state.codes_for(0) if 0 in state.movers else ()
    assert (list(state.legal_moves) if game.in_turn else [state.text_for(0, code) for code in codes]) == example[
        "legal"
    ]


@each_game
def test_each_example_has_its_board_drawn(game: Game) -> None:
    drawings = [block.text for block in blocks(PATH) if block.language == "text"]
    view = EXAMPLES[game.name]["state"]
    if "board" not in view:
        assert f"{game.diagram(view)}\n" in drawings
        return
    board = view["board"]
    shown = {re.sub(r"[^A-Za-z.]", "", re.sub(r"[a-l ]+$", "", drawing.strip())): drawing for drawing in drawings}
    assert game.name in {"chess", "checkers"} or board in shown


def test_the_squares_of_checkers_are_numbered_as_told() -> None:
    (drawing,) = (block.text for block in blocks(PATH) if "29    30" in block.text)
    numbers = [int(number) for number in drawing.split()]
    assert numbers == list(range(1, 33))
    game = get_game("checkers")
    board = game.initial().view(0)["board"]
    after = game.initial().play("11-15").view(0)["board"]
    changed = {index for index in range(64) if board[index] != after[index]}
    assert changed == {index_of(11), index_of(15)}


def index_of(number: int) -> int:
    """Compute the index by the formula in PROTOCOL.md."""
    row = (number - 1) // 4
    return row * 8 + 2 * ((number - 1) % 4) + (1 if row % 2 == 0 else 0)


def played(game: Game) -> list[State]:
    """Return the states of a few random matches, one of them on the largest board."""
    largest = {
        setting.name: setting.maximum for setting in game.settings if setting.name in ("columns", "rows", "size")
    }
    states: list[State] = []
    for seed, settings in enumerate(({}, largest, {})):
        chance = Random(seed)
        state = game.initial(settings)
        while state.outcome is None and len(states) < 400:
            states.append(state)
            state = random_ply(state, chance)
    return states
