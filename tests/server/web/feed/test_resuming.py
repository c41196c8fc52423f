"""Readers that come back to a channel: the kept events, or a snapshot, also after an error."""

from contextlib import suppress

import pytest
from rumble_server.web.feed import views
from rumble_server.web.feed.feed import UNWATCHED_MS

from tests.server.failing import fail_if
from tests.server.web.feed.reading import PAIR, kinds, read_to_the_end, watched_from_lobby
from tests.server.web.memory_server import MemoryServer, parse


async def test_last_event_id_resumes_without_a_gap(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, cycles=5)
    everything, leaver = await server.watched(tournament), await server.watched(tournament)
    server.bots(*PAIR, think_ms=20, join=tournament.id)
    server.pass_ms(600)
    seen = await leaver.read("match_over")
    await leaver.close()
    server.pass_ms(10_000)
    back = server.watch(tournament, leaver.events[-1].id)
    await read_to_the_end(back)
    await read_to_the_end(everything)
    assert "snapshot" not in kinds(back.events)
    assert seen.id <= back.events[0].id
    results = [event for event in leaver.events + back.events if event.kind == "match_over"]
    assert results == [event for event in everything.events if event.kind == "match_over"]


async def test_a_reader_cut_off_before_a_result_is_on_disk_gets_the_result(server: MemoryServer) -> None:
    tournament, watcher, (alice, _) = await watched_from_lobby(server, *PAIR, think_ms=100, legs=1)
    server.pass_ms()
    await watcher.read("match_start")
    server.world.log.stuck = True
    server.pass_ms(2_000)
    assert tournament.results
    alice.drop()
    server.pass_ms(500)
    server.world.log.unstick()
    seen = await watcher.read("field")
    await watcher.close()
    server.pass_ms()
    back = server.watch(tournament, seen.id)
    await back.read("match_over")
    assert "snapshot" not in kinds(back.events)


async def test_a_reader_cut_off_within_a_piece_gets_the_whole_piece_again(server: MemoryServer) -> None:
    tournament, watcher, _ = await watched_from_lobby(server, *PAIR, think_ms=50, cycles=5)
    server.pass_ms(1_000)
    await watcher.piece()
    server.pass_ms(1_000)
    piece = parse(await watcher.piece())
    assert len(piece) > 1
    again = server.watch(tournament, piece[0].id)
    await again.read(piece[-1].kind)
    assert [event for event in again.events if event in piece] == piece


@pytest.mark.parametrize("last_event_id", [0, 10**9])
async def test_a_reader_whose_last_event_was_not_kept_gets_a_snapshot(server: MemoryServer, last_event_id: int) -> None:
    tournament = server.played(*PAIR)
    watcher = server.watch(tournament, last_event_id)
    assert (await watcher.read("snapshot")).id == server.world.log.last


async def test_a_resumed_reader_hears_who_is_connected_now(server: MemoryServer) -> None:
    tournament = server.world.create()
    watcher = await server.watched(tournament)
    (alice,) = server.bots("alice", join=tournament.id)
    server.pass_ms()
    await watcher.read("field")
    await watcher.close()
    alice.drop()
    back = server.watch(tournament, watcher.events[-1].id)
    assert (await back.read("field")).data["entrants"][0]["connected"] is False


async def test_a_reader_that_comes_back_to_a_new_channel_gets_a_snapshot(server: MemoryServer) -> None:
    """A new channel does not know which boards the reader has, so no final board would come."""
    tournament, watcher, _ = await watched_from_lobby(
        server, *PAIR, think_ms=500_000, time_control={"move_ms": 600_000}
    )
    server.pass_ms()
    await watcher.read("match_start")
    seen = watcher.events[-1].id
    await watcher.close()
    server.pass_ms(UNWATCHED_MS + 1_000)
    assert (await server.watch(tournament, seen).read("snapshot")).data["running"]


@pytest.mark.parametrize("fails", ["result_view", "standings_event"])
async def test_after_an_error_all_readers_get_a_snapshot_even_a_reader_that_comes_back(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    tournament, (alice, bob) = server.world.begun(*PAIR, legs=1)
    server.pass_ms(1_000)
    watcher, leaver = await server.watched(tournament), await server.watched(tournament)
    (alice if alice.inbox.all("turn") else bob).move("0")
    server.pass_ms()
    for each in (watcher, leaver):
        await each.read("move")
    await leaver.close()
    failed = fail_if(monkeypatch, views, fails, lambda *_: True, times=1)
    alice.say(type="resign", match=next(iter(tournament.running)))
    with suppress(RuntimeError):  # an error in a later iteration of the event loop
        server.pass_ms()
    assert failed
    back = server.watch(tournament, leaver.events[-1].id)
    for snapshot in (await watcher.read("snapshot"), await back.read("snapshot")):
        assert [each["match"] for each in snapshot.data["latest"]] == list(tournament.results)
    alice.drop()
    server.pass_ms()
    await watcher.read("field")
    assert kinds(watcher.events)[:3] == ["snapshot", "move", "snapshot"]
    assert "match_over" not in kinds(watcher.events), "nothing of the lost flush comes later"
