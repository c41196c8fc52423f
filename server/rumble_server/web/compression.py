"""Compression of public answers. An answer with a secret is sent uncompressed.

If a compressed answer holds a secret and a text chosen by an attacker, the length of the answer reveals the secret
(BREACH). So an answer is compressed only if its route is marked as public, and never if the request contains a secret.
"""

import asyncio
import zlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rumble_server.web.guards.secret_checks import shows_secret
from rumble_server.web.request_headers import takes_gzip

LEAST_BYTES = 1024
"""Size in bytes below which a whole answer is sent uncompressed, since it fits into one packet anyway."""
MOST_BYTES_ON_LOOP = 8192
"""Maximum size in bytes of a piece that is compressed on the event loop, in 0.2 ms. Threads compress larger pieces."""
LEVEL = 6
"""The default compression level of zlib."""
GZIP = 16 + zlib.MAX_WBITS
COMPRESSED_TYPES = ("image/png",)
"""Media types whose content is already compressed."""


async def mark_public(request: Request) -> None:
    """Mark the answer to a request as free of secrets. Routes have this function as a dependency; pages call it."""
    request.scope.setdefault("state", {})["is_public"] = True


def may_compress(request: Request) -> bool:
    """Return whether the answer to a request may be compressed, and the client accepts gzip."""
    is_public = request.scope.get("state", {}).get("is_public", False)
    accepted = ",".join(request.headers.getlist("accept-encoding"))
    return is_public and takes_gzip(accepted) and not shows_secret(request)


class Compression:
    """ASGI middleware that sends public answers as gzip to clients that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            await self._app(scope, receive, _Answer(Request(scope), send).send)
        else:
            await self._app(scope, receive, send)


class _Answer:
    """An answer while it is being sent."""

    def __init__(self, request: Request, send: Send) -> None:
        self._request = request
        self._send = send
        self._start: Message | None = None
        """The head of an answer that may be compressed.

        The head is sent together with the first piece of the body, because small answers are not compressed.
        """
        self._compressor: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on. If the answer is sent as gzip, compress the piece of the body in the message."""
        if message["type"] == "http.response.start":
            await self._on_start(message)
        elif self._start is not None:
            await self._on_first_piece(self._start, message)
        elif self._compressor is not None:
            await self._on_piece(self._compressor, message)
        else:
            await self._send(message)

    async def _on_start(self, start: Message) -> None:
        if self._request.scope.get("state", {}).get("is_public", False):
            MutableHeaders(scope=start).add_vary_header("Accept-Encoding")
        headers = Headers(raw=start["headers"])
        is_plain = "content-encoding" not in headers and headers.get("content-type") not in COMPRESSED_TYPES
        if start["status"] == 200 and is_plain and may_compress(self._request):
            self._start = start
        else:
            await self._send(start)

    async def _on_first_piece(self, start: Message, message: Message) -> None:
        self._start = None
        body, is_whole = message.get("body", b""), not message.get("more_body", False)
        if is_whole and len(body) < LEAST_BYTES:
            await self._send(start)
            await self._send(message)
            return
        self._compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
        compressed = await _compress(self._compressor, body, is_last=is_whole)
        headers = MutableHeaders(scope=start)
        headers["Content-Encoding"] = "gzip"
        del headers["Content-Length"]
        if is_whole:
            headers["Content-Length"] = str(len(compressed))
        await self._send(start)
        await self._send({**message, "body": compressed})

    async def _on_piece(self, compressor: "zlib._Compress", message: Message) -> None:
        is_last = not message.get("more_body", False)
        compressed = await _compress(compressor, message.get("body", b""), is_last=is_last)
        if compressed or is_last:
            await self._send({**message, "body": compressed})


async def _compress(compressor: "zlib._Compress", piece: bytes, *, is_last: bool) -> bytes:
    def compress() -> bytes:
        return compressor.compress(piece) + (compressor.flush() if is_last else b"")

    return compress() if len(piece) <= MOST_BYTES_ON_LOOP else await asyncio.to_thread(compress)
