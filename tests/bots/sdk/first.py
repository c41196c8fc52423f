"""The simplest bot of the SDK."""

from rumble_bots import Bot, Turn


class First(Bot):
    def choose(self, turn: Turn) -> str:
        return turn.legal[0]
