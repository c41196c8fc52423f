"""Sessions in a world in memory: their keys, and two bots in a match."""

from typing import Any

from rumble_server.tournament.tournament import Tournament

from tests.server.world import Bot, World

KEY = "correct-horse-battery"
OTHER = "another-horse-battery"
BEYOND: dict[str, Any] = {"is_local": False, "address": "203.0.113.7"}


def playing(world: World, **config: Any) -> tuple[Tournament, Bot, Bot]:
    """Return a tournament and two bots in a match: the bot on turn, and the waiting bot. What they heard is taken."""
    tournament, bots = world.begun("ann", "ben", **config)
    mover, waiter = sorted(bots, key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return tournament, mover, waiter


def in_play(world: World) -> tuple[Bot, Bot]:
    """Return two bots in a match: the bot on turn, and the waiting bot."""
    return playing(world, legs=2)[1:]
