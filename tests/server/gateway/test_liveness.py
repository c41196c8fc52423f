"""Pings, silence, and readers that do not read, on real connections over loopback."""

import asyncio
import json

import pytest
from rumble_protocol.codes import CloseCode
from rumble_server.gateway.connection import MOST_UNSENT_BYTES
from rumble_server.gateway.session import Session
from rumble_server.limits.bounds import Bounds
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from tests.server.gateway.served import PATIENCE_S, served, until

pytestmark = pytest.mark.e2e


# --- pings ---


def measured(monkeypatch: pytest.MonkeyPatch) -> "asyncio.Queue[int]":
    """Return a queue of the round trips reported to sessions."""
    told: asyncio.Queue[int] = asyncio.Queue()
    monkeypatch.setattr(Session, "on_round_trip", lambda _, lag_ms: told.put_nowait(lag_ms))
    return told


async def test_round_trips_are_measured_from_the_start_and_the_least_of_the_last_five_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = measured(monkeypatch)
    async with served(ping_ms=1) as server, server.connect():
        async with asyncio.timeout(PATIENCE_S):
            lags = [await told.get() for _ in range(8)]
        (link,) = server.made
        assert link.lag_ms == min(link.pings.round_trips)
        assert len(link.pings.round_trips) == 5
        assert all(0 <= lag_ms < PATIENCE_S * 1000 for lag_ms in lags)


async def test_pings_go_out_whether_or_not_they_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thinking bot that reads nothing finds many pings; only the newest ping measures a round trip."""
    told = measured(monkeypatch)
    async with served(ping_ms=20) as server, server.raw() as client:
        await client.log_in("ann")
        pings = [await client.next(Opcode.PING) for _ in range(5)]
        (link,) = server.made
        heard_ms = link.pings.heard_ms
        for data in pings[:4]:
            client.send(Opcode.PONG, data)
        await until(lambda: link.pings.heard_ms > heard_ms)
        assert told.empty()


async def test_a_flood_of_pongs_is_closed_where_they_are_read_at_once() -> None:
    async with served(bounds=Bounds(empty_frames_per_10_s=5)) as server, server.raw() as client:
        await client.log_in("ann")
        (link,) = server.made
        for _ in range(6):
            link.data_received(WireFrame(Opcode.PONG, b"0123456789012").serialize(mask=True))
        assert await client.close_code() == CloseCode.TOO_MANY_MESSAGES


async def test_a_connection_whose_pongs_the_server_does_not_read_is_not_silent() -> None:
    async with served(ping_ms=5, pong_ms=50) as server, server.raw() as client:
        await client.upgrade()
        (link,) = server.made
        link.pause_reading()  # as while a login waits at a closed gate
        await asyncio.sleep(0.2)
        assert server.sessions
        link.resume_reading()
        await client.ended()


# --- slow readers ---


async def test_a_bot_that_does_not_read_is_cut_off_and_memory_stays_bounded() -> None:
    async with served() as server, server.raw() as client:
        await client.log_in("ann")
        (session,), (link,) = server.sessions, server.made
        frame = json.dumps({"type": "x", "text": "x" * 50_000}).encode()
        most = 0
        async with asyncio.timeout(PATIENCE_S):
            while server.sessions:
                session.link.send(frame)
                if link.transport is not None:
                    most = max(most, link.transport.get_write_buffer_size())
                await asyncio.sleep(0)
        assert most <= MOST_UNSENT_BYTES + len(frame) + 100


async def test_a_bot_that_pings_and_does_not_read_is_cut_off_too() -> None:
    async with served() as server, server.raw() as client:
        await client.upgrade()
        await client.hear("welcome")
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        (link,) = server.made
        most = 0
        async with asyncio.timeout(PATIENCE_S):
            while server.sessions and not client.writer.is_closing():
                for _ in range(500):
                    client.send(Opcode.PING, b"x" * 125)
                if link.transport is not None:
                    most = max(most, link.transport.get_write_buffer_size())
                await asyncio.sleep(0)
        await server.all_gone()
        assert most <= MOST_UNSENT_BYTES + 1_000_000
