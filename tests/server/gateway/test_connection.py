"""Bots' sockets: the opening, frames, pings, limits of memory, and the end, on real connections over loopback."""

import asyncio
import logging
from typing import Any

import pytest
from rumble_protocol.codes import CLOSE_REASONS, CloseCode
from rumble_server.gateway import connection, read_fairness
from rumble_server.gateway.frames import HEADS, text_head
from rumble_server.gateway.handshake import HandshakePolicy
from rumble_server.gateway.read_fairness import ReadFairness
from rumble_server.limits.bounds import Bounds
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode
from websockets.http11 import Request
from websockets.typing import Subprotocol

from tests.server.frames import checked
from tests.server.gateway.served import PATIENCE_S, GatewayServer, Raw, served

pytestmark = pytest.mark.e2e

LOGIN = b'{"type": "login", "name": "ann"}'


# --- the opening ---


@pytest.mark.parametrize(
    ("offered", "chosen"), [(None, None), (["rumble.v1"], "rumble.v1"), (["rumble.v9", "rumble.v1"], "rumble.v1")]
)
async def test_the_first_frame_is_the_welcome_with_or_without_the_sub_protocol(
    offered: list[Subprotocol] | None, chosen: str | None
) -> None:
    async with served() as server, server.connect(subprotocols=offered) as client:
        assert client.subprotocol == chosen
        assert checked(await client.recv(decode=False))["type"] == "welcome"


async def test_only_unknown_sub_protocols_get_an_error_and_4010() -> None:
    async with served() as server, server.raw() as client:
        assert await client.upgrade(Sec_WebSocket_Protocol="chess.v1, rumble.v9") == 101
        client.send(Opcode.TEXT, LOGIN)
        client.send(Opcode.BINARY, LOGIN)
        error = await client.hear("error")
        assert (error["code"], error["fatal"]) == ("protocol_not_supported", True)
        assert await client.close_code() == CloseCode.PROTOCOL_NOT_SUPPORTED
        client.writer.close()
        assert server.sessions == []
        assert list(server.arena.players) == []


@pytest.mark.parametrize(("host", "status"), [("rumble.example", 101), ("localhost.evil.example", 403), ("", 403)])
async def test_on_loopback_only_known_hosts_are_answered(host: str, status: int) -> None:
    async with served(host_names=["rumble.example"]) as server, server.raw() as client:
        assert await client.upgrade(Host=host) == status


@pytest.mark.parametrize(
    ("origin", "forwarded_host", "is_let_in"),
    [
        (None, "", True),
        ("http://localhost:8765", "", True),
        ("HTTP://LOCALHOST:8765", "", True),
        ("http://localhost", "", False),
        ("http://localhost:1", "", False),
        ("", "", False),
        ("https://rumble.example", "", True),
        ("https://other.example:8443", "other.example:8443", True),
        ("https://other.example", "", False),
        ("https://other.example:8443", "other.example", False),
        ("null", "", False),
    ],
)
def test_a_page_may_connect_to_its_own_host_the_public_url_and_the_host_that_a_proxy_tells(
    origin: str | None, forwarded_host: str, is_let_in: bool
) -> None:
    policy = HandshakePolicy(frozenset(), "https://rumble.example")
    request = Request("/bot", Headers({"Host": "localhost:8765"} | ({} if origin is None else {"Origin": origin})))
    assert (policy.refusal(request, "127.0.0.1", forwarded_host) is None) is is_let_in


@pytest.mark.parametrize("missing", ["Sec_WebSocket_Key", "Sec_WebSocket_Version"])
async def test_an_invalid_handshake_is_refused(missing: str) -> None:
    left_out: dict[str, Any] = {missing: None}
    async with served() as server, server.raw() as client:
        assert await client.upgrade(**left_out) in (400, 426)
        await client.ended()
        assert server.sessions == []


