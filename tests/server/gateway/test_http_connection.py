"""HTTP down to the bytes: refusals, waits, closes, and the start of a bot's connection."""

import asyncio
import contextlib
import gc
import json
import logging
from collections.abc import AsyncIterator
from itertools import count
from typing import Any
from weakref import ref

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.gateway import http_connection
from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.limits import connections
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.gateway.served import GatewayServer, Raw, served, until

pytestmark = pytest.mark.e2e

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


@contextlib.asynccontextmanager
async def pages(**given: Any) -> AsyncIterator[tuple[GatewayServer, Pages]]:
    app = Pages()
    bounds = Bounds.model_validate(given.pop("bounds", {}))
    async with served(app=app, bounds=bounds, **given) as server:
        yield server, app


# --- headers ---


@pytest.mark.parametrize(
    ("before", "endless"),
    [
        (b"GET /", b"x" * 500),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x" * 500),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX", b"x" * 500),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X: xxxxxxxxxx\r\n" * 40),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"a:\r\n" * 100),
        (UPGRADE, b"X: xxxxxxxxxx\r\n" * 40),
    ],
)
async def test_endless_headers_get_431_and_are_not_kept(before: bytes, endless: bytes) -> None:
    async with pages(bounds={"header_bytes": 10_000}) as (server, app), server.raw() as client:
        client.writer.write(before + endless * 1_000)
        assert await refused(client) == 431
        assert app.scopes == []
        assert server.refusals.counts == {"header_bytes": 1}
        (http,) = server.http
        assert http.other_bytes < 13_000


async def test_many_short_headers_count_more_than_their_bytes() -> None:
    async with pages(bounds={"header_bytes": 10_000}) as (server, _), server.raw() as client:
        client.writer.write((GET % 1)[:-2] + b"a:\r\n" * 180 + b"\r\n")
        assert (await answer(client))[0] == 200
        client.writer.write((GET % 1)[:-2] + b"a:\r\n" * 300 + b"\r\n")
        assert await refused(client) == 431


async def test_headers_within_the_bound_are_read_in_each_of_many_requests() -> None:
    async with pages(bounds={"header_bytes": 2_000}) as (server, _), server.raw() as client:
        for number in range(20):
            client.writer.write(b"GET /%d HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n" % (number, b"x" * 1_800))
            assert await answer(client) == (200, b'["/%d", 0]' % number)
        assert server.refusals.counts == {}


@pytest.mark.parametrize("part", [b"1;%s\r\nx\r\n" % (b"e" * 90), b"1\r\nx\r\n", b"0\r\n" + b"X: trailer\r\n" * 10])
async def test_what_is_around_the_chunks_of_a_body_counts_as_headers(part: bytes) -> None:
    async with pages(bounds={"header_bytes": 10_000}) as (server, _), server.raw() as client:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        if part.startswith(b"0"):
            client.writer.write(head + b"0\r\n" + b"X: trailer\r\n" * 5_000)
        else:
            client.writer.write(head + part * 5_000)
        await until(lambda: bool(server.refusals.counts))
        assert server.refusals.counts == {"header_bytes": 1}
        await client.ended()


# --- answers that nobody reads ---


class Endless:
    """An application that sends `size` bytes, or with `size` 0 sends until its reader has gone.

    `failed` is the error that ended the sending.
    """

    def __init__(self, size: int = 0, piece: int = 65_536) -> None:
        self._size = size
        self._piece = piece
        self.failed: BaseException | None = None
        self.has_begun = self.has_ended = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        length = [(b"content-length", b"%d" % self._size)] if self._size else []
        await receive()
        gone = asyncio.ensure_future(receive())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": length})
            while not self._size and not gone.done():
                await send({"type": "http.response.body", "body": b"x" * self._piece, "more_body": True})
                self.has_begun = True
                await asyncio.sleep(0)
            await send({"type": "http.response.body", "body": b"x" * self._size})
        except BaseException as error:
            self.failed = error
            raise
        finally:
            gone.cancel()
            self.has_ended = True


@pytest.mark.parametrize("size", [0, 16 << 20])
async def test_an_answer_that_is_not_read_ends_the_connection(size: int) -> None:
    app = Endless(size)
    async with served(app=app, bounds=Bounds(unread_ms=30)) as server, server.raw() as client:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport has it
        client.writer.write((GET % 1)[:-2] + b"Connection: close\r\n\r\n")
        await until(lambda: server.refusals.counts["unread"] == 1)
        await until(lambda: server.open_connections == 0)
        await until(lambda: app.has_ended)


