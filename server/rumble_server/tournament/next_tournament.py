"""The configuration of a host's next tournament with the same class, made from the last tournament's configuration."""

import json
import re
from collections.abc import Mapping
from typing import Any

from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.formats import formats_with

MOST_LETTERS = 80
"""Maximum length of a tournament's name."""
OF_LAST_TIME: tuple[str, ...] = ("start_at_bots", "start_at_ms")
"""Names of the fields that make a tournament start by itself.

The next tournament does not get these fields, so the host has to start the tournament.
"""
OF_SEATS = ("seats", "legs", "pairing_rules", "openings", "points", "tiebreaks", "late_join")
"""Names of fields that are not taken over if the next tournament has another number of seats."""
OF_GAME = (*OF_SEATS, "settings", "spectator_delay_ms")
"""Names of fields that are not taken over if the next tournament has another game."""


def next_name(name: str, top: int | None = None) -> str:
    """Return the name of the next tournament: `Lesson 2` after `Lesson`.

    For a final of the best `top` bots, the name is `Final of Lesson`.
    """
    if top is not None:
        return f"Final of {name}"[:MOST_LETTERS]
    counted = re.fullmatch(r"(.+) ([1-9]\d{0,5})", name)
    stem, number = (name, 2) if counted is None else (counted[1], int(counted[2]) + 1)
    return f"{stem[: MOST_LETTERS - 8]} {number}"


def next_config(config: TournamentConfig, changes: Mapping[str, Any], top: int | None = None) -> bytes:
    """Return the last tournament's configuration with the host's changes, as JSON. The values are still to be checked.

    In a final of the best `top` bots, and in a format without `late_join`, the field `late_join` is false by default.
    """
    left_out = OF_LAST_TIME
    if changes.get("game", config.game) != config.game:
        left_out += OF_GAME
    elif changes.get("seats", config.seats) != config.seats:
        left_out += OF_SEATS
    kept = {name: value for name, value in config.model_dump(mode="json").items() if name not in left_out}
    if top is not None or changes.get("format", config.format) not in formats_with("late_join"):
        kept["late_join"] = False
    return json.dumps({**kept, "name": next_name(config.name, top), **changes}).encode()
