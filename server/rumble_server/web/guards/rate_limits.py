"""Limits for each address of web clients: requests per minute, the server's work per minute, and open event streams."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.host.fair_queue import Asker, set_asker
from rumble_server.web.client import client_address
from rumble_server.web.errors import WebError
from rumble_server.web.path_owner import STREAM
from rumble_server.web.site import Process

FREE_BYTES = 262_144
"""Number of bytes at the start of an answer that cost an address nothing; ordinary pages are smaller."""
BYTES_OF_A_MS = 4_096
"""Number of bytes after `FREE_BYTES` that cost an address 1 ms of its share of the server's work.

Packing and sending the bytes take time.
"""


@dataclass(frozen=True, slots=True)
class RequestShares:
    """ASGI middleware: refuses a request (429), before any look-up, if its address has sent too many requests.

    The refusal is a WebError.
    """

    app: ASGIApp
    process: Process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        process, address = self.process, client_address(Request(scope))
        process.remote_access.record_request(address, (scope.get("server") or ("",))[0])
        if not process.permits.requests.take(address, process.now_ms()):
            raise _refusal(process, "requests", address, scope["path"])
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """ASGI middleware: refuses an event stream (429) if its address has too many open streams.

    The refusal is a WebError. The class also counts the cost of all other answers.
    """

    app: ASGIApp
    process: Process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        process, path, address = self.process, scope["path"][len(scope["root_path"]) :], client_address(Request(scope))
        asker = Asker(
            address,
            lambda: process.permits.reading.allows(address, process.now_ms()),
            lambda cost_ms: process.permits.reading.spend(address, process.now_ms(), cost_ms),
        )
        set_asker(asker)
        if not STREAM.fullmatch(path):
            await self.app(scope, receive, _counted(send, asker))
            return
        permit = process.permits.stream(address)
        if permit is None:
            raise _refusal(process, "streams", address, scope["path"])
        try:
            await self.app(scope, receive, send)
        finally:
            permit.release()


def _refusal(process: Process, what: str, address: str, path: str) -> WebError:
    """Count a refusal of requests or streams, and make its error."""
    process.figures.refusals.count(what, address, path)
    return WebError.too_many(f"too many {what} from your address")


def _counted(send: Send, asker: Asker) -> Send:
    """Wrap `send` so that the bytes of a long answer use up a part of the asker's share of the server's work."""
    free = FREE_BYTES

    async def count(message: Message) -> None:
        nonlocal free
        free -= len(message.get("body", b""))
        if free < 0:
            asker.spend(-free // BYTES_OF_A_MS)
            free = -(-free % BYTES_OF_A_MS)
        await send(message)

    return count
