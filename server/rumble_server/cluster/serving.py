"""Requests of the web that other nodes pass on: this node's own web application answers them."""

import asyncio
import logging
from collections.abc import Callable

import orjson
from starlette.types import ASGIApp, Message, Scope

from rumble_server.cluster.edge import Link
from rumble_server.cluster.link import AnswerHead, LinkError, Packet, RequestHead, Web, write_web

log = logging.getLogger(__name__)

WINDOW_BYTES = 1 << 18
"""Bytes of one answer that may be on their way; more of it waits until the edge has passed some on."""
CHUNK_BYTES = 1 << 16
"""Bytes of an answer in one packet, so that moves are not behind a long one."""
MOST_AT_ONCE = 2_000
"""Requests of one node at the same time, event streams among them; one more is answered with 503."""


class Serving:
    """The requests of other nodes; `app` is this node's web application."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        self._requests: dict[tuple[Link, int], _Request] = {}

    def heard(self, link: Link, part: Web) -> None:
        """A part of a request came. Raises LinkError."""
        key = link, part.number
        if part.kind is Packet.ASK:
            if self.app is None or sum(asked is link for asked, _ in self._requests) >= MOST_AT_ONCE:
                link.send(write_web(Packet.HEAD, part.club, part.number, b'{"status":503,"headers":[]}'))
                link.send(write_web(Packet.CHUNK, part.club, part.number))
                return
            request = self._requests[key] = _Request(link, part.club, part.number)
            request.run(self.app, part.content, lambda: self._requests.pop(key, None))
            return
        known = self._requests.get(key)
        if known is not None:
            known.heard(part)

    def down(self, link: object) -> None:
        """A link is lost: nobody waits for the answers."""
        for (asked, _), request in list(self._requests.items()):
            if asked is link:
                request.cancel()


class _Request:
    def __init__(self, link: Link, club: str, number: int) -> None:
        self._link, self._club, self._number = link, club, number
        self._body: asyncio.Queue[Message] = asyncio.Queue()
        self._is_gone = self._has_begun = False
        self._left = WINDOW_BYTES
        """Bytes of the answer that may still be sent."""
        self._more = asyncio.Event()

    def run(self, app: ASGIApp, head: bytes, done: Callable[[], object]) -> None:
        """Have it answered."""
        try:
            scope = self._scope(head)
        except (ValueError, KeyError, TypeError) as error:
            raise LinkError(f"not a request: {error}") from None
        self._task = asyncio.get_running_loop().create_task(self._answer(app, scope))
        self._task.add_done_callback(lambda _: done())

    def heard(self, part: Web) -> None:
        """More of the request came, or some of the answer was taken."""
        if part.kind is Packet.BODY:
            self._body.put_nowait({"type": "http.request", "body": part.content, "more_body": bool(part.content)})
        elif part.kind is Packet.MORE:
            self._left += int.from_bytes(part.content, "little")
            self._more.set()
        elif part.kind is Packet.CANCEL:
            self.cancel()

    def cancel(self) -> None:
        """Nobody waits for the answer."""
        self._is_gone = True
        self._body.put_nowait({"type": "http.disconnect"})
        self._more.set()

    def _scope(self, head: bytes) -> Scope:
        said: RequestHead = orjson.loads(head)
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": said["method"],
            "path": said["path"],
            "raw_path": said["raw_path"].encode("latin-1"),
            "query_string": said["query"].encode("latin-1"),
            "root_path": "",
            "scheme": said["scheme"],
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in said["headers"]],
            "client": said["client"] and tuple(said["client"]),
            "server": said["server"] and tuple(said["server"]),
            "state": {
                "is_local": said["is_local"],
                "shown_host": said["shown_host"],
                "is_passed_on": True,
                "is_closing": lambda: self._is_gone,
            },
        }

    async def _answer(self, app: ASGIApp, scope: Scope) -> None:
        try:
            await app(scope, self._body.get, self._send)
        except Exception:
            log.exception("%s %s, asked by another node, failed", scope["method"], scope["path"])
            if self._has_begun:
                self._link.send(write_web(Packet.CANCEL, self._club, self._number))
            else:
                self._link.send(write_web(Packet.HEAD, self._club, self._number, b'{"status":500,"headers":[]}'))
                self._link.send(write_web(Packet.CHUNK, self._club, self._number))

    async def _send(self, message: Message) -> None:
        if self._is_gone:
            return
        if message["type"] == "http.response.start":
            headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
            self._has_begun = True
            head = orjson.dumps(AnswerHead(status=message["status"], headers=headers))
            self._link.send(write_web(Packet.HEAD, self._club, self._number, head))
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            for start in range(0, len(body), CHUNK_BYTES):
                await self._send_chunk(body[start : start + CHUNK_BYTES])
            if not message.get("more_body", False) and not self._is_gone:
                self._link.send(write_web(Packet.CHUNK, self._club, self._number))

    async def _send_chunk(self, chunk: bytes) -> None:
        """Send some of the answer, once the edge takes it."""
        while self._left <= 0 and not self._is_gone:
            self._more.clear()
            await self._more.wait()
        if not self._is_gone:
            self._left -= len(chunk)
            self._link.send(write_web(Packet.CHUNK, self._club, self._number, chunk))
