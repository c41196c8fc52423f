"""Faulty bots in one process: `python -m tests.e2e.faulty_bots SERVER TOURNAMENT FAULT...`."""

import asyncio
import sys
from collections.abc import Sequence

from rumble_bots.reference.faulty import FaultyBot
from rumble_bots.sdk.address import Address
from rumble_bots.sdk.errors import SdkError


async def play(server: str, tournament: str, faults: Sequence[str]) -> None:
    """Play until the tournament is over for each bot, or the server refuses the bot."""
    bots = [FaultyBot(Address.parse(server), f"faulty-{fault}", tournament, fault) for fault in faults]
    for ended in await asyncio.gather(*(bot.run() for bot in bots), return_exceptions=True):
        if isinstance(ended, BaseException) and not isinstance(ended, SdkError):
            raise ended


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2], sys.argv[3:]))
