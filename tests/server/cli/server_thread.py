"""A real server on a thread of this process, with bots for it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.serve import serve
from rumble_server.app import Server
from rumble_server.arena.ports import HouseRunner
from rumble_server.config import ServerConfig

TOKEN, ADMIN_TOKEN = "the-host-token", "the-admin-token"
PATIENCE_S = 60.0


@contextmanager
def server_on_thread(database: Path, house: HouseRunner | None = None) -> Iterator[str]:
    """Run a server, and yield its address; `house` runs its house bots."""
    config = ServerConfig(port=0, db=str(database), host_token=TOKEN, admin_token=ADMIN_TOKEN)

    async def start() -> Server:
        server = Server(config) if house is None else Server(config, lambda *_: house)
        await server.start()
        return server

    with start_blocking_portal() as portal:
        server = portal.call(start)
        try:
            yield server.url
        finally:
            portal.call(server.stop)


def play(server: str, tournament: str, *names: str, bot: str = "random", **options: Any) -> None:
    """Play a tournament to its end with reference bots of the given names."""

    async def all_of_them() -> None:
        await asyncio.gather(
            *(serve(RemoteReferenceBot(bot, seed=1, **options), server, name=name, join=tournament) for name in names)
        )

    asyncio.run(all_of_them())
