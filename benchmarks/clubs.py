"""Costs of idle clubs: memory, loading, and a start with them. `python benchmarks/clubs.py`

Each club has a host's token, some names and a finished tournament. Memory is resident memory, after a collection.
"""

import asyncio
import gc
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from options import options_of
from rumble_server.app import Server
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.config import ServerConfig
from rumble_server.tournament.config import TournamentConfig

NAMES = 20
"""Names of bots in each club."""


async def fill(config: ServerConfig, clubs: int) -> None:
    """Write the clubs."""
    server = Server(config)
    await server.start()
    for number in range(clubs):
        name = f"club-{number}"
        Administrator(server.arena).create(name, f"Class {number}", config.bounds.club_quotas)
        club = await server.clubs.load(name)
        assert club is not None
        organiser = Organiser(club.arena)
        organiser.set_token("teacher", f"the token of club {number}")
        for bot in range(NAMES):
            club.arena.claims.use_name(f"bot-{bot}", f"the key of bot {bot}", "127.0.0.1", None)
        organiser.create(TournamentConfig(name="Cup", game="tictactoe"))
        organiser.end("cup", cancelled=True)
    await server.stop()


def resident() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


async def measure(config: ServerConfig, clubs: int) -> None:
    began_s = time.perf_counter()
    server = Server(config)
    await server.start()
    start_s = time.perf_counter() - began_s
    await server.clubs.load("club-0")  # the first load makes objects that all clubs share
    before, began_s = resident(), time.perf_counter()
    for number in range(1, clubs):
        await server.clubs.load(f"club-{number}")
    load_s, grown = time.perf_counter() - began_s, resident() - before
    print(f"{clubs} clubs: start {start_s:.2f} s with none of them loaded")
    print(f"loading {load_s / (clubs - 1) * 1000:.2f} ms each, {grown / (clubs - 1) / 1024:.1f} KB each")
    await server.stop()


def main() -> None:
    clubs = options_of(__doc__, clubs=1000).parse_args().clubs
    with TemporaryDirectory() as folder:
        config = ServerConfig(port=0, db=str(Path(folder, "rumble.db")), drain_ms=0)
        asyncio.run(fill(config, clubs))
        asyncio.run(measure(config, clubs))


if __name__ == "__main__":
    main()
