"""Functions that read fields of views, and parts of positions' texts, for the methods `load` and `parse` of games.

All functions raise BadPosition, with a text that says what is wrong.
"""

from collections.abc import Mapping
from typing import Any

from rumble_engine.errors import BadPosition, BadSettings
from rumble_engine.game import Game, SettingValue
from rumble_engine.texts import shown


def settings_in(game: Game, view: Mapping[str, Any]) -> dict[str, SettingValue]:
    """Return the settings of `game` from a view. The view has each setting as a field."""
    try:
        return game.complete({setting.name: view.get(setting.name) for setting in game.settings})
    except BadSettings as error:
        raise BadPosition(f"not a {game.name} view: {error}") from error


def text_in(game: Game, view: Mapping[str, Any], field: str) -> str:
    """Return the field `field` of a view. The field must be a text."""
    value = view.get(field)
    if not isinstance(value, str):
        raise BadPosition(f'a {game.name} view holds "{field}", a text')
    return value


def texts_in(game: Game, view: Mapping[str, Any], field: str) -> list[str]:
    """Return the field `field` of a view. The field must be a list of texts."""
    value = view.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadPosition(f'a {game.name} view holds "{field}", a list of texts')
    return value


def count_in(game: Game, view: Mapping[str, Any], field: str, most: int) -> int:
    """Return the field `field` of a view. The field must be an integer from 0 to `most`."""
    value = view.get(field)
    if type(value) is not int or not 0 <= value <= most:
        raise BadPosition(f'a {game.name} view holds "{field}", an integer from 0 to {most}')
    return value


def mover_in(game: Game, view: Mapping[str, Any]) -> int:
    """Return the field `to_move` of a view. The field must be a seat."""
    return count_in(game, view, "to_move", game.seats - 1)


def mover_of(game: Game, mark: str) -> int:
    """Return the seat whose mark is `mark`. Raises BadPosition if no seat has the mark."""
    if mark not in game.seat_marks:
        raise BadPosition(f"the text must end with the mark to move: {' or '.join(game.seat_marks)}")
    return game.seat_marks.index(mark)


def rows_in(game: Game, text: str, settings: Mapping[str, Any] | None) -> tuple[str, dict[str, SettingValue]]:
    """Read the rows of a position's text, which have slashes between them. Return the rows joined, and all settings.

    The settings `columns` and `rows` follow from the text. If `settings` has them too, they must agree with the text.
    Raises BadPosition and BadSettings.
    """
    rows = text.split("/")
    shape = {"columns": len(rows[0]), "rows": len(rows)}
    full = game.complete({**shape, **(settings or {})})
    if any(full[name] != length for name, length in shape.items()) or any(len(row) != len(rows[0]) for row in rows):
        raise BadPosition(f"{shown(text)} is not {full['rows']} rows of {full['columns']} between slashes")
    return "".join(rows), full
