"""Limits for each address of web clients: requests per minute, the server's work per minute, and open event streams."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
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
class _Limits:
    """The fields of both middlewares."""

    app: ASGIApp
    process: Process
    answer: Callable[[Request, WebError], Response]
    """Function that makes the answer to an error."""

    def _refusal(self, reason: str, what: str, scope: Scope) -> Response:
        """Count a refusal, and make the answer."""
        request = Request(scope)
        self.process.figures.refusals.count(reason, client_address(request), scope["path"])
        return self.answer(request, WebError.too_many(f"{what} from your address"))


class RequestShares(_Limits):
    """ASGI middleware: refuses a request with 429, before any look-up, if its address has sent too many requests."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        process = self.process
        if scope["type"] == "http":
            process.remote_access.record_request((scope.get("client") or ("",))[0], (scope.get("server") or ("",))[0])
        if scope["type"] != "http" or process.permits.requests.take(client_address(Request(scope)), process.now_ms()):
            await self.app(scope, receive, send)
        else:
            scope.setdefault("state", {})["process"] = process
            await self._refusal("requests", "too many requests", {**scope, "root_path": ""})(scope, receive, send)


class RateLimits(_Limits):
    """ASGI middleware: refuses an event stream with 429 if its address has too many open streams.

    The class also counts the cost of all other answers.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        process, path, address = self.process, scope["path"][len(scope["root_path"]) :], client_address(Request(scope))
        asker = Asker(
            address,
            lambda: process.permits.reading.allows(address, process.now_ms()),
            lambda cost_ms: process.permits.reading.spend(address, process.now_ms(), cost_ms),
        )
        set_asker(asker)
        if STREAM.fullmatch(path):
            await self._stream(scope, receive, send)
        else:
            await self.app(scope, receive, _counted(send, asker))

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        permit = self.process.permits.stream(client_address(Request(scope)))
        if permit is None:
            await self._refusal("streams", "too many streams", scope)(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            permit.release()


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
