"""Requests of the web for clubs that other nodes lead: they go over the link as messages, and so does the answer.

An answer that holds nobody's secret is kept for a second, for everyone who asks the same meanwhile.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import orjson
from starlette.types import Message, Receive, Scope, Send

from rumble_server.cluster.edge import Link
from rumble_server.cluster.link import AnswerHead, Packet, RequestHead, Web, write_web
from rumble_server.web.errors import WebError
from rumble_server.web.site import is_of_node

KEPT_S = 1.0
"""How long the answer to a request without secrets is kept."""
MOST_KEPT = 256
MOST_KEPT_BYTES = 1 << 20
"""Bytes of an answer that is kept; a longer one is asked for each time."""
PERSONAL = frozenset((b"authorization", b"cookie", b"range"))
"""The headers of a request whose answer is not for others."""
VARYING = frozenset((b"host", b"accept", b"accept-encoding", b"if-none-match"))
"""The headers by which answers differ."""
NO_LEADER = "this club cannot be reached at the moment; try again soon"
MOST_BEHIND = 2
"""How much of an answer is kept back, in messages: one that breaks off before has not begun. Most are no longer."""


class LostAnswer(WebError):
    """The link was lost before an answer had begun."""


class _Asked:
    """A request that waits for its answer."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.parts: asyncio.Queue[Web | None] = asyncio.Queue()
        """What came of the answer; None: no more of it comes, or nobody waits for it."""
        self.is_gone = False
        """Whether nobody waits any more."""

    def leave(self) -> None:
        """The visitor has gone."""
        self.is_gone = True
        self.parts.put_nowait(None)


class Forwarding:
    """The requests of this node that others answer."""

    def __init__(self) -> None:
        self._asked: dict[int, _Asked] = {}
        self._last = 0
        self._kept: OrderedDict[Any, tuple[float, list[Message]]] = OrderedDict()
        """Answers by what was asked, the oldest first."""

    async def ask(self, link: Link | None, club: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request by the node at the other end of a link.

        Raises WebError where that cannot be reached (LostAnswer if the link was lost before the answer),
        ConnectionError where it is lost within the answer.
        """
        key = _key(club, scope)
        answer = self._answer_kept(key)
        if answer is not None:
            for message in answer:
                await send(message)
        elif link is None:
            raise WebError.unavailable(NO_LEADER)
        else:
            await self._forward(link, club, scope, receive, _Keeper(send, self, key) if key is not None else send)

    def heard(self, part: Web) -> None:
        """Something of an answer came."""
        asked = self._asked.get(part.number)
        if asked is not None:
            asked.parts.put_nowait(part)

    def down(self, link: object) -> None:
        """A link is lost, and with it the answers that were to come over it."""
        for asked in self._asked.values():
            if asked.link is link:
                asked.parts.put_nowait(None)

    def keep(self, key: Any, answer: list[Message]) -> None:
        """Keep an answer for a second."""
        self._kept[key] = asyncio.get_running_loop().time() + KEPT_S, answer
        self._kept.move_to_end(key)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _answer_kept(self, key: Any) -> list[Message] | None:
        now_s = asyncio.get_running_loop().time()
        while self._kept and next(iter(self._kept.values()))[0] <= now_s:
            self._kept.popitem(last=False)
        kept = None if key is None else self._kept.get(key)
        return None if kept is None else kept[1]

    async def _forward(self, link: Link, club: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._last += 1
        number = self._last
        asked = self._asked[number] = _Asked(link)
        link.send(write_web(Packet.ASK, club, number, _head_of(scope)))
        reading = asyncio.create_task(_pass_on(asked, club, number, receive))
        behind: list[Message] = []
        is_over = has_begun = False
        try:
            while not is_over:
                part = await asked.parts.get()
                if part is None or part.kind is Packet.CANCEL:
                    break
                if part.kind is Packet.HEAD:
                    head: AnswerHead = orjson.loads(part.content)
                    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in head["headers"]]
                    behind.append({"type": "http.response.start", "status": head["status"], "headers": headers})
                    has_begun = _is_stream(headers)
                else:
                    is_over = not part.content
                    behind.append({"type": "http.response.body", "body": part.content, "more_body": not is_over})
                    link.send(write_web(Packet.MORE, club, number, len(part.content).to_bytes(4, "little")))
                has_begun = has_begun or is_over or len(behind) > MOST_BEHIND
                while has_begun and behind:
                    await send(behind.pop(0))
        finally:
            reading.cancel()
            del self._asked[number]
            if not is_over:
                link.send(write_web(Packet.CANCEL, club, number))
        if is_over or asked.is_gone:
            return
        if not has_begun:
            raise LostAnswer.unavailable(NO_LEADER)
        raise ConnectionError("the node that answered cannot be reached any more")


class _Keeper:
    """Passes an answer on, and keeps it if it is not long and for everyone."""

    def __init__(self, send: Send, forwarding: Forwarding, key: Any) -> None:
        self._send, self._forwarding, self._key = send, forwarding, key
        self._messages: list[Message] | None = []
        self._bytes = 0

    async def __call__(self, message: Message) -> None:
        messages = self._messages
        if messages is not None:
            messages.append(message)
            self._bytes += len(message.get("body", b""))
            if not _may_be_kept(message) or self._bytes > MOST_KEPT_BYTES:
                self._messages = None
            elif message["type"] == "http.response.body" and not message["more_body"]:
                self._forwarding.keep(self._key, messages)
        await self._send(message)


def _may_be_kept(message: Message) -> bool:
    if message["type"] != "http.response.start":
        return True
    headers = dict(message["headers"])
    private = b"set-cookie" in headers or b"no-store" in headers.get(b"cache-control", b"")
    return message["status"] in (200, 304) and not private and not _is_stream(message["headers"])


def _is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether an answer goes on for as long as somebody reads it, and each piece is to be told at once."""
    return any(name == b"content-type" and b"event-stream" in value for name, value in headers)


async def _pass_on(asked: _Asked, club: str, number: int, receive: Receive) -> None:
    """Send the body of a request on, and notice when nobody waits for the answer any more."""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            asked.leave()
            return
        body = message.get("body", b"")
        if body:
            asked.link.send(write_web(Packet.BODY, club, number, body))
        if not message.get("more_body", False):
            asked.link.send(write_web(Packet.BODY, club, number))
            await receive()  # the end of the connection
            asked.leave()
            return


def _key(club: str, scope: Scope) -> Any:
    """Return what makes an answer the same for everyone; None if it is for who asks alone."""
    headers = scope["headers"]
    if is_of_node(scope) or scope["method"] not in ("GET", "HEAD") or any(name in PERSONAL for name, _ in headers):
        return None
    if scope.get("state", {}).get("is_local"):
        return None  # what is shown to this machine is for it alone
    varying = tuple(sorted(header for header in headers if header[0] in VARYING))
    return club, scope["method"], scope["raw_path"], scope["query_string"], scope["scheme"], varying


def _head_of(scope: Scope) -> bytes:
    state = scope.get("state", {})
    return orjson.dumps(
        RequestHead(
            method=scope["method"],
            path=scope["path"],
            raw_path=scope["raw_path"].decode("latin-1"),
            query=scope["query_string"].decode("latin-1"),
            scheme=scope["scheme"],
            headers=[(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]],
            client=scope.get("client"),
            server=scope.get("server"),
            is_local=bool(state.get("is_local")),
            shown_host=state.get("shown_host") or "",
        )
    )
