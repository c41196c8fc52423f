"""Reading a game's fields back out of a view, each with a `BadPosition` that tells what is wrong."""

from collections.abc import Mapping
from typing import Any

from rumble_engine.errors import BadPosition, BadSettings
from rumble_engine.game import Game, SettingValue


def settings_in(game: Game, view: Mapping[str, Any]) -> dict[str, SettingValue]:
    """The settings of `game`, each of which stands in the view under its own name."""
    try:
        return game.complete({setting.name: view.get(setting.name) for setting in game.settings})
    except BadSettings as error:
        raise BadPosition(f"not a {game.name} view: {error}") from error


def text_in(game: Game, view: Mapping[str, Any], field: str) -> str:
    """A field that holds text."""
    value = view.get(field)
    if not isinstance(value, str):
        raise BadPosition(f'a {game.name} view holds "{field}", a text')
    return value


def texts_in(game: Game, view: Mapping[str, Any], field: str) -> list[str]:
    """A field that holds a list of texts."""
    value = view.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadPosition(f'a {game.name} view holds "{field}", a list of texts')
    return value


def count_in(game: Game, view: Mapping[str, Any], field: str, most: int) -> int:
    """A field that holds an integer from 0 to `most`."""
    value = view.get(field)
    if type(value) is not int or not 0 <= value <= most:
        raise BadPosition(f'a {game.name} view holds "{field}", an integer from 0 to {most}')
    return value


def mover_in(game: Game, view: Mapping[str, Any]) -> int:
    """The field `to_move`: a seat."""
    return count_in(game, view, "to_move", game.seats - 1)


def mover_of(game: Game, mark: str) -> int:
    """The seat whose mark ends a position's text."""
    if mark not in game.seat_marks:
        raise BadPosition(f"the text ends with whose move it is: {' or '.join(game.seat_marks)}")
    return game.seat_marks.index(mark)
