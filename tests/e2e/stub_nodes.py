"""Nodes that answer as the proxies of docs/examples/cluster need, and do no more: no club, no database.

Each node has its own port and thread. Tests set the leaders and the faults.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import uvicorn
from rumble_protocol.clubs import split_path

from tests.e2e.processes import PATIENCE_S, free_port

Headers = Mapping[str, str]


class Question(NamedTuple):
    """A proxy's question."""

    method: str
    uri: str
    headers: Headers
    body: bytes


@dataclass(slots=True)
class Site:
    """Leaders that all nodes name, and questions to all nodes."""

    leaders: dict[str, str] = field(default_factory=dict)
    """Address of the leading node, by club."""
    stale: dict[str, str] = field(default_factory=dict)
    """Former leaders by club. Nodes name a former leader until a client has reached it."""
    questions: list[Question] = field(default_factory=list)
    """Questions to all nodes, except checks of health."""


class StubNode:
    """A node that runs from `start` to `stop`."""

    def __init__(self, site: Site, certificate: tuple[str, str] | None = None) -> None:
        self.site, self.certificate = site, certificate
        self.port = free_port()
        self.address = f"http{'s' if certificate else ''}://127.0.0.1:{self.port}"
        self.has_lease = True
        self.is_silent = False
        """True if the node accepts connections and says nothing, like a process that stands still."""
        self.asked = 0
        """Number of answered questions."""
        self.served: list[Headers] = []
        """Headers of answered requests, questions not included."""

    def start(self) -> None:
        cert, key = self.certificate or (None, None)
        config = uvicorn.Config(
            self._answer,
            port=self.port,
            interface="asgi3",
            proxy_headers=False,
            log_config=None,
            lifespan="off",
            ssl_certfile=cert,
            ssl_keyfile=key,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), f"port {self.port} is taken"
            threading.Event().wait(0.005)

    def stop(self) -> None:
        """End the node and its connections."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(PATIENCE_S)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer as an ASGI application."""
        if self.is_silent:
            await asyncio.Event().wait()
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if scope["path"] == "/api/leader":
            await self._question(scope, headers, receive, send)
            return
        self.served.append(headers)
        club, rest = split_path(scope["path"])
        is_leader = self.site.leaders.get(club) == self.address
        if not is_leader:
            self.site.stale.clear()
        if scope["type"] == "websocket":
            await self._websocket(is_leader, receive, send)
        elif not is_leader:
            await _say(send, 421, {"cache-control": "no-store"})
        elif rest.startswith("/api/tournaments/full"):
            await _say(send, 503, {"retry-after": "5"}, b"the disk is full")
        elif rest.startswith("/api/tournaments/unwritten"):
            await _say(send, 507, {}, b"done, and not on disk")
        elif rest.endswith("/events"):
            await _stream(self._events(), send)
        elif rest == "/broken":
            await _say(send, 500, {})
        else:
            shown = {
                "node": self.address,
                "path": scope["raw_path"].decode(),
                "query": scope["query_string"].decode(),
                "body": (await _body(receive)).decode(),
            }
            await _say(send, 200, {"content-type": "application/json"}, json.dumps(shown).encode())

    async def _question(self, scope: Any, headers: Headers, receive: Any, send: Any) -> None:
        assert scope["type"] == "http", "the question is no handshake"
        uri = headers.get("x-original-uri") or headers.get("x-forwarded-uri", "")
        path = uri.partition("?")[0]
        if path != "/healthz":
            self.site.questions.append(Question(scope["method"], uri, headers, await _body(receive)))
        leader = {**self.site.leaders, **self.site.stale}.get(split_path(path)[0])
        if path in ("/healthz", "/readyz"):
            leader = self.address
        self.asked += 1
        if "x-forwarded-for" in headers:
            await _say(send, 404, {})
        elif not self.has_lease:
            await _say(send, 502, {})
        elif leader is None:
            await _say(send, 503, {"retry-after": "1"})
        else:
            await _say(send, 204, {"rumble-leader": leader})

    async def _websocket(self, is_leader: bool, receive: Any, send: Any) -> None:
        """Echo messages; the message `away` closes with 1012."""
        await receive()
        if not is_leader:
            start = {"status": 503, "headers": [(b"retry-after", b"1")]}
            await send({"type": "websocket.http.response.start", **start})
            await send({"type": "websocket.http.response.body", "body": b""})
            return
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            if message["text"] == "away":
                await send({"type": "websocket.close", "code": 1012})
                return
            if not self.is_silent:
                await send({"type": "websocket.send", "text": f"{self.address}: {message['text']}"})

    async def _events(self) -> AsyncIterator[bytes]:
        """Yield a comment each tenth of a second, after a first event."""
        yield f"data: {self.address}\n\n".encode()
        while True:
            await asyncio.sleep(0.1)
            if not self.is_silent:
                yield b": still here\n\n"


async def _say(send: Any, status: int, headers: Headers, body: bytes = b"") -> None:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


async def _stream(events: AsyncIterator[bytes], send: Any) -> None:
    start = {"status": 200, "headers": [(b"content-type", b"text/event-stream")]}
    await send({"type": "http.response.start", **start})
    async for event in events:
        await send({"type": "http.response.body", "body": event, "more_body": True})


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body


@contextmanager
def stub_nodes(count: int, certificate: tuple[str, str] | None = None) -> Iterator[tuple[Site, list[StubNode]]]:
    """Run nodes for a block."""
    site = Site()
    nodes = [StubNode(site, certificate) for _ in range(count)]
    for node in nodes:
        node.start()
    try:
        yield site, nodes
    finally:
        for node in nodes:
            node.stop()
