"""A real server on a thread of this process, with bots for it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    started = threading.Event()
    address: list[str] = []
    stop: list[Any] = []

    async def serve_until_stopped() -> None:
        config = ServerConfig(port=0, db=str(database), host_token=TOKEN, admin_token=ADMIN_TOKEN)
        server = Server(config) if house is None else Server(config, lambda *_: house)
        await server.start()
        stopping = asyncio.Event()
        stop.append((asyncio.get_running_loop(), stopping))
        address.append(server.url)
        started.set()
        await stopping.wait()
        await server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(serve_until_stopped()))
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        yield address[0]
    finally:
        loop, stopping = stop[0]
        loop.call_soon_threadsafe(stopping.set)
        thread.join(PATIENCE_S)
    assert not thread.is_alive()


def play(server: str, tournament: str, *names: str, bot: str = "random", **options: Any) -> None:
    """Play a tournament to its end with reference bots of the given names."""

    async def all_of_them() -> None:
        await asyncio.gather(
            *(serve(RemoteReferenceBot(bot, seed=1, **options), server, name=name, join=tournament) for name in names)
        )

    asyncio.run(all_of_them())
