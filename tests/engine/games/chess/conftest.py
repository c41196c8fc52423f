"""Chess with each library that makes its moves."""

from importlib import import_module

import pytest
from rumble_engine.games.chess import Chess
from rumble_engine.games.chess.library import Opener


@pytest.fixture(params=["cozy", "python_chess"])
def opener(request: pytest.FixtureRequest) -> Opener:
    """Return a library's function that makes positions; skip the test if the library is not installed."""
    try:
        module = import_module(f"rumble_engine.games.chess.{request.param}")
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    found: Opener = getattr(module, f"open_{request.param}")
    return found


@pytest.fixture
def game(opener: Opener) -> Chess:
    return Chess(opener)
