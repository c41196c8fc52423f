"""Requests of the web that one node takes and another answers, over a link on loopback."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from rumble_server.bounds import Bounds
from rumble_server.cluster.edge import Edge
from rumble_server.cluster.forwarding import KEPT_S
from rumble_server.cluster.links import Links
from rumble_server.cluster.serving import WINDOW_BYTES
from rumble_server.gateway.sessions import Sessions
from rumble_server.web.errors import WebError
from rumble_server.web.site import is_of_node
from starlette.responses import PlainTextResponse

from tests.server.gateway.served import PATIENCE_S, GatewayServer, served, until

pytestmark = pytest.mark.e2e

SECRET = "a secret of the whole cluster"


class App:
    """The leader's web application: it notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.sent = 0
        self.gone = asyncio.Event()
        self.headers: list[tuple[bytes, bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        self.asked.append({**scope, "body": body})
        path = scope["path"]
        if path == "/fails":
            raise ValueError("as told")
        kind = b"text/event-stream" if path == "/stream" else b"text/plain"
        headers = [(b"x-told", b"yes"), (b"content-type", kind), *self.headers]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        if path in ("/breaks", "/stands"):
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
            self.sent += 1
            if path == "/stands":
                await asyncio.Event().wait()
            raise ValueError("as told")
        if path == "/stream":
            await send({"type": "http.response.body", "body": b"first", "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            self.gone.set()
            return
        if path == "/long":
            for _ in range(200):
                await send({"type": "http.response.body", "body": b"x" * 10_000, "more_body": True})
                self.sent += 10_000
        await send({"type": "http.response.body", "body": b"body of " + path.encode()})


class Page(App):
    """An application with a page for everyone."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"page"})


class Pair:
    """A node that leads main, and one that passes requests on."""

    def __init__(self, first: GatewayServer, app: App) -> None:
        self.app = app
        self.leader = Links("leader", "same", SECRET, 5.0)
        self.leader.serving.app = app
        first.entrance = replace(first.entrance, nodes=self.leader)
        self.address = f"http://127.0.0.1:{first.port}"
        self.edge = Links("edge", "same", SECRET, 5.0)
        self.is_local = False
        self.port = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["state"]["is_local"] = self.is_local
        try:
            await self.edge.forward("main", scope, receive, send)
        except WebError as error:
            await PlainTextResponse(error.code, error.status)(scope, receive, send)

    async def connect(self, server: GatewayServer) -> None:
        self.port = server.port
        edge = Edge("main", Sessions(), server.arena.clock, Bounds())
        self.edge.follow(edge, self.address, 1)
        await until(lambda: bool(self.leader._accepted))
        await until(lambda: self.edge._dialled[self.address].connection is not None)

    async def ask(
        self, request: str, body: bytes = b"", *, headers: dict[str, str] | None = None
    ) -> tuple[int, str, bytes]:
        """Ask, and read the whole answer: its status, head and body."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"{request} HTTP/1.1", "Host: localhost", "Connection: close", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        async with asyncio.timeout(PATIENCE_S):
            data = await reader.read()
        writer.close()
        head, _, rest = data.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode().lower(), rest


@contextlib.asynccontextmanager
async def pair(app: App | None = None) -> AsyncIterator[Pair]:
    async with served() as first:
        made = Pair(first, app or App())
        async with served(app=made) as second:
            await made.connect(second)
            try:
                yield made
            finally:
                made.edge.close()
                made.leader.close()


async def test_a_request_is_answered_by_the_node_that_leads() -> None:
    async with pair() as nodes:
        status, head, body = await nodes.ask(
            "POST /c/school/api?x=1", b"what is sent", headers={"Authorization": "Bearer token"}
        )
        assert (status, body.count(b"body of /c/school/api")) == (201, 1)
        assert "x-told: yes" in head
        (asked,) = nodes.app.asked
        assert (asked["method"], asked["path"], asked["query_string"]) == ("POST", "/c/school/api", b"x=1")
        assert (asked["body"], asked["client"][0]) == (b"what is sent", "127.0.0.1")
        assert dict(asked["headers"])[b"authorization"] == b"Bearer token"


async def test_a_node_asks_another_over_a_link_that_ends_with_the_answer() -> None:
    async with pair(Page()) as nodes:
        node = Links("third", "same", SECRET, 5.0)
        answers = await asyncio.gather(*(node.ask(nodes.address, "/page") for _ in range(3)))
        assert [(each.status, each.body) for each in answers] == [(200, b"page")] * 3
        assert len(nodes.app.asked) == 3, "it is not for visitors, and not kept"
        assert all(is_of_node(each) for each in nodes.app.asked)
        assert node.count()["dialled"] == 0
        assert (await nodes.edge.ask(nodes.address, "/page")).status == 200
        assert nodes.edge.count()["dialled"] == 1, "bots need this link"
        waiting = asyncio.create_task(node.ask("http://127.0.0.1:1", "/page"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert not node._dialled


async def test_links_are_counted_at_both_ends() -> None:
    async with pair() as nodes:
        assert nodes.edge.count() == {"dialled": 1, "accepted": 0}
        assert nodes.leader.count() == {"dialled": 0, "accepted": 1}


async def test_a_long_answer_arrives_whole() -> None:
    async with pair() as nodes:
        _, _, body = await nodes.ask("GET /long")
        assert body.count(b"x") == nodes.app.sent == 2_000_000


async def test_only_so_much_of_an_answer_is_on_its_way() -> None:
    async with pair() as nodes:
        nodes.edge.forwarding.heard = lambda part: None  # type: ignore[method-assign]  # nothing is taken
        _, writer = await asyncio.open_connection("127.0.0.1", nodes.port)
        writer.write(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await until(lambda: nodes.app.sent >= WINDOW_BYTES)
        for _ in range(500):
            await asyncio.sleep(0)
        assert nodes.app.sent <= WINDOW_BYTES + 10_000
        writer.close()


async def test_a_visitor_who_leaves_ends_the_stream_at_the_leader() -> None:
    async with pair() as nodes:
        reader, writer = await asyncio.open_connection("127.0.0.1", nodes.port)
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"first")
            writer.close()
            await nodes.app.gone.wait()


async def test_a_request_that_fails_there_is_500_here(caplog: pytest.LogCaptureFixture) -> None:
    async with pair() as nodes:
        assert (await nodes.ask("GET /fails"))[0] == 500
        assert "failed" in caplog.text


async def test_without_a_leader_it_is_unavailable() -> None:
    async with pair() as nodes:
        nodes.edge.close()
        status, _, body = await nodes.ask("GET /page")
        assert (status, b"unavailable" in body) == (503, True)


async def test_a_link_that_is_lost_before_the_answer_is_503() -> None:
    async with pair() as nodes:
        nodes.leader.serving.heard = lambda *_: None  # type: ignore[method-assign]  # it never answers
        asked = asyncio.create_task(nodes.ask("GET /page"))
        await until(lambda: bool(nodes.edge.forwarding._asked))
        for link in list(nodes.leader._accepted.values()):
            link.end()
        assert (await asked)[0] == 503


@pytest.mark.parametrize("path", ["/breaks", "/stands"])
async def test_a_short_answer_that_breaks_off_is_503_and_no_half_of_it(path: str) -> None:
    async with pair() as nodes:
        asked = asyncio.create_task(nodes.ask(f"GET {path}"))
        await until(lambda: nodes.app.sent > 0)
        if path == "/stands":
            await until(lambda: all(each.parts.empty() for each in nodes.edge.forwarding._asked.values()))
            for link in list(nodes.leader._accepted.values()):
                link.end()
        status, _, body = await asked
        assert (status, body) == (503, b"unavailable")


@pytest.mark.parametrize(
    ("headers", "is_local", "answer", "times"),
    [
        ({}, False, [], 1),
        ({"Authorization": "Bearer token"}, False, [], 3),
        ({"Cookie": "a=b"}, False, [], 3),
        ({}, True, [], 3),
        ({}, False, [(b"set-cookie", b"a=b")], 3),
        ({}, False, [(b"cache-control", b"no-store")], 3),
    ],
)
async def test_answers_for_everyone_are_kept_for_a_second(
    headers: dict[str, str], is_local: bool, answer: list[tuple[bytes, bytes]], times: int
) -> None:
    async with pair(Page()) as nodes:
        nodes.app.headers, nodes.is_local = answer, is_local
        for _ in range(3):
            status, _, body = await nodes.ask("GET /page", headers=headers)
            assert (status, b"page" in body) == (200, True)
        assert len(nodes.app.asked) == times
        if times == 1:
            await nodes.ask("GET /page?other")
            assert len(nodes.app.asked) == 2
            kept = nodes.edge.forwarding._kept
            for key, (until_s, messages) in list(kept.items()):
                kept[key] = until_s - KEPT_S, messages
            await nodes.ask("GET /page")
            assert len(nodes.app.asked) == 3
