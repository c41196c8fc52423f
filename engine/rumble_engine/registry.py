"""The installed games. A package adds its own by the entry-point group `rumble.games`:

    [project.entry-points."rumble.games"]
    mygame = "my_package:GAME"        # an instance of a subclass of rumble_engine.Game

An entry point may also name a `GameFamily`, under the family's name: its games are called `family:name`.

A game whose library is an optional extra raises MissingExtra when it is imported without the extra: `game_names`
leaves it out, `missing_games` has the extra that it needs, and `get_game` raises the same error. A game whose package
is broken is left out, too: `broken_games` says what is wrong with it.
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


def broken_games() -> dict[str, str]:
    """Return the games and families whose package fails or is no such game, each with a line that tells why."""
    return dict(_sorted(tuple(entries().values()))[3])


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
    loaded = _load(entry)
    if isinstance(loaded, GameFamily) and not colon:
        raise UnknownGame(f"{name!r} is a family of games; write one as {name}:{loaded.example}")
    game = loaded.game(name) if isinstance(loaded, GameFamily) else loaded
    if game.name != name:
        raise _not_called(entry, name)
    return game


def game_title(name: str) -> str:
    """Return what people call a game; its name where it cannot be played here."""
    try:
        return get_game(name).title
    except EngineError:
        return name


def _load(entry: EntryPoint) -> Game | GameFamily:
    """Load the game or family of an entry point. Raises EngineError, of which MissingExtra is one."""
    try:
        loaded = entry.load()
    except EngineError:
        raise
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        raise EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) cannot be loaded: {what}") from error
    if isinstance(loaded, GameFamily) or (isinstance(loaded, Game) and loaded.name == entry.name):
        return loaded
    raise _not_called(entry, entry.name)


def _not_called(entry: EntryPoint, name: str) -> EngineError:
    return EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) is not a game called {name!r}")


@cache
def _sorted(
    entries: tuple[EntryPoint, ...],
) -> tuple[tuple[str, ...], dict[str, str], dict[str, GameFamily], dict[str, str]]:
    """Return the games, those whose extra is missing, the families, and those that are broken."""
    names, missing, families, broken = [], {}, {}, {}
    for entry in entries:
        try:
            loaded = _load(entry)
        except MissingExtra as error:
            missing[entry.name] = str(error)
        except EngineError as error:
            broken[entry.name] = str(error)
        else:
            if isinstance(loaded, GameFamily):
                families[entry.name] = loaded
            else:
                names.append(entry.name)
    return tuple(names), missing, families, broken
