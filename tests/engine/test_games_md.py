"""docs/games.md has every game, every setting with its default, and every field of a view."""

import json
import re
from pathlib import Path

import pytest
from rumble_engine import Game

from .shipped import EXTRA, GAMES

PAGE = (Path(__file__).parents[2] / "docs" / "games.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    return re.split(r"^## ", PAGE.partition(f"\n## {name}\n")[2], flags=re.MULTILINE)[0]


@pytest.mark.parametrize("game", [*GAMES, *EXTRA], ids=lambda game: game.name)
def test_each_game_is_told_whole(game: Game) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{game.name}` |"))
    settings = {name: default.strip("`") for name, default in re.findall(r"`(\w+)` \(([^)]*)\)", row)}
    defaults = {setting.name: setting.default for setting in game.settings}
    assert settings == {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in defaults.items()
    }
    about = section(game.name)
    for name in (*defaults, *game.initial().view()):
        assert f"`{name}`" in about
    for setting in game.settings:
        for choice in setting.choices or ():
            assert f"`{choice}`" in about
