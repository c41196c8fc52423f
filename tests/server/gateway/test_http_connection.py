"""HTTP down to the bytes: headers, pipelines, many connections at once, and the start of a bot's connection."""

import asyncio
import contextlib
import logging
import socket
from itertools import count, pairwise
from typing import Any

import pytest
from rumble_server.gateway import http_connection, peer, read_fairness
from rumble_server.gateway.http_connection import HttpConnection
from rumble_server.gateway.read_fairness import MOST_OVER_BUDGET
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.failing import note_calls
from tests.server.gateway.pages import GET, LIMITED, UPGRADE, Pages, answer, pages, refused, upgraded
from tests.server.gateway.served import served, until

pytestmark = pytest.mark.e2e

LOGIN = WireFrame(Opcode.TEXT, b'{"type": "login", "name": "ann"}').serialize(mask=True)


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
        assert http.request.size < 13_000


@pytest.mark.parametrize(
    ("first", "part"), [(b"", b"1;%s\r\nx\r\n" % (b"e" * 90)), (b"", b"1\r\nx\r\n"), (b"0\r\n", b"X: trailer\r\n")]
)
async def test_bytes_around_the_chunks_of_a_body_count_as_headers(first: bytes, part: bytes) -> None:
    async with pages(bounds={"header_bytes": 10_000}) as (server, _), server.raw() as client:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        client.writer.write(head + first + part * 5_000)
        await until(lambda: bool(server.refusals.counts))
        assert server.refusals.counts == {"header_bytes": 1}
        await client.ended()


# --- many connections at once ---


async def test_of_many_that_connect_at_once_each_iteration_makes_only_a_few_connections() -> None:
    async with (
        served(bounds=Bounds(strangers_ms_per_iteration=4_000), now_s=count().__next__, app=Pages()) as server,
        contextlib.AsyncExitStack() as clients,
    ):
        sockets = []
        for _ in range(40):  # without an `await`, so the server accepts all of them in one iteration
            sockets.append(clients.enter_context(socket.create_connection(("127.0.0.1", server.port))))
            sockets[-1].sendall(GET % 1)
        grown = [0]
        while len(server.http) < len(sockets):
            await asyncio.sleep(0)
            grown.append(len(server.http))
        assert max(after - before for before, after in pairwise(grown)) <= 4
        for sock in sockets:
            assert (await asyncio.to_thread(sock.recv, 12)) == b"HTTP/1.1 200"


async def test_of_many_that_send_at_once_each_iteration_reads_only_a_few_sockets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, sums = note_calls(monkeypatch, HttpConnection, "data_received"), [0]
    async with (
        served(bounds=Bounds(strangers_ms_per_iteration=4_000), now_s=count().__next__, app=Pages()) as server,
        contextlib.AsyncExitStack() as clients,
    ):
        sockets = [
            clients.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            for _ in range(4 * MOST_OVER_BUDGET)
        ]
        await until(lambda: len(server.shared.fairness.sockets) == len(sockets))
        await asyncio.sleep(0.05)  # for the transports, which begin to read in a later iteration
        for sock in sockets:
            sock.sendall(GET % 1)
        while len(reads) < len(sockets):
            await asyncio.sleep(0)
            sums.append(len(reads))
        assert max(after - before for before, after in pairwise(sums)) <= MOST_OVER_BUDGET + 4
        for sock in sockets:
            assert (await asyncio.to_thread(sock.recv, 12)) == b"HTTP/1.1 200"


