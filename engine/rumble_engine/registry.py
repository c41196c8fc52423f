"""The installed games. A package adds a game by the entry-point group `rumble.games`:

    [project.entry-points."rumble.games"]
    mygame = "my_package:GAME"        # an instance of a subclass of rumble_engine.Game

An entry point may also name a `GameFamily`. The entry point then has the family's name, and the games are called
`family:name`.

If the library of a game is an optional extra, the import without this extra raises MissingExtra. `game_names` then
leaves the game out, `missing_games` names the extra to install, and `get_game` raises the same error. `game_names`
also leaves out a game if its package is broken, or if the game fails at the first position. `broken_games` then has the
reason.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rumble_engine.errors import EngineError, MissingExtra, NotListed, UnknownGame
from rumble_engine.game import Game, GameFamily

GROUP = "rumble.games"


@cache
def entries() -> dict[str, EntryPoint]:
    """Return the entry points of all installed games and families, by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def game_names() -> list[str]:
    """Return the sorted names of the games that can be played here, without the games of families."""
    return [name for name, found in _installed().items() if isinstance(found, Game)]


def missing_games() -> dict[str, str]:
    """Return a text for each game or family whose extra is not installed, by name. The text names the extra."""
    return {name: str(found) for name, found in _installed().items() if isinstance(found, MissingExtra)}


def broken_games() -> dict[str, str]:
    """Return a reason for each game or family that cannot be used: a line, keyed by the name of the entry point."""
    errors = {name: found for name, found in _installed().items() if isinstance(found, EngineError)}
    return {name: str(error) for name, error in errors.items() if not isinstance(error, MissingExtra)}


def game_families() -> dict[str, GameFamily]:
    """Return the installed families of games by name. `get_game` finds their games as `family:name`."""
    return {name: found for name, found in _installed().items() if isinstance(found, GameFamily)}


@cache
def get_game(name: str) -> Game:
    """Return the game called `name`. Raises UnknownGame, MissingExtra, or EngineError for a broken package."""
    family, colon, _ = name.partition(":")
    entry = entries().get(family if colon else name)
    if entry is None:
        raise UnknownGame(f"unknown game {name!r}; installed: {', '.join(game_names())}")
    loaded = _load(entry)
    if not isinstance(loaded, GameFamily):
        return _called(name, loaded, entry)
    if not colon:
        raise UnknownGame(f"{name!r} is a family of games; write one as {name}:{loaded.example}")
    with _blaming(entry, "fails"):
        game = loaded.game(name)
    return _called(name, game, entry)


def game_title(name: str) -> str:
    """Return the title of a game, or its name if it cannot be played here."""
    try:
        return get_game(name).title
    except EngineError:
        return name


def _load(entry: EntryPoint) -> Game | GameFamily:
    """Load the game or family of an entry point. Raises MissingExtra, or EngineError for a broken package."""
    with _blaming(entry, "cannot be loaded"):
        loaded = entry.load()
    return loaded if isinstance(loaded, GameFamily) else _called(entry.name, loaded, entry)


def _called(name: str, loaded: object, entry: EntryPoint) -> Game:
    """Return `loaded` if it is a game called `name`, and the first position of the game can be made.

    Otherwise raises EngineError.
    """
    if not isinstance(loaded, Game) or loaded.name != name:
        raise EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) is not a game called {name!r}")
    with _blaming(entry, "fails at the first position"):
        loaded.describe()
        first = loaded.initial()
        first.view()
        with suppress(NotListed):  # chance may begin, with too many outcomes
            first.legal_moves  # noqa: B018  # a property that asks the game
    return loaded


@contextmanager
def _blaming(entry: EntryPoint, what: str) -> Iterator[None]:
    """Turn an error of a game's package into an EngineError that names the package."""
    try:
        yield
    except (MissingExtra, UnknownGame):
        raise
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        raise EngineError(f"the entry point {GROUP}:{entry.name} ({entry.value}) {what}: {text}") from error


def _installed() -> dict[str, Game | GameFamily | EngineError]:
    """Return what each entry point gives, by name: a game, a family, or the error for which neither can be used."""
    return _load_all(tuple(entries().values()))


@cache
def _load_all(entries: tuple[EntryPoint, ...]) -> dict[str, Game | GameFamily | EngineError]:
    installed: dict[str, Game | GameFamily | EngineError] = {}
    for entry in entries:
        try:
            installed[entry.name] = _load(entry)
        except EngineError as error:
            installed[entry.name] = error.with_traceback(None)
    return installed
