"""A match of two seats of a hidden game, begun in a world of bots."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.hidden.tokens import installed
from tests.server.world import Bot, World

MATCH = "friday.1.1.1.1"


@contextmanager
def begun(**config: Any) -> Iterator[tuple[World, list[Bot]]]:
    """Begin a match of two seats up to the first deal; bots by seat."""
    with installed():
        world = World()
        world.create(game="tokens", start_at_bots=2, legs=1, **config)
        bots = world.logins("ann", "ben", join="friday")
        bots.sort(key=lambda bot: bot.last("match_start")["seat"])
        yield world, bots
