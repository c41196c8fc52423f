"""The end of HTTP connections: of peers that have gone, do not read, or are late, and without garbage."""

import asyncio
import socket
import struct
from itertools import count
from typing import Any
from weakref import ref

import pytest
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.gateway.pages import GET, UPGRADE, answer, pages, refused, upgraded
from tests.server.gateway.served import served, until

pytestmark = pytest.mark.e2e


# --- peers that have gone ---


async def test_a_request_of_a_peer_that_has_reset_its_connection_is_not_read() -> None:
    async with pages() as (server, app):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(GET % 1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # so the close is a reset
        await until(lambda: bool(server.http))
        assert server.http[0].client is None
        await until(lambda: server.open_connections == 0)
        async with server.raw() as second:
            second.writer.write(GET % 2)
            await answer(second)
        assert [scope["path"] for scope in app.scopes] == ["/2"]


@pytest.mark.parametrize("is_bot", [False, True])
async def test_an_answer_to_a_peer_that_has_closed_its_socket_is_no_error(
    is_bot: bool, caplog: pytest.LogCaptureFixture
) -> None:
    bounds = {"bytes_per_iteration": 64, "frames_per_iteration": 2}  # so the end is read in a later iteration
    async with pages(bounds=bounds) as (server, _), server.raw() as client:
        if is_bot:
            await client.upgrade()
            await client.hear("welcome")
            client.writer.write(WireFrame(Opcode.PONG, b"x").serialize(mask=True) * 9 + b"\xff" * 10)
        else:
            await until(lambda: bool(server.http))
            client.writer.write((GET % 1)[:-2] + b"X: %s\0" % (b"x" * 2_000))
        client.writer.transport.abort()  # the system resets the connection when the answer comes
        await until(lambda: server.open_connections == 0)
        assert caplog.text == ""


async def test_a_connection_that_ends_before_it_is_served_leaves_nothing() -> None:
    async with served(bounds=Bounds(strangers_ms_per_iteration=4_000), now_s=count().__next__) as server:
        for _ in range(5):
            socket.create_connection(("127.0.0.1", server.port)).close()
        await until(lambda: server.open_connections == 0)
        async with server.raw() as client:
            assert await client.upgrade() == 101


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


async def test_a_slow_reader_of_an_answer_before_an_upgrade_keeps_its_connection() -> None:
    size = 768 << 10
    async with served(app=Endless(size), bounds=Bounds(unread_ms=50)) as server, server.raw() as client:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport has it
        await until(lambda: bool(server.http))
        sending = server.http[0].transport.get_extra_info("socket")
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # so most of the answer waits to be sent
        client.writer.write(GET % 1 + UPGRADE + b"\r\n")
        await until(lambda: bool(server.made))
        await asyncio.sleep(0.1)
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]  # a socket's transport has it
        await client.until(b"\r\n\r\n")
        assert len(await client.reader.readexactly(size)) == size
        await upgraded(client)
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


async def test_when_the_server_stops_an_earlier_request_is_answered_before_a_body_that_is_not_complete() -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        client.writer.write(GET % 1 + b"POST /2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
        await until(lambda: bool(server.http) and server.http[0].request.is_in_body)
        server.http[0].shutdown()
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        assert await refused(client) == 503


# --- memory ---


@pytest.mark.usefixtures("without_collector")
async def test_a_connection_that_has_ended_is_freed_without_the_collector() -> None:
    async with pages() as (server, _):
        async with server.raw() as client:
            client.writer.write(GET % 1)
            await answer(client)
            gone = ref(server.http.pop())
        await until(lambda: server.open_connections == 0)
        await until(lambda: gone() is None)


@pytest.mark.usefixtures("without_collector")
async def test_an_upgrade_frees_the_http_connection_without_the_collector() -> None:
    async with served(bounds=Bounds(limit_loopback=True)) as server, server.raw() as client:
        assert await client.upgrade() == 101
        gone = ref(server.http.pop())
        await until(lambda: gone() is None)
        assert server.open_connections == 1


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("sent", [b"", b"\xff\xff"])
async def test_a_bots_connection_that_has_ended_is_freed_without_the_collector(sent: bytes) -> None:
    """With the HTTP connection that it began as, and after an error of the protocol, too."""
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
