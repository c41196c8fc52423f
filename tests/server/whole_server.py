"""A whole server in this process, during a block, with requests and bots."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from rumble_server.app import MakeHouse, Server
from rumble_server.config import ServerConfig

from tests.server.frames import Frame
from tests.server.world import MemoryLink

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


async def get(server: Server, path: str, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Send a request; return the status and the answer, from JSON below /api."""
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
        answer = await client.get(path, headers=headers)
    return answer.status_code, answer.json() if path.startswith("/api") else answer.text


class Bot:
    """A bot on a session without a socket."""

    def __init__(self, server: Server, name: str) -> None:
        self.frames: asyncio.Queue[Frame] = asyncio.Queue()
        link = MemoryLink()
        link.on_frame.append(self.frames.put_nowait)
        self._session = server.clubs.main.gateway.connect(link)
        self.say(type="login", name=name)

    def say(self, **message: Any) -> None:
        self._session.on_text(json.dumps(message))

    async def hears(self, *kinds: str) -> list[Frame]:
        """Wait for frames of these types in this order, and drop other frames."""
        frames: list[Frame] = []
        while len(frames) < len(kinds):
            frame = await self.frames.get()
            if frame["type"] == kinds[len(frames)]:
                frames.append(frame)
        return frames
