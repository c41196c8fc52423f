"""Installed games are found by their entry points."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest
from rumble_engine import EngineError, UnknownGame, registry
from rumble_engine.registry import game_names, get_game


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two broken packages besides tic-tac-toe."""
    found = {
        "broken": EntryPoint("broken", "rumble_engine:Game", registry.GROUP),
        "renamed": EntryPoint("renamed", "rumble_engine.games.tictactoe:GAME", registry.GROUP),
        "tictactoe": EntryPoint("tictactoe", "rumble_engine.games.tictactoe:GAME", registry.GROUP),
    }
    monkeypatch.setattr(registry, "_found", lambda: found)
    get_game.cache_clear()
    yield
    get_game.cache_clear()


def test_our_games_are_installed() -> None:
    assert {"connect4", "tictactoe"} <= set(game_names())
    assert game_names() == sorted(game_names())
    assert get_game("connect4") is get_game("connect4")


def test_each_installed_game_answers_to_its_name() -> None:
    for name in game_names():
        assert get_game(name).name == name


@pytest.mark.usefixtures("installed")
def test_an_unknown_game_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match="unknown game 'go'; installed: broken, renamed, tictactoe"):
        get_game("go")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["broken", "renamed"])
def test_a_package_that_is_no_such_game_is_told(name: str) -> None:
    with pytest.raises(EngineError, match=f"the entry point rumble.games:{name} .* is not a game called '{name}'"):
        get_game(name)
