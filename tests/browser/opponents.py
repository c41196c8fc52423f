"""Bots in the test's process that accept challenges on a real server."""

import asyncio
from dataclasses import dataclass, field

from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.serve import serve


class WaitingBot(Bot):
    """Plays the first legal move, as soon as `may_move` is set."""

    def __init__(self) -> None:
        self.may_move = asyncio.Event()

    async def choose(self, turn: Turn) -> str:
        await self.may_move.wait()
        return turn.legal[0]


@dataclass(slots=True)
class Opponents:
    """The opponents of a test, or of a module."""

    url: str
    _tasks: "dict[str, asyncio.Task[object]]" = field(default_factory=dict)

    def reference(self, player: str, name: str) -> None:
        """Start the reference bot called `player`, for up to 16 matches at the same time."""
        self.add(RemoteReferenceBot(player), name, max_matches=16)

    def add(self, bot: Bot, name: str, *, max_matches: int = 1) -> None:
        """Start a bot; it reconnects by itself."""
        playing = serve(bot, self.url, name=name, key=f"key-of-{name:0>16}", challenges=True, max_matches=max_matches)
        self._tasks[name] = asyncio.create_task(playing, name=f"bot {name}")

    async def leave(self, name: str) -> None:
        """Stop one bot."""
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def end(self) -> None:
        """Stop all bots; raise the exception of a bot that failed."""
        for name, task in list(self._tasks.items()):
            if task.done():
                task.result()
            await self.leave(name)
