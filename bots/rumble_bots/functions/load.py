"""Loading a Python function as a bot, from a text `FILE.py:FUNCTION`.

The number of required arguments decides how the function is called:
- One argument: a `Turn`. The function returns the text of a move, like `Bot.choose`, and may be `async`.
- Two arguments: `board, player`, only in tictactoe and connect4 (see `boards`).

In place of a function, the file may have an instance of `Bot`, or a subclass of `Bot`. The constructor of the subclass
must have no required arguments.
"""

import importlib.util
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from rumble_engine.registry import game_title

from rumble_bots.functions.boards import BOARD_GAMES
from rumble_bots.functions.folders import BOT_FOLDERS, MODULE_PREFIX
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.choosing import in_a_line
from rumble_bots.sdk.errors import BadFunction

KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
RULE = "a function takes one argument (a Turn) or two (board, player)"


class TurnFunction(Bot):
    """A bot that gets its moves from a function with one argument, a `Turn`."""

    def __init__(self, function: Callable[[Turn], str | Awaitable[str]]) -> None:
        self.function = function

    def choose(self, turn: Turn) -> str | Awaitable[str]:
        return self.function(turn)


class BoardFunction(Bot):
    """A bot that gets its moves from a function with two arguments, `board` and `player`."""

    games = tuple(BOARD_GAMES)

    def __init__(self, function: Callable[[Any, str], Any]) -> None:
        self.function = function

    def choose(self, turn: Turn) -> str:
        """Call the function with a new board. Raises BadFunction in a game other than tictactoe and connect4."""
        game = BOARD_GAMES.get(turn.game)
        if game is None:
            plays = " and ".join(map(game_title, BOARD_GAMES))
            raise BadFunction(f"a function of board and player plays {plays}, not {game_title(turn.game)}")
        answer = self.function(game.board(turn.state), "XO"[turn.seat])
        return game.move(answer, turn.state)


def is_function(text: str) -> bool:
    """Return true if `text` has the form FILE.py:FUNCTION, and false if `text` is the name of a reference bot."""
    return ":" in text or text.endswith(".py")


def load_bot(text: str, place: Path | None = None) -> Bot:
    """Load the bot that `text` names as `FILE.py:FUNCTION`. Raises BadFunction.

    A function of one argument gets a `Turn`, and returns a move. A function of two arguments gets `board, player`, only
    in tictactoe and connect4. FUNCTION may also be the name of a subclass or an instance of `Bot`.

    `place` is the absolute path of FILE.py, if the working directory may have changed since the user wrote `text`.

    FILE.py can import modules from its folder. After `load_bot` has loaded a bot from another folder, only modules that
    were imported before can be used.
    """
    file, colon, function = text.rpartition(":")
    if not colon or not function or not file.endswith(".py"):
        raise BadFunction(f"{text!r} does not say which function of which file: write FILE.py:FUNCTION")
    found = getattr(_load_module(Path(file), place or Path(file)), function, None)
    if found is None:
        raise BadFunction(f"{file} has no {function}")
    return as_bot(found, text)


def load_file(file: Path, place: Path) -> Bot:
    """Load the bot of a file: its function `choose` or `ai`, or else its only function or subclass of `Bot`.

    Imported functions, and functions whose names begin with `_`, do not count. `place` is the absolute path of the
    file. Raises BadFunction, whose text names `file`.
    """
    module = _load_module(file, place)
    own = {
        name: found
        for name, found in vars(module).items()
        if callable(found) and not name.startswith("_") and getattr(found, "__module__", None) == module.__name__
    }
    found = own.get("choose") or own.get("ai") or (next(iter(own.values())) if len(own) == 1 else None)
    if found is None:
        raise BadFunction(f"{file} has {len(own)} functions, and none is called choose or ai")
    return as_bot(found, str(file))


def as_bot(found: object, label: str) -> Bot:
    """Make a bot from a function, a subclass of `Bot`, or a `Bot`. Raises BadFunction, whose text names `label`."""
    if isinstance(found, Bot):
        return found
    if not callable(found):
        raise BadFunction(f"{label} is not a function")
    needed = _needed(found, label)
    if isinstance(found, type) and issubclass(found, Bot):
        if needed:
            raise BadFunction(f"{label} needs {needed} arguments to be made; a Bot class named here needs none")
        try:
            return found()
        except (Exception, SystemExit) as error:
            raise BadFunction(f"{label} fails when it is made: {in_a_line(error)}") from error
    function: Callable[..., Any] = found
    if needed == 1:
        return TurnFunction(function)
    if needed == 2:
        return BoardFunction(function)
    raise BadFunction(f"{label} needs {needed} arguments; {RULE}")


def _needed(function: Callable[..., Any], label: str) -> int:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise BadFunction(f"the arguments of {label} are unknown; {RULE}") from error
    needed = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if any(parameter.kind not in KINDS for parameter in needed):
        raise BadFunction(f"{label} needs keyword arguments; {RULE}")
    return len(needed)


def _load_module(file: Path, place: Path) -> ModuleType:
    """Enter the folder of the file at `place`, and load the file as a module. Errors name `file`.

    The module can import modules from the folder.
    """
    if not place.is_file():
        raise BadFunction(f"no such file: {file}")
    name = f"{MODULE_PREFIX}{place.stem}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise BadFunction(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    BOT_FOLDERS.enter(place.resolve().parent)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise BadFunction(f"{file} is not Python: {error.msg} (line {error.lineno})") from error
    except (Exception, SystemExit) as error:
        raise BadFunction(f"{file} fails when it is loaded: {in_a_line(error)}") from error
    return module
