"""`rumble` with house bots on the server's own event loop, which saves the start of a process per bot."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rumble_server.arena.ports import HouseBot
from rumble_server.cli.__main__ import main
from rumble_server.cli.processes import house
from rumble_server.cli.processes.house_process import House


class HouseInside(house.HouseProcesses):
    """A house without processes."""

    def __init__(self, server: str, *certificate: Any) -> None:
        super().__init__(server, *certificate)
        self._address = server
        self._bots: dict[str, Sequence[HouseBot]] = {}
        """House bots by club."""
        self._changes = asyncio.Queue[dict[str, Any]]()
        self._task = asyncio.create_task(self._play())

    def set_bots(self, club: str, bots: Sequence[HouseBot]) -> None:
        self._bots[club] = bots
        every = [{**asdict(bot), "club": club} for club, of_club in self._bots.items() for bot in of_club]
        self._changes.put_nowait({"server": self._address, "bots": every})

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _play(self) -> None:
        async with asyncio.TaskGroup() as group:
            playing = House(group)
            while True:
                playing.change(await self._changes.get())


if __name__ == "__main__":
    house.HouseProcesses = HouseInside  # type: ignore[assignment,misc]  # the command imports it when it runs
    main()
