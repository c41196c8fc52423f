"""The installed games. A package adds its own by the entry-point group `rumble.games`:

    [project.entry-points."rumble.games"]
    mygame = "my_package:GAME"        # an instance of a subclass of rumble_engine.Game

An entry point may also name a `GameFamily`, under the family's name: its games are called `family:name`.

A game whose library is an optional extra raises MissingExtra when it is imported without the extra: `game_names`
leaves it out, `missing_games` has the extra that it needs, and `get_game` raises the same error.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rumble_engine.errors import EngineError, MissingExtra, UnknownGame
from rumble_engine.game import Game, GameFamily

GROUP = "rumble.games"


@cache
def entries() -> dict[str, EntryPoint]:
    """Return the entry points of the games and families that are installed, by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def game_names() -> list[str]:
    """Return the names of the games that can be played here, sorted; without those of families, which may be many."""
    return list(_sorted(tuple(entries().values()))[0])


def missing_games() -> dict[str, str]:
    """Return the games and families whose extra is not installed, each with the text that says what to install."""
    return dict(_sorted(tuple(entries().values()))[1])


def game_families() -> dict[str, GameFamily]:
    """Return the families whose games `get_game` finds as `family:name`."""
    return dict(_sorted(tuple(entries().values()))[2])


@cache
def get_game(name: str) -> Game:
    """Return the game called `name`. Raises UnknownGame, MissingExtra, and EngineError where its package is broken."""
    family, colon, _ = name.partition(":")
    entry = entries().get(family if colon else name)
    if entry is None:
        raise UnknownGame(f"unknown game {name!r}; installed: {', '.join(game_names())}")
    game = _load(entry)
    if isinstance(game, GameFamily):
        if not colon:
            raise UnknownGame(f"{name!r} is a family of games; write one as {name}:{game.example}")
        game = game.game(name)
    if not isinstance(game, Game) or game.name != name:
        raise EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) is not a game called {name!r}")
    return game


def game_title(name: str) -> str:
    """Return what people call a game; its name where it cannot be played here."""
    try:
        return get_game(name).title
    except EngineError:
        return name


def _load(entry: EntryPoint) -> object:
    """Load the object that an entry point names. Raises EngineError, of which MissingExtra is one."""
    try:
        return entry.load()
    except EngineError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        raise EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) cannot be loaded: {what}") from error


@cache
def _sorted(entries: tuple[EntryPoint, ...]) -> tuple[tuple[str, ...], dict[str, str], dict[str, GameFamily]]:
    """Return the games (with the broken ones, for which `get_game` raises), the missing ones, and the families."""
    names, missing, families = [], {}, {}
    for entry in entries:
        try:
            loaded = _load(entry)
        except MissingExtra as error:
            missing[entry.name] = str(error)
            continue
        except EngineError:
            loaded = None
        if isinstance(loaded, GameFamily):
            families[entry.name] = loaded
        else:
            names.append(entry.name)
    return tuple(names), missing, families
