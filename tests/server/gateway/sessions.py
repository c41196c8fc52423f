"""Sessions in a world in memory: their keys, and two bots in a match."""

from typing import Any

from tests.server.world import Bot, World

KEY = "correct-horse-battery"
OTHER = "another-horse-battery"
BEYOND: dict[str, Any] = {"is_local": False, "address": "203.0.113.7"}


def in_play(world: World) -> tuple[Bot, Bot]:
    """Return two bots in a match: the bot to move, and the waiting bot."""
    _, bots = world.begun("ann", "ben", legs=2)
    bots.sort(key=lambda bot: not bot.inbox.all("turn"))
    for bot in bots:
        bot.heard()
    return bots[0], bots[1]
