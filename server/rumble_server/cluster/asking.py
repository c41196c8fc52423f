"""Requests of a node itself, for no visitor, and their answers."""

import asyncio
from collections.abc import Sequence
from urllib.parse import quote

from starlette.types import Message, Scope


def own_request(path: str, headers: Sequence[tuple[bytes, bytes]] = ()) -> Scope:
    """Make a request of this node: `web.site.is_of_node` tells it from those that it passes on."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"localhost"), *headers],
        "client": None,
        "server": None,
        "state": {"is_local": False, "is_passed_on": True},
    }


class OwnRequest:
    """The ends of a request of this node: it has no body, and nobody leaves."""

    def __init__(self) -> None:
        self.status = 0
        self.body = b""
        self._is_asked = False

    async def receive(self) -> Message:
        if self._is_asked:
            await asyncio.Event().wait()
        self._is_asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.take(message.get("body", b""))

    def take(self, piece: bytes) -> None:
        """A piece of the answer came."""
        self.body += piece
