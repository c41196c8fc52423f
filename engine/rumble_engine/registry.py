"""Which games are installed. A package adds its own by the entry-point group `rumble.games`:

    [project.entry-points."rumble.games"]
    mygame = "my_package:GAME"        # an instance of a subclass of rumble_engine.Game
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rumble_engine.errors import EngineError, UnknownGame
from rumble_engine.game import Game

GROUP = "rumble.games"


@cache
def _found() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def game_names() -> list[str]:
    """The names of the installed games, sorted."""
    return list(_found())


@cache
def get_game(name: str) -> Game:
    """The game called `name`. Raises UnknownGame, or EngineError where its package is broken."""
    entry = _found().get(name)
    if entry is None:
        raise UnknownGame(f"unknown game {name!r}; installed: {', '.join(game_names())}")
    game = entry.load()
    if not isinstance(game, Game) or game.name != name:
        raise EngineError(f"the entry point {GROUP}:{name} ({entry.value}) is not a game called {name!r}")
    return game
