import asyncio

import pytest
from rumble_server.web.feed import feed_reader
from rumble_server.web.feed.channel import Channel
from rumble_server.web.feed.feed import STUCK_MS

from tests.server.web.feed.reading import (
    PAIR,
    held_up,
    kinds,
    read_nothing,
    read_to_the_end,
    standings,
    unrated,
    watched_from_lobby,
)
from tests.server.web.memory_server import MemoryServer


async def test_a_packed_stream_tells_the_same_to_every_reader_whenever_it_comes(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, cycles=2)
    plain, packed = server.watch(tournament), server.watch(tournament, gzipped=True)
    await plain.read("snapshot")
    await packed.read("snapshot")
    server.bots(*PAIR, think_ms=100, join=tournament.id)
    server.pass_ms(1_000)
    late = server.watch(tournament, gzipped=True)
    await late.read("snapshot")
    for _ in range(10):
        server.pass_ms(500)
    for watcher in (plain, packed, late):
        await read_to_the_end(watcher)
    assert packed.events == plain.events
    assert kinds(late.events).index("snapshot") == 0
    assert late.events[1:] == plain.events[1 - len(late.events) :]
    assert len(late.events) > 5


async def test_a_packed_piece_is_made_once_for_all(server: MemoryServer) -> None:
    tournament = server.world.create()
    first, second = server.watch(tournament, gzipped=True), server.watch(tournament, gzipped=True)
    for watcher in (first, second):
        await watcher.read("snapshot")
    server.bots("alice", join=tournament.id)
    server.pass_ms()
    assert await first.piece() is await second.piece()


async def test_a_slow_reader_loses_its_queue_and_gets_a_snapshot(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_reader, "MOST_UNREAD_BYTES", 4_000)
    tournament, slow, _ = await watched_from_lobby(server, *PAIR, cycles=100)
    server.pass_ms(20_000)
    snapshot = await slow.read("snapshot")
    assert unrated(snapshot.data["standings"]) == standings(server, tournament.id)
    assert snapshot.id == server.world.log.last


async def test_a_slow_reader_whose_snapshot_is_being_made_ends_with_the_open_streams(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_reader, "MOST_UNREAD_BYTES", 0)
    called, goes_on = held_up(monkeypatch, Channel, "catch_up")
    goes_on.set()
    tournament = server.world.create()
    slow = await server.watched(tournament)
    called.clear()
    goes_on.clear()
    server.bots(*PAIR, join=tournament.id)
    server.pass_ms(1_000)
    reading = asyncio.create_task(slow.piece())
    await called.wait()
    server.world.log.stuck = True
    server.bots("carol", join=tournament.id)
    server.feed.end_streams()
    goes_on.set()
    with pytest.raises(StopAsyncIteration):
        await reading


async def test_a_reader_that_reads_nothing_is_cut_off(server: MemoryServer, caplog: pytest.LogCaptureFixture) -> None:
    tournament = server.world.create()
    task = await read_nothing(server, tournament)
    server.pass_ms(STUCK_MS + 1_000)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert "read nothing" in caplog.text
