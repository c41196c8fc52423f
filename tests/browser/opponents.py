"""Bots of the test's own process that take challenges on a real server."""

import asyncio
from dataclasses import dataclass, field

from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.serve import serve


class Patient(Bot):
    """Plays the first legal move, once it may."""

    def __init__(self) -> None:
        self.may_move = asyncio.Event()

    async def choose(self, turn: Turn) -> str:
        """Wait for leave."""
        await self.may_move.wait()
        return turn.legal[0]


@dataclass(slots=True)
class Opponents:
    """All such bots of a test, or of a module."""

    url: str
    _tasks: "dict[str, asyncio.Task[object]]" = field(default_factory=dict)

    def reference(self, player: str, name: str) -> None:
        """Let the reference bot of that name play many matches at a time."""
        self.add(RemoteReferenceBot(player), name, max_matches=16)

    def add(self, bot: Bot, name: str, *, max_matches: int = 1) -> None:
        """Let a bot play; it connects again by itself."""
        playing = serve(bot, self.url, name=name, key=f"key-of-{name:0>16}", challenges=True, max_matches=max_matches)
        self._tasks[name] = asyncio.create_task(playing, name=f"bot {name}")

    async def leave(self, name: str) -> None:
        """End one."""
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def end(self) -> None:
        """End them all. Raises what one of them failed of."""
        for name, task in list(self._tasks.items()):
            if task.done():
                task.result()
            await self.leave(name)