async def test_a_refused_client_of_the_library_sees_why() -> None:
    async with served() as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect(origin="http://evil.example"):
                pass
        assert refused.value.response.status_code == 403
        assert b"evil.example" in refused.value.response.body


# --- frames ---


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (WireFrame(Opcode.BINARY, b"{}").serialize(mask=True), CloseCode.BINARY_FRAME),
        (WireFrame(Opcode.TEXT, b"\xff").serialize(mask=True), CloseCode.NOT_UTF8),
        (WireFrame(Opcode.TEXT, LOGIN[:-2] + b'\xc3\x28"}').serialize(mask=True), CloseCode.NOT_UTF8),
        (b"\x81\x00", 1002),
    ],
    ids=["binary", "not UTF-8", "partly UTF-8", "not masked"],
)
async def test_a_frame_that_is_no_text_of_a_client_closes_with_its_code(data: bytes, code: int) -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade()
        client.writer.write(data)
        assert await client.close_code() == code


# --- the end ---


async def test_the_close_of_a_session_reaches_the_client_with_its_reason() -> None:
    async with served() as server, server.connect() as client:
        server.arena.claims.use_name("taken", "correct-horse-battery", "", None)
        await client.send('{"type": "login", "name": "taken", "key": "another-horse-battery"}')
        await client.wait_closed()
        assert (client.close_code, client.close_reason) == (CloseCode.WRONG_KEY, CLOSE_REASONS[CloseCode.WRONG_KEY])


async def test_a_client_that_closes_is_answered_and_sent_nothing_more_and_its_bot_is_away() -> None:
    async with served() as server, server.raw() as client:
        await client.log_in("ann")
        (session,) = server.sessions
        client.send(Opcode.CLOSE, (1000).to_bytes(2))
        assert await client.close_code() == 1000
        session.link.send(b"{}")
        assert await client.reader.read() == b""
        await server.all_gone()
        assert server.arena.players["ann"].newest is None


@pytest.mark.parametrize("way", ["abort", "write_eof"])
async def test_a_client_that_vanishes_or_ends_its_side_is_away(way: str) -> None:
    async with served() as server, server.raw() as client:
        await client.log_in("ann")
        getattr(client.writer.transport, way)()
        await client.ended()
        await server.all_gone()
        assert server.arena.players["ann"].newest is None


@pytest.mark.parametrize("end", ["cut by the server", "lost in a busy iteration", "closed by the client"])
async def test_nothing_can_be_sent_on_a_connection_whose_session_ends_later(end: str) -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        (bot,), (session,) = server.made, server.sessions
        assert server.gateway.sessions.can_send(session.id)
        transport = bot.transport
        assert transport is not None
        if end == "cut by the server":
            bot.abort()
        elif end == "closed by the client":
            bot.data_received(WireFrame(Opcode.CLOSE, b"").serialize(mask=True))
        else:
            server.shared.fairness.claim_time()
            server.shared.fairness.end()
            bot.connection_lost(None)
            transport.abort()
        assert server.sessions == [session]
        assert not server.gateway.sessions.can_send(session.id)


async def left_unread(
    server: GatewayServer, client: Raw, monkeypatch: pytest.MonkeyPatch
) -> tuple[connection.Connection, Any]:
    """Upgrade a client, and leave its socket unread for good. Return its connection and the connection's transport."""
    monkeypatch.setattr(read_fairness, "MOST_REREAD", 0)
    await client.upgrade()
    (bot,) = server.made
    while server.shared.fairness.sockets:
        server.shared.fairness.end()
        server.shared.fairness.claim_time()
    return bot, bot.transport