async def test_sockets_that_were_left_unread_are_read_again_in_each_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "PERMIT_WAIT_MS", 50)
    monkeypatch.setattr(http_connection, "LINGER_MS", 5_000)
    async with (
        pages(bounds={**LIMITED, "strangers_per_address": 2}) as (server, _),
        server.raw() as browser,
        server.raw() as bot,
        server.raw() as one_more,
    ):
        assert await bot.upgrade() == 101
        await until(lambda: server.refusals.counts == {"strangers": 1})
        fairness = server.shared.fairness
        assert len(fairness.sockets) == 3
        fairness.end()
        while fairness.sockets:
            fairness.claim_time()
        browser.writer.write(GET % 1)
        bot.say(type="login", name="ann")
        one_more.writer.write(GET % 2)
        assert (await answer(browser))[0] == 200
        await bot.hear("session")
        assert await refused(one_more) == 429
        assert all(isinstance(each, HttpConnection) for each in fairness.sockets), "a bot with a login is always read"


# --- pipelines ---


async def test_the_waiting_requests_of_a_pipeline_are_bounded_and_all_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
        await until(lambda: bool(app.scopes and server.http[0].unparsed))
        (http,) = server.http
        unparsed = len(http.unparsed)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(http.unparsed) == unparsed
        assert not http.transport.is_reading()
        assert len(http.pipeline) <= Bounds().pipelined_requests
        client.writer.transport.abort()
        app.may_answer.set()


async def test_a_large_body_is_read_and_so_are_the_bytes_behind_it() -> None:
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
    [
        b"\x00\r\n\r\n",
        b"GET // HTTP/9\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"x" * 20_000,
        b"POST /2 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
    ],
)
async def test_bytes_that_are_no_http_get_400_after_the_answers_to_earlier_requests(
    broken: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        client.writer.write(GET % 1 + broken)
        await until(lambda: bool(server.refusals.counts))
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        assert await refused(client) == 400
        assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("after", [GET % 1, UPGRADE + b"Content-Length: 3\r\n\r\n", b"broken"])
async def test_bytes_that_come_together_with_a_refused_request_are_dropped(
    after: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with pages() as (server, app), server.raw() as client:
        client.writer.write(b"GET /?%s HTTP/1.1\r\n\r\n" % (b"&" * 64) + after)
        assert await refused(client) == 414
        assert app.scopes == []
        await until(lambda: server.open_connections == 0)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


# --- upgrades ---


@pytest.mark.parametrize("together", [True, False])
async def test_a_request_before_an_upgrade_is_answered_first(together: bool) -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        rest = b"\r\n" + LOGIN
        client.writer.write(GET % 1 + GET % 2 + UPGRADE + rest * together)
        await until(lambda: bool(app.scopes))
        client.writer.write(rest * (not together))
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        assert await answer(client) == (200, b'["/2", 0]')
        await upgraded(client)
        assert (await client.hear("session"))["name"] == "ann"


async def test_what_follows_a_waiting_upgrade_is_kept_when_sockets_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with pages() as (server, app), server.raw() as client:
        app.may_answer.clear()
        await until(lambda: bool(server.http) and server.http[0].transport.is_reading())
        fairness = server.shared.fairness
        monkeypatch.setattr(read_fairness, "MOST_REREAD", 0)
        fairness.claim_time()
        fairness.end()
        for _ in range(MOST_OVER_BUDGET - 1):
            fairness.claim_time()
        server.http[0].data_received(GET % 1 + UPGRADE + b"\r\n")
        assert not fairness.sockets
        await until(lambda: bool(app.scopes))
        monkeypatch.undo()
        client.writer.write(LOGIN)
        await until(lambda: bool(fairness.sockets))
        await asyncio.sleep(0.05)
        app.may_answer.set()
        assert await answer(client) == (200, b'["/1", 0]')
        await upgraded(client)
        assert (await client.hear("session"))["name"] == "ann"


async def test_an_upgrade_that_waits_for_time_becomes_a_bots_connection(caplog: pytest.LogCaptureFixture) -> None:
    async with (
        served(bounds=Bounds(strangers_ms_per_iteration=2_000), now_s=count().__next__) as server,
        server.raw() as client,
    ):
        assert await client.upgrade(X_Long="x" * 1_000) == 101
        client.say(type="login", name="ann")
        await client.hear("session")
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (UPGRADE + b"Content-Length: 3\r\n\r\nabc", 400),
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