async def test_an_answer_that_is_read_slowly_is_sent_whole() -> None:
    size = 16 << 20
    async with served(app=Endless(size), bounds=Bounds(unread_ms=2_000)) as server, server.raw() as client:
        client.writer.write((GET % 1)[:-2] + b"Connection: close\r\n\r\n")
        await client.until(b"\r\n\r\n")
        assert len(await client.reader.readexactly(size)) == size
        await client.ended()
        assert server.refusals.counts == {}


async def test_the_end_of_a_connection_is_told_to_a_stream_behind_which_requests_wait() -> None:
    app = Endless(piece=100)
    async with served(app=app) as server:
        async with server.raw() as client:
            client.writer.write(GET % 1 + GET % 2)
            await until(lambda: app.has_begun)
        await until(lambda: app.has_ended)
        assert app.failed is None


async def test_a_request_that_is_not_answered_when_the_server_stops_gets_503(caplog: pytest.LogCaptureFixture) -> None:
    async def hang(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    async with served(app=hang) as server, server.raw() as client:
        client.writer.write(GET % 1)
        await until(lambda: bool(server.http) and server.http[0].cycle is not None)
        await server.drain()
        told = await client.until(b"the server stops\n")
    assert told.startswith(b"HTTP/1.1 503 ")
    assert "Traceback" not in caplog.text


async def test_a_connection_that_has_ended_is_freed_without_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        async with pages() as (server, _):
            async with server.raw() as client:
                client.writer.write(GET % 1)
                await answer(client)
                gone = ref(server.http.pop())
            await until(lambda: server.open_connections == 0)
            await until(lambda: gone() is None)
    finally:
        gc.enable()


async def test_an_upgrade_that_waits_for_its_turn_becomes_a_bots_connection(caplog: pytest.LogCaptureFixture) -> None:
    async with (
        served(bounds=Bounds(strangers_ms_per_turn=2_000), now_s=count().__next__) as server,
        server.raw() as client,
    ):
        assert await client.upgrade(X_Long="x" * 1_000) == 101
        client.say(type="login", name="ann")
        await client.hear("session")
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("sent", [b"", b"\xff\xff"])
async def test_a_bots_connection_that_has_ended_is_freed_without_the_collector(sent: bytes) -> None:
    """With the HTTP connection that it began as, and after an error of the protocol, too."""
    gc.collect()
    gc.disable()
    try:
        async with served() as server:
            async with server.raw() as client:
                assert await client.upgrade() == 101
                bot = server.made[0]
                gone: list[ref[Any]] = [ref(server.http.pop()), ref(bot), ref(bot.protocol)]
                del bot
                server.gateway.links.clear()
                client.writer.write(sent)
            await until(lambda: server.open_connections == 0)
            await until(lambda: [each() for each in gone] == [None] * 3)
    finally:
        gc.enable()


# --- deadlines ---


@pytest.mark.parametrize("begun", [b"G", b"GET / HTTP/1.1\r\nHost: local", UPGRADE])
async def test_headers_that_take_too_long_get_408(begun: bytes) -> None:
    async with pages(bounds={"header_ms": 30}) as (server, app), server.raw() as client:
        client.writer.write(begun)
        assert await refused(client) == 408
        assert app.scopes == []
        assert server.refusals.counts == {"header_time": 1}


async def test_a_second_request_has_a_deadline_too() -> None:
    async with pages(bounds={"header_ms": 30}) as (server, _), server.raw() as client:
        client.writer.write(GET % 1 + b"GET /2 HTTP/1.1\r\n")
        assert await answer(client) == (200, b'["/1", 0]')
        assert await refused(client) == 408


async def test_a_connection_without_a_request_is_closed_in_silence() -> None:
    async with pages(bounds={"header_ms": 30}) as (server, _), server.raw() as client:
        assert await client.reader.read() == b""
        assert server.refusals.counts == {}


async def test_a_body_that_takes_too_long_gets_408() -> None:
    async with pages(bounds={"body_ms": 30}) as (server, app), server.raw() as client:
        client.writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhal")
        assert await refused(client) == 408
        assert len(app.scopes) == 1
        assert server.refusals.counts == {"body_time": 1}


async def test_an_answer_may_take_longer_than_either_deadline() -> None:
    async with pages(bounds={"header_ms": 20, "body_ms": 20, "idle_ms": 20}) as (server, app), server.raw() as client:
        app.may_answer.clear()
        client.writer.write(GET % 1 + b"GET /2 HTTP")
        async with server.raw() as other:
            assert await other.reader.read() == b"", "the deadlines have passed"
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')


@pytest.mark.parametrize("between", [b"", b"\r\n" * 3])
async def test_a_connection_that_asks_nothing_more_is_closed(between: bytes) -> None:
    async with pages(bounds={"idle_ms": 30, "header_ms": 60_000}) as (server, _), server.raw() as client:
        client.writer.write(GET % 1 + between)
        assert await answer(client) == (200, b'["/1", 0]')
        await client.ended()
        assert server.refusals.counts == {}


# --- pipelines ---


async def test_of_a_pipeline_only_so_many_requests_wait_and_all_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[int] = []

    def counted(connection: HttpConnection, begun: Any = HttpConnection.on_headers_complete) -> None:
        begun(connection)
        waiting.append(len(connection.pipeline))

    monkeypatch.setattr(HttpConnection, "on_headers_complete", counted)
    async with pages(bounds={"pipelined_requests": 5}) as (server, _), server.raw() as client:
        client.writer.write(b"".join(GET % number for number in range(600)))
        for number in range(600):
            assert await answer(client) == (200, b'["/%d", 0]' % number)
        assert max(waiting) <= 5
        (http,) = server.http
        assert http.transport.is_reading()


async def test_nothing_is_read_while_requests_wait() -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        client.writer.write(b"".join(GET % number for number in range(100_000)))
        await until(lambda: bool(app.scopes and server.http[0].rest))
        (http,) = server.http
        rest = http.rest
        for _ in range(20):
            await asyncio.sleep(0)
        assert http.rest is rest
        assert not http.transport.is_reading()
        assert len(http.pipeline) <= Bounds().pipelined_requests
        client.writer.transport.abort()
        app.may_answer.set()


async def test_a_large_body_is_read_and_so_is_what_follows_it() -> None:
    async with pages() as (server, _), server.raw() as client:
        for _ in range(2):
            client.writer.write(
                b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 3_000_000
            )
            client.writer.write(GET % 7)
            assert await answer(client) == (200, b'["/x", 3000000]')
            assert await answer(client) == (200, b'["/7", 0]')


@pytest.mark.parametrize(
    "broken",
    [b"\x00\r\n\r\n", b"GET // HTTP/9\r\n\r\n", b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"x" * 20_000],
)
async def test_what_is_no_http_gets_400_after_what_came_before(broken: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        client.writer.write(GET % 1 + broken)
        await until(lambda: bool(server.refusals.counts))
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        assert await refused(client) == 400
        assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


# --- upgrades ---


async def upgraded(client: Raw) -> None:
    assert (await client.until(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize("together", [9, None])
async def test_frames_that_come_or_begin_together_with_the_upgrade_are_read(together: int | None) -> None:
    login = WireFrame(Opcode.TEXT, b'{"type": "login", "name": "ann"}').serialize(mask=True)
    async with pages() as (server, _), server.raw() as client:
        client.writer.write(UPGRADE + b"\r\n" + login[:together])
        await upgraded(client)
        client.writer.write(login[len(login[:together]) :])
        assert (await client.hear("session"))["name"] == "ann"


@pytest.mark.parametrize("together", [True, False])
async def test_a_request_before_an_upgrade_is_answered_first(together: bool) -> None:
    login = WireFrame(Opcode.TEXT, b'{"type": "login", "name": "ann"}').serialize(mask=True)
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        if together:
            client.writer.write(GET % 1 + GET % 2 + UPGRADE + b"\r\n" + login)
        else:
            client.writer.write(GET % 1 + GET % 2 + UPGRADE)
        await until(lambda: bool(app.scopes))
        if not together:
            client.writer.write(b"\r\n" + login)
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        assert await answer(client) == (200, b'["/2", 0]')
        await upgraded(client)
        assert (await client.hear("session"))["name"] == "ann"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (UPGRADE + b"Content-Length: 3\r\n\r\nabc", 400),
        (UPGRADE + b"Content-Length: 3\r\n\r\n", 400),
        (UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (UPGRADE.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n", 505),
        (UPGRADE + b"Host: evil\r\n\r\n", 400),
        (UPGRADE + b"Origin: http://localhost\r\nOrigin: http://localhost\r\n\r\n", 400),
        (UPGRADE + b"Origin: http://[\r\n\r\n", 403),
        (UPGRADE.replace(b"/bot", b"//[/bot") + b"\r\n", 404),
        (UPGRADE.replace(b"/bot", b"//evil/bot") + b"\r\n", 404),
        (UPGRADE.replace(b"/bot", b"http://evil.example/bot") + b"\r\n", 404),
        (UPGRADE + b"X: y\r\n" * 130 + b"\r\n", 431),
        (UPGRADE.replace(b"Host", b"X: \x80\xff\r\nH{st") + b"\r\n", 400),
    ],
)
async def test_upgrades_that_are_refused_get_an_answer_and_no_traceback(
    request_: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with pages() as (server, app), server.raw() as client:
        client.writer.write(request_)
        head = await client.until(b"\r\n\r\n")
        assert int(head.split()[1]) == status
        await client.ended()
        assert app.scopes == []
        assert server.sessions == []
        assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_an_upgrade_to_something_else_is_answered_as_a_page_and_closed() -> None:
    async with pages() as (server, _), server.raw() as client:
        client.writer.write(
            b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nwhatever"
        )
        assert await refused(client) == 200


# --- places ---


@contextlib.asynccontextmanager
async def several(server: GatewayServer, count: int, address: str = "127.0.1.1") -> AsyncIterator[list[Raw]]:
    """Yield `count` accepted clients of a single address."""
    async with contextlib.AsyncExitStack() as stack:
        accepted = len(server.http) + count
        clients = [await stack.enter_async_context(server.raw(address)) for _ in range(count)]
        await until(lambda: len(server.http) >= accepted)
        yield clients


async def test_an_address_has_so_many_strangers_and_one_more_waits_and_then_gets_429(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_connection, "WAIT_MS", 50)
    async with pages(bounds={**LIMITED, "strangers_per_address": 3}) as (server, _), several(server, 3) as strangers:
        async with server.raw("127.0.1.1") as one_more, server.raw("127.0.1.2") as other:
            one_more.writer.write(UPGRADE + b"\r\n")
            assert await refused(one_more) == 429
            assert server.refusals.counts == {"strangers": 1}
            other.writer.write(GET % 1)
            assert await answer(other) == (200, b'["/1", 0]')
        strangers[0].writer.write(GET % 2)
        assert await answer(strangers[0]) == (200, b'["/2", 0]')
        async with server.raw("127.0.1.1") as next_one:
            next_one.writer.write(UPGRADE + b"\r\n")
            await upgraded(next_one)


async def test_silent_sockets_of_an_address_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 silent sockets kept a class out: the oldest socket gives way after its time, also if it has sent a ping."""
    for module in (http_connection, connections):
        monkeypatch.setattr(module, "WAIT_MS", 50)
    async with pages(bounds={**LIMITED, "strangers_per_address": 2}) as (server, _), several(server, 4) as sockets:
        bot, browser = sockets[2:]
        bot.writer.write(UPGRADE + b"\r\n")
        browser.writer.write(GET % 1)
        for each in sockets[:2]:
            await each.ended()
        await upgraded(bot)
        bot.send(Opcode.PING, b"here")
        assert await answer(browser) == (200, b'["/1", 0]')
        async with several(server, 2):
            await bot.ended()


@pytest.mark.parametrize("forwarded", [False, True])
async def test_a_crowd_that_comes_back_at_once_is_refused_nothing(*, forwarded: bool) -> None:
    """Ten bots an address come; two at a time may be on their way to their login."""
    proxies = ["127.0.9.9"] if forwarded else []
    async with (
        pages(bounds={**LIMITED, "strangers_per_address": 2}, proxies=proxies) as (server, _),
        contextlib.AsyncExitStack() as stack,
    ):

        async def come(number: int) -> None:
            address = f"127.0.1.{number % 3}"
            client = await stack.enter_async_context(server.raw("127.0.9.9" if forwarded else address))
            headers = {"X_Forwarded_For": f"203.0.113.{number % 3}"} if forwarded else {}
            assert await client.upgrade(**headers) == 101
            await client.hear("welcome")
            client.say(type="login", name=f"bot-{number}", key="a-key-of-its-own")
            await client.hear("session")

        await asyncio.gather(*map(come, range(30)))
        assert server.refusals.counts == {}


async def test_what_comes_of_who_waits_is_read_when_it_has_its_place() -> None:
    """uvloop reads once after `connection_made`, although `connection_made` paused reading."""
    bounds = {**LIMITED, "strangers_per_address": 1}
    async with pages(bounds=bounds) as (server, _), several(server, 1) as strangers, several(server, 1) as (waiting,):
        server.http[1].data_received(GET % 1)
        strangers[0].writer.close()
        assert await answer(waiting) == (200, b'["/1", 0]')


async def test_who_leaves_while_it_waits_is_forgotten() -> None:
    bounds = {**LIMITED, "strangers_per_address": 1}
    async with pages(bounds=bounds) as (server, _), several(server, 1) as strangers, several(server, 2):
        waiting = server.entrance.places.waiting["127.0.1.1"]
        assert len(waiting) == 2
        server.http[1].shed()
        await until(lambda: len(waiting) == 1)
        strangers[0].writer.close()
        await until(lambda: not server.entrance.places.waiting)
        assert server.entrance.places.counts == {("stranger", "127.0.1.1"): 1}


async def test_a_made_token_is_looked_at_though_its_address_has_no_room() -> None:
    """The connection ends after a single answer, and takes no place."""
    bounds = {**LIMITED, "connections_per_address": 1}
    async with pages(bounds=bounds) as (server, _), server.raw("127.0.1.1") as known:
        known.writer.write(GET % 1)
        assert await answer(known) == (200, b'["/1", 0]')
        for token, status in (("a-token-of-ones-choice", 429), (make_secret(), 200)):
            async with server.raw("127.0.1.1") as host:
                host.writer.write((GET % 2)[:-2] + f"Authorization: Bearer {token}\r\n\r\n".encode())
                assert int((await host.until(b"\r\n\r\n")).split()[1]) == status
                await host.ended()


async def test_who_is_refused_and_says_nothing_is_closed_and_too_many_of_them_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_connection, "LINGER_S", 0.02)
    monkeypatch.setattr(http_connection, "WAIT_MS", 20)
    bounds = {**LIMITED, "strangers_per_address": 2, "header_ms": 60_000}
    async with pages(bounds=bounds) as (server, _), several(server, 2):
        await several_refused(server)


async def several_refused(server: GatewayServer) -> None:
    """Connect more often than an address may; each connection is ended."""
    async with several(server, 5) as refused_ones:
        for client in refused_ones:
            await client.ended()
        assert server.refusals.counts == {"strangers": 5}
        assert server.open_connections == 2


async def test_an_address_has_so_many_connections_and_the_next_request_gets_429() -> None:
    async with pages(bounds={**LIMITED, "connections_per_address": 3}) as (server, _), several(server, 4) as clients:
        for client in clients[:3]:
            client.writer.write(GET % 1)
            assert (await answer(client))[0] == 200
        clients[3].writer.write(GET % 1)
        assert await refused(clients[3]) == 429
        clients[0].writer.write(GET % 2)
        assert (await answer(clients[0]))[0] == 200
        assert server.refusals.counts == {"connections": 1}


async def test_a_login_takes_a_place_from_accept_to_close() -> None:
    bounds = {**LIMITED, "connections_per_address": 2, "strangers_per_address": 2}
    async with pages(bounds=bounds) as (server, _), contextlib.AsyncExitStack() as stack:
        for name in ("ann", "ben"):
            client = await stack.enter_async_context(server.raw("127.0.1.1"))
            await client.upgrade()
            client.say(type="login", name=name)
            await client.hear("session")
        async with server.raw("127.0.1.1") as third:
            await third.upgrade()
            link = server.made[2]
            before = link.has_room
            link.invited("friday")
            assert (before, link.has_room) == (False, True)
        async with server.raw("127.0.1.1") as fourth:
            fourth.writer.write(GET % 1)
            assert await refused(fourth) == 429
            server.made[0].shed()
            await until(lambda: len(server.sessions) == 1)
        async with server.raw("127.0.1.1") as fifth:
            fifth.writer.write(GET % 1)
            assert await answer(fifth) == (200, b'["/1", 0]')


async def test_every_place_is_given_back() -> None:
    async with pages(bounds={**LIMITED, "strangers_per_address": 1, "idle_ms": 10}) as (server, _):
        for _ in range(5):
            for asked, status in ((GET % 1, 200), (UPGRADE + b"\r\n", 101), (UPGRADE + b"Host: b\r\n\r\n", 400)):
                async with server.raw("127.0.1.1") as client:
                    client.writer.write(asked)
                    head = await client.until(b"\r\n\r\n")
                    assert int(head.split()[1]) == status
                await until(lambda: not server.open_connections)
        assert not server.entrance.places.counts


# --- proxies ---


async def test_the_application_is_told_the_source_and_whether_it_is_local() -> None:
    async with pages(proxies=["127.0.9.9"]) as (server, app):
        for address, header in (("127.0.1.1", b""), ("127.0.1.1", b"X-Real-IP: x\r\n"), ("127.0.9.9", b"")):
            async with server.raw(address) as client:
                client.writer.write((GET % 1)[:-2] + header + b"\r\n")
                await answer(client)
        async with server.raw("127.0.9.9") as client:
            forwarded = b"X-Forwarded-For: 6.6.6.6, 2001:db8::7\r\nX-Forwarded-Proto: https\r\n"
            client.writer.write((GET % 1)[:-2] + forwarded + b"\r\n")
            await answer(client)
    told = [(scope["client"][0], scope["scheme"], scope["state"]["is_local"]) for scope in app.scopes]
    assert told == [
        ("127.0.1.1", "http", True),
        ("127.0.1.1 (forwarded)", "http", False),
        ("127.0.9.9", "http", False),
        ("2001:db8::/64", "https", False),
    ]


async def test_behind_a_proxy_bots_are_counted_by_their_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connection, "WAIT_MS", 20)
    bounds = {"strangers_per_address": 2}
    async with pages(bounds=bounds, proxies=["127.0.9.9"]) as (server, _), contextlib.AsyncExitStack() as stack:
        statuses = []
        for number in range(6):
            client = await stack.enter_async_context(server.raw("127.0.9.9"))
            address = "203.0.113.5" if number < 4 else "203.0.113.6"
            client.writer.write(UPGRADE + b"X-Forwarded-For: %s\r\n\r\n" % address.encode())
            statuses.append(int((await client.until(b"\r\n\r\n")).split()[1]))
        assert statuses == [101, 101, 429, 429, 101, 101]
        assert {link.address for link in server.made} == {"203.0.113.5", "203.0.113.6"}
        assert not any(link.is_local for link in server.made)
        assert server.refusals.counts == {"strangers": 2}


# --- limits of requests ---


async def test_a_long_query_gets_414() -> None:
    async with pages() as (server, app), server.raw() as client:
        client.writer.write(b"GET /?%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"x" * 4_000))
        assert (await answer(client))[0] == 200
        client.writer.write(b"GET /?%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"x" * 5_000))
        assert await refused(client) == 414
        assert len(app.scopes) == 1
        assert server.refusals.counts == {"url_bytes": 1}


@pytest.mark.parametrize("request_", [UPGRADE + b"\r\n", (GET % 1)[:-2] + b"a: b\r\n" * 40 + b"\r\n"])
async def test_upgrades_and_long_lists_of_headers_count_as_requests(request_: bytes) -> None:
    async with pages(bounds={**LIMITED, "requests_per_minute": 3}) as (server, _):
        found = []
        for _ in range(4):
            async with server.raw() as client:
                client.writer.write(request_)
                found.append(int((await client.until(b"\r\n\r\n")).split()[1]))
        assert found[:3] in ([101] * 3, [200] * 3)
        assert found[3] == 429
        assert server.refusals.counts == {"requests": 1}


async def test_what_is_refused_counts_by_its_bytes() -> None:
    async with pages(bounds={**LIMITED, "requests_per_minute": 18, "header_bytes": 10_000}) as (server, _):
        found = []
        for request in (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 9_000), GET % 1, UPGRADE + b"\r\n") * 2:
            async with server.raw() as client:
                client.writer.write(request)
                found.append(int((await client.until(b"\r\n\r\n")).split()[1]))
        assert found == [414, 200, 101, 414, 200, 429]