@pytest.mark.parametrize(("frame", "answer", "is_read"), [(b"{}", "error", False), (LOGIN, "session", True)])
async def test_a_socket_that_is_left_unread_stays_so_after_its_bytes_are_handled_unless_the_bot_logs_in(
    monkeypatch: pytest.MonkeyPatch, *, frame: bytes, answer: str, is_read: bool
) -> None:
    async with served() as server, server.raw() as client:
        bot, transport = await left_unread(server, client, monkeypatch)
        bot.data_received(WireFrame(Opcode.TEXT, frame).serialize(mask=True))  # was read before the pause, as with TLS
        await client.hear(answer)
        assert transport.is_reading() is is_read
        server.shared.fairness.forget_socket(bot)
        bot.resume_socket()
        assert transport.is_reading()


async def test_the_socket_of_a_bot_that_logs_in_while_it_is_left_unread_is_read_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with served() as server, server.raw() as client:
        bot, transport = await left_unread(server, client, monkeypatch)
        assert not transport.is_reading()
        monkeypatch.setattr(ReadFairness, "claim_time", lambda _: True)
        bot.data_received(WireFrame(Opcode.TEXT, LOGIN).serialize(mask=True))
        assert transport.is_reading()
        await client.hear("session")


async def test_frames_that_wait_at_the_end_of_a_connection_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async with served(bounds=Bounds(frames_per_iteration=2)) as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        (bot,) = server.made
        bot.data_received(WireFrame(Opcode.PING, b"x").serialize(mask=True) * 8)
        bot.eof_received()  # with TLS, the end may come together with the last bytes, although reading is paused
        await client.ended()
        await server.all_gone()
        assert caplog.text == ""


async def test_a_transport_that_cannot_end_its_side_is_closed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        (bot,) = server.made
        transport: Any = bot.transport
        close, closes = transport.close, []

        def counted() -> None:
            closes.append(transport.is_closing())
            close()

        monkeypatch.setattr(transport, "can_write_eof", lambda: False)  # as with TLS
        monkeypatch.setattr(transport, "close", counted)
        bot._end_session()  # as after a flood
        bot.shutdown()
        bot.eof_received()
        bot.shutdown()
        assert closes == [False]


async def test_a_close_during_a_login_ends_as_soon_as_the_bot_closes_too() -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        (session,) = server.sessions
        session.link.pause_reading()
        server.gateway.close_all_now(CloseCode.DRAINING)
        assert await client.close_code() == CloseCode.DRAINING
        client.send(Opcode.CLOSE, CloseCode.DRAINING.to_bytes(2))
        async with asyncio.timeout(connection.CLOSE_S / 2):
            await client.ended()


async def test_a_peer_that_does_not_finish_the_closing_handshake_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.02)
    async with served() as server, server.raw() as client:
        await client.upgrade()
        client.send(Opcode.BINARY, b"")
        assert await client.close_code() == CloseCode.BINARY_FRAME
        await client.ended()
        await server.all_gone()


async def test_when_the_server_stops_bots_are_closed_with_1001() -> None:
    async with served() as server, server.raw() as client:
        await client.log_in("ann")
        stopping = asyncio.create_task(server.drain())
        assert await client.close_code() == CloseCode.DRAINING
        await stopping


async def test_a_refused_upgrade_does_not_hold_up_the_stop() -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade("/elsewhere")
        async with asyncio.timeout(PATIENCE_S):
            await server.drain()


async def test_a_bot_that_is_cut_off_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with served(ping_ms=5, pong_ms=100) as server, server.raw() as client, server.raw() as stranger:
        await stranger.upgrade()
        await client.upgrade()
        client.say(type="login", name="ann")
        await server.all_gone()
    assert any("127.0.0.1 (ann): cut off, silent" in message for message in caplog.messages)
    assert any("127.0.0.1: cut off, silent" in message for message in caplog.messages)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 1_023, 1_024, 65_535, 65_536, 200_000])
def test_a_text_frame_is_as_the_library_makes_it(size: int) -> None:
    payload = b"x" * size
    whole = WireFrame(Opcode.TEXT, payload).serialize(mask=False)
    assert text_head(size) + payload == whole
    assert HEADS[size : size + 1] in ((text_head(size),), ())
