"""The events of a channel: what they tell, their ids, and their pace."""

from typing import Any

import pytest
from rumble_server.web.feed import channel as channels
from rumble_server.web.feed import crosstable

from tests.server.web.feed.reading import PAIR, kinds, read_to_the_end, standings, unrated, watched_from_lobby
from tests.server.web.memory_server import WRITE_MS, MemoryServer


async def test_a_tournament_is_told_from_lobby_to_end(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2)
    watcher = await server.watched(tournament)
    alice = server.bots("alice", think_ms=200, join=tournament.id)[0]
    server.pass_ms()
    assert [each["name"] for each in (await watcher.read("field")).data["entrants"]] == ["alice"]
    server.bots("bob", think_ms=200, join=tournament.id)
    for _ in range(20):
        server.pass_ms()
    await read_to_the_end(watcher)
    events = kinds(watcher.events)
    assert {"match_start", "move", "match_over", "standings", "status", "field"} < set(events)
    overs = watcher.data_of("match_over")
    assert [over["match"] for over in overs] == list(tournament.results)
    assert [over["scores"] for over in overs] == [list(over.scores or ()) for over in tournament.results.values()]
    last = watcher.data_of("standings")[-1]
    assert unrated(last["standings"]) == standings(server, tournament.id)
    assert (last["matches_over"], last["matches_total"]) == (2, 2)
    assert last["pairs"] == [{"names": ["alice", "bob"], "scores": [1.0, 1.0], "played": 2}]
    alice.drop()
    server.pass_ms()
    away = (await watcher.read("field")).data["entrants"]
    assert [each["name"] for each in away if not each["connected"]] == ["alice"]


async def test_ids_are_numbers_of_the_log_and_never_go_back(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2)
    server.pass_ms(WRITE_MS)
    watcher = server.watch(tournament)
    snapshot = await watcher.read("snapshot")
    assert snapshot.id == server.world.log.last
    server.bots(*PAIR, think_ms=100, join=tournament.id)
    for _ in range(10):
        server.pass_ms()
    await read_to_the_end(watcher)
    ids = [event.id for event in watcher.events]
    assert ids == sorted(ids)
    assert ids[-1] == server.world.log.last


async def test_results_of_a_moment_are_gathered(server: MemoryServer) -> None:
    names = tuple("abcdef")
    tournament = server.world.create(start_at_bots=len(names))
    watcher = await server.watched(tournament)
    server.bots(*names, think_ms=1, join=tournament.id, max_matches=4)
    server.pass_ms(5_000)
    await read_to_the_end(watcher)
    events = kinds(watcher.events)
    assert events.count("match_over") == 30
    assert events.count("standings") <= 5_000 // 250


async def test_pause_and_voided_results_are_told(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, cycles=50)
    server.pass_ms(1_000)
    watcher = await server.watched(tournament)
    server.world.organiser.pause(tournament.id, "lunch")
    server.pass_ms()
    status = (await watcher.read("status")).data
    assert (status["status"], status["reason"]) == ("paused", "lunch")
    before = len(tournament.results)
    voided = next(iter(tournament.results))
    server.world.organiser.play_again(voided)
    server.pass_ms()
    after = (await watcher.read("standings")).data
    last = watcher.data_of("match_over")[-1]
    assert (last["match"], last["attempt"], last["scores"], last["winner"]) == (voided, 1, None, None)
    assert after["matches_over"] == before - 1
    assert after["pairs"][0]["played"] == before - 1


async def test_an_event_is_encoded_once_for_all(server: MemoryServer) -> None:
    tournament = server.world.create()
    first, second = server.watch(tournament), server.watch(tournament)
    for watcher in (first, second):
        await watcher.piece()
    assert await first.piece() is await second.piece()
    server.bots("alice", join=tournament.id)
    server.pass_ms()
    assert await first.piece() is await second.piece()
    assert server.feed.reader_count == 2


async def test_a_crowd_is_told_every_half_second(server: MemoryServer) -> None:
    tournament = server.world.create()
    crowd = [server.watch(tournament) for _ in range(600)]
    for watcher in crowd:
        await watcher.piece()
    for number in range(50):
        server.bots(f"bot{number}", join=tournament.id)
        server.pass_ms(100)
    server.pass_ms(channels.SLOWEST_PACE_MS)
    while len((await crowd[0].read("field")).data["entrants"]) < 50:
        pass
    assert 10 <= kinds(crowd[0].events).count("field") <= 11


async def test_results_of_a_large_field_bring_the_progress_and_new_rankings_the_standings(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crosstable, "MOST_IN_CROSSTABLE", 1)
    tournament, watcher, _ = await watched_from_lobby(server, *PAIR, think_ms=5, cycles=100)
    for _ in range(15):
        server.pass_ms()
    while len(tournament.results) > max(event.data.get("matches_over", 0) for event in watcher.events):
        await watcher.read("match_over")
    events = kinds(watcher.events)
    assert events.count("status") > 2 * events.count("standings") > 6


async def test_the_end_of_a_large_tournament_is_told_after_the_last_result(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crosstable, "MOST_IN_CROSSTABLE", 1)
    tournament, watcher, _ = await watched_from_lobby(server, *PAIR, think_ms=50, cycles=100)
    others = channels.Channel._other_events

    def other_events(self: channels.Channel, changes: Any) -> Any:
        """Yield the events of a flush with results, but end the tournament first."""
        if changes.changed_pairs and tournament.status == "running":
            server.world.organiser.end(tournament.id, cancelled=True)
        yield from others(self, changes)

    monkeypatch.setattr(channels.Channel, "_other_events", other_events)
    for _ in range(10):
        server.pass_ms()
    while (await watcher.read("status")).data["status"] != "cancelled":
        pass
    events = [event.data for event in watcher.events]
    before = events[: next(at for at, data in enumerate(events) if data.get("status") == "cancelled")]
    last = tournament.voided[-1].match
    assert any(data["type"] == "match_over" and data["match"] == last for data in before)


async def test_ratings_are_told_when_they_are_computed(server: MemoryServer) -> None:
    _, watcher, _ = await watched_from_lobby(server, *PAIR, cycles=50)
    server.pass_ms(3_000)
    event = await watcher.read("standings")
    while not event.data["rating_model"]:
        event = await watcher.read("standings")
    assert all(line["rating"] is not None for line in event.data["standings"])


async def test_the_beginning_and_the_end_of_pairing_the_next_round_are_told(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, think_ms=10_000)
    watcher = server.watch(tournament)
    assert not (await watcher.read("snapshot")).data["pairing"]
    for pairs_long in (True, False):
        tournament.is_pairing_slow = pairs_long
        server.pass_ms()
        status = (await watcher.read("status")).data
        while status["pairing"] != pairs_long:
            status = (await watcher.read("status")).data
        assert ("The next round is being paired." in status["headline"]) == pairs_long
