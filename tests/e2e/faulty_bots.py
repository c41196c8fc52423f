"""Bots with a fault, all in one process: `python -m tests.e2e.faulty_bots SERVER TOURNAMENT FAULT...`."""

import asyncio
import sys
from collections.abc import Sequence

from rumble_bots.reference.faulty import FaultyBot
from rumble_bots.sdk.address import Address


async def play(server: str, tournament: str, faults: Sequence[str]) -> None:
    """Play until the tournament is over for each."""
    async with asyncio.TaskGroup() as playing:
        for fault in faults:
            playing.create_task(FaultyBot(Address.parse(server), f"faulty-{fault}", tournament, fault).run())


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2], sys.argv[3:]))
