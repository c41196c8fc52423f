"""Permits of connections: strangers, waits, proxies, and limits of requests, down to the bytes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.gateway import http_connection, peer
from rumble_server.limits import permits
from websockets.frames import Opcode

from tests.server.gateway.pages import GET, LIMITED, UPGRADE, answer, pages, status, upgraded
from tests.server.gateway.served import GatewayServer, Raw, until

pytestmark = pytest.mark.e2e


# --- permits ---


@contextlib.asynccontextmanager
async def several(server: GatewayServer, count: int) -> AsyncIterator[list[Raw]]:
    """Yield `count` accepted clients of a single address."""
    async with contextlib.AsyncExitStack() as stack:
        accepted = len(server.http) + count
        clients = [await stack.enter_async_context(server.raw("127.0.1.1")) for _ in range(count)]
        await until(lambda: len(server.http) >= accepted)
        yield clients


async def test_silent_sockets_of_an_address_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 silent sockets kept a class out: the oldest socket gives way after its time, also if it has sent a ping."""
    for module in (peer, permits):
        monkeypatch.setattr(module, "PERMIT_WAIT_MS", 50)
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


async def test_data_of_a_waiting_connection_is_read_when_it_has_its_permit() -> None:
    """uvloop reads once after `connection_made`, although `connection_made` paused reading."""
    bounds = {**LIMITED, "strangers_per_address": 1}
    async with pages(bounds=bounds) as (server, _), several(server, 1) as strangers, several(server, 1) as (waiting,):
        server.http[1].data_received(GET % 1)
        strangers[0].writer.close()
        assert await answer(waiting) == (200, b'["/1", 0]')


async def test_a_made_token_is_looked_at_though_its_address_has_no_room() -> None:
    """The connection ends after a single answer, and takes no permit."""
    bounds = {**LIMITED, "connections_per_address": 1}
    async with pages(bounds=bounds) as (server, _), server.raw("127.0.1.1") as known:
        known.writer.write(GET % 1)
        assert await answer(known) == (200, b'["/1", 0]')
        for token, expected in (("a-token-of-ones-choice", 429), (make_secret(), 200)):
            async with server.raw("127.0.1.1") as host:
                host.writer.write((GET % 2)[:-2] + f"Authorization: Bearer {token}\r\n\r\n".encode())
                assert await status(host) == expected
                await host.ended()
        assert server.refusals.counts == {"connections": 1}


async def test_refused_connections_that_say_nothing_are_closed_and_too_many_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_connection, "LINGER_MS", 20)
    monkeypatch.setattr(peer, "PERMIT_WAIT_MS", 20)
    bounds = {**LIMITED, "strangers_per_address": 2, "header_ms": 60_000}
    async with pages(bounds=bounds) as (server, _), several(server, 2), several(server, 5) as refused_ones:
        for client in refused_ones:
            await client.ended()
        assert server.refusals.counts == {"strangers": 5}
        assert server.open_connections == 2


async def test_the_invited_to_a_tournament_are_counted_in_its_club_alone() -> None:
    bounds = {**LIMITED, "connections_per_address": 1, "invited_connections_per_address": 1}
    async with pages(bounds=bounds) as (server, _), several(server, 3) as clients:
        for client in clients:
            await client.upgrade()
        known, invited, other = server.made
        known.count_as_logged_in()
        invited.mark_invited("friday")
        assert (known.has_room, other.has_room, other.has_room_for("friday")) == (True, False, False)
        server.gateway.club = "chess"
        assert other.has_room_for("friday")


async def test_every_permit_is_given_back() -> None:
    async with pages(bounds={**LIMITED, "strangers_per_address": 1, "idle_ms": 10}) as (server, _):
        for _ in range(5):
            for asked, expected in ((GET % 1, 200), (UPGRADE + b"\r\n", 101), (UPGRADE + b"Host: b\r\n\r\n", 400)):
                async with server.raw("127.0.1.1") as client:
                    client.writer.write(asked)
                    assert await status(client) == expected
                await until(lambda: not server.open_connections)
        assert not server.shared.permits.counts


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
    monkeypatch.setattr(peer, "PERMIT_WAIT_MS", 20)
    bounds = {"strangers_per_address": 2}
    async with pages(bounds=bounds, proxies=["127.0.9.9"]) as (server, _), contextlib.AsyncExitStack() as stack:
        statuses = []
        for number in range(6):
            client = await stack.enter_async_context(server.raw("127.0.9.9"))
            address = "203.0.113.5" if number < 4 else "203.0.113.6"
            client.writer.write(UPGRADE + b"X-Forwarded-For: %s\r\n\r\n" % address.encode())
            statuses.append(await status(client))
        assert statuses == [101, 101, 429, 429, 101, 101]
        assert {link.address for link in server.made} == {"203.0.113.5", "203.0.113.6"}
        assert not any(link.is_local for link in server.made)
        assert server.refusals.counts == {"strangers": 2}


# --- limits of requests ---


@pytest.mark.parametrize("request_", [UPGRADE + b"\r\n", (GET % 1)[:-2] + b"a: b\r\n" * 40 + b"\r\n"])
async def test_upgrades_and_long_lists_of_headers_count_as_requests(request_: bytes) -> None:
    async with pages(bounds={**LIMITED, "requests_per_minute": 3}) as (server, _):
        found = []
        for _ in range(4):
            async with server.raw() as client:
                client.writer.write(request_)
                head = await client.until(b"\r\n\r\n")
                found.append(int(head.split()[1]))
        assert found[:3] in ([101] * 3, [200] * 3)
        assert found[3] == 429
        assert b"\r\nRetry-After: 60\r\n" in head
        assert server.refusals.counts == {"requests": 1}


async def test_a_refused_request_counts_by_its_bytes() -> None:
    async with pages(bounds={**LIMITED, "requests_per_minute": 18, "header_bytes": 10_000}) as (server, _):
        found = []
        for request in (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 9_000), GET % 1, UPGRADE + b"\r\n") * 2:
            async with server.raw() as client:
                client.writer.write(request)
                found.append(await status(client))
        assert found == [414, 200, 101, 414, 200, 429]
