"""An application behind the HTTP connection, and answers down to the bytes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from rumble_server.limits.bounds import Bounds

from tests.server.gateway.served import GatewayServer, Raw, served

GET = b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
UPGRADE = (
    b"GET /bot HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)
LIMITED = {"limit_loopback": True}


class Pages:
    """An application that answers with the request's own data, when `may_answer` is set."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message["body"], message["more_body"]
        await self.may_answer.wait()
        answer = json.dumps([scope["path"], len(body)]).encode()
        headers = [(b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


async def status(client: Raw) -> int:
    """Return the status of the next answer."""
    return int((await client.until(b"\r\n\r\n")).split()[1])


async def answer(client: Raw) -> tuple[int, bytes]:
    """Return the status and the body of the next answer."""
    head = (await client.until(b"\r\n\r\n")).lower()
    size = int(head.partition(b"content-length: ")[2].split()[0])
    return int(head.split()[1]), await client.reader.readexactly(size)


async def refused(client: Raw) -> int:
    """Return the status of the last answer; the connection must end with it."""
    status, _ = await answer(client)
    await client.ended()
    return status


async def upgraded(client: Raw) -> None:
    assert (await client.until(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")


@contextlib.asynccontextmanager
async def pages(**given: Any) -> AsyncIterator[tuple[GatewayServer, Pages]]:
    app = Pages()
    bounds = Bounds.model_validate(given.pop("bounds", {}))
    async with served(app=app, bounds=bounds, **given) as server:
        yield server, app
