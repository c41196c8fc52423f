import asyncio

import pytest
from rumble_server.cli.output.screen import Screen
from rumble_server.cli.practice import proxy
from rumble_server.cli.practice.proxy import proxying
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

pytestmark = pytest.mark.e2e


async def test_a_bot_hears_something_while_its_server_has_nothing_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """It hears no pings of the server, and would give the silent connection up."""
    monkeypatch.setattr(proxy, "PING_S", 0.01)
    heard = asyncio.Semaphore(0)

    class Hearing(ClientConnection):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            heard.release()

    async def say_nothing(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(say_nothing, "127.0.0.1", 0, ping_interval=None) as server, asyncio.timeout(60):
        port = next(iter(server.sockets)).getsockname()[1]
        async with (
            proxying(f"ws://127.0.0.1:{port}", Screen(as_json=True, step=False)) as place,
            connect(place.ws_url, create_connection=Hearing, ping_interval=None, proxy=None),
        ):
            for _ in range(4):
                await heard.acquire()
