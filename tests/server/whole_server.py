"""A whole server in this process, during a block."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rumble_server.app import MakeHouse, Server
from rumble_server.config import ServerConfig

PATIENCE_S = 60.0
"""Maximum duration of a block, in s."""


@asynccontextmanager
async def running(database: Path | str, make_house: MakeHouse | None = None, **given: Any) -> AsyncIterator[Server]:
    """Run a server that drains at once, with the given settings."""
    server = Server(ServerConfig(**{"port": 0, "db": str(database), "drain_ms": 0, **given}), make_house)
    async with asyncio.timeout(PATIENCE_S):
        await server.start()
        try:
            yield server
        finally:
            await server.stop()
