import asyncio
from typing import Any

import pytest
from rumble_server.web.feed import channel as channels
from rumble_server.web.feed import spectator as spectators
from rumble_server.web.feed.feed import KEEP_ALIVE_MS, STUCK_MS, UNWATCHED_MS

from tests.server.web.scene import Event, Scene, Watcher, parse

PAIR = ("alice", "bob")


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def unrated(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Standings without their ratings and their movement, which have tests of their own."""
    beside = ("rating", "interval", "gained")
    return [{key: value for key, value in line.items() if key not in beside} for line in told]


def standings(scene: Scene, tournament: str) -> list[dict[str, Any]]:
    return [line.model_dump(exclude_unset=True) for line in scene.world.arena.tournaments[tournament].table.standings()]


async def read_to_the_end(watcher: Watcher) -> None:
    while (await watcher.read("status")).data["status"] != "finished":
        pass


# --- what is told ---


async def test_first_comes_a_snapshot_with_everything(scene: Scene) -> None:
    tournament = scene.world.create(name="Friday night", cycles=2, start_at_bots=2, invite="hush")
    bots = scene.players(*PAIR, think_ms=100, join=tournament.id, invite="hush")
    scene.pass_ms(250)
    told = (await scene.watch(tournament).read("snapshot")).data
    assert (told["id"], told["name"], told["status"], told["by_invitation"]) == (
        "friday-night",
        "Friday night",
        "running",
        True,
    )
    assert "hush" not in str(told)
    assert [entrant["name"] for entrant in told["entrants"]] == ["alice", "bob"]
    assert all(entrant["connected"] for entrant in told["entrants"])
    (board,) = told["running"]
    turn = bots[0].last("turn")
    assert (board["match"], board["ply"], board["moves"], board["state"]) == (
        turn["match"],
        len(board["moves"]),
        board["moves"],
        {"board": board["state"]["board"]},
    )
    assert board["ply"] >= 2
    assert "\n" in board["diagram"]
    assert (told["matches_over"], told["matches_total"]) == (0, 4)


async def test_a_finished_tournament_has_a_snapshot_too(scene: Scene) -> None:
    tournament = scene.played(*PAIR)
    told = (await scene.watch(tournament).read("snapshot")).data
    assert told["status"] == "finished"
    assert unrated(told["standings"]) == standings(scene, tournament.id)
    assert told["pairs"] == [{"names": ["alice", "bob"], "scores": [1.0, 1.0], "played": 2}]
    assert [each["match"] for each in told["latest"]] == ["friday.1.1.1.2", "friday.1.1.1.1"]


async def test_a_tournament_is_told_from_lobby_to_end(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2)
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    alice = scene.players("alice", think_ms=200, join=tournament.id)[0]
    scene.pass_ms()
    assert [each["name"] for each in (await watcher.read("field")).data["entrants"]] == ["alice"]
    scene.players("bob", think_ms=200, join=tournament.id)
    for _ in range(20):
        scene.pass_ms()
    await read_to_the_end(watcher)
    told = kinds(watcher.events)
    assert {"match_start", "move", "match_over", "standings", "status", "field"} < set(told)
    overs = [event.data for event in watcher.events if event.kind == "match_over"]
    assert [over["match"] for over in overs] == list(tournament.results)
    assert [over["scores"] for over in overs] == [list(over.scores or ()) for over in tournament.results.values()]
    last = [event for event in watcher.events if event.kind == "standings"][-1].data
    assert unrated(last["standings"]) == standings(scene, tournament.id)
    assert (last["matches_over"], last["matches_total"]) == (2, 2)
    assert last["pairs"] == [{"names": ["alice", "bob"], "scores": [1.0, 1.0], "played": 2}]
    alice.drop()
    scene.pass_ms()
    away = (await watcher.read("field")).data["entrants"]
    assert [each["name"] for each in away if not each["connected"]] == ["alice"]


async def test_ids_are_numbers_of_the_log_and_never_go_back(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2)
    watcher = scene.watch(tournament)
    snapshot = await watcher.read("snapshot")
    assert snapshot.id == scene.world.log.last
    scene.players(*PAIR, think_ms=100, join=tournament.id)
    for _ in range(10):
        scene.pass_ms()
    await read_to_the_end(watcher)
    ids = [event.id for event in watcher.events]
    assert ids == sorted(ids)
    assert ids[-1] == scene.world.log.last


async def test_results_of_a_moment_are_gathered(scene: Scene) -> None:
    names = tuple("abcdef")
    tournament = scene.world.create(start_at_bots=len(names))
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    scene.players(*names, think_ms=1, join=tournament.id, max_matches=4)
    scene.pass_ms(5_000)
    await read_to_the_end(watcher)
    told = kinds(watcher.events)
    assert told.count("match_over") == 30
    assert told.count("standings") <= 5_000 // 250


async def test_pause_and_voided_results_are_told(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2, cycles=50)
    scene.players(*PAIR, join=tournament.id)
    scene.pass_ms(1_000)
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    scene.world.host.pause(tournament.id, "lunch")
    scene.pass_ms()
    told = (await watcher.read("status")).data
    assert (told["status"], told["reason"]) == ("paused", "lunch")
    before = len(tournament.results)
    voided = next(iter(tournament.results))
    scene.world.host.replay(voided)
    scene.pass_ms()
    after = (await watcher.read("standings")).data
    last = [event.data for event in watcher.events if event.kind == "match_over"][-1]
    assert (last["match"], last["attempt"], last["scores"], last["winner"]) == (voided, 1, None, None)
    assert after["matches_over"] == before - 1
    assert after["pairs"][0]["played"] == before - 1


# --- nothing is told that is not on disk ---


async def test_a_result_waits_for_the_disk(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2)
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    scene.players(*PAIR, think_ms=50, join=tournament.id)
    scene.pass_ms(300)
    await watcher.read("match_start")
    scene.world.log.stuck = True
    scene.pass_ms(2_000)
    assert tournament.table.standings()[0].points > 0
    late = asyncio.create_task(scene.watch(tournament).read("snapshot"))
    early = asyncio.create_task(watcher.read("match_over"))
    done, _ = await asyncio.wait([late, early], timeout=0.05)
    assert not done
    scene.world.log.unstick()
    scene.pass_ms()
    assert (await late).data["matches_over"] == 1
    await early


# --- resuming ---


async def test_last_event_id_resumes_without_a_gap(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2, cycles=5)
    everything, leaver = scene.watch(tournament), scene.watch(tournament)
    await everything.read("snapshot")
    await leaver.read("snapshot")
    scene.players(*PAIR, think_ms=20, join=tournament.id)
    scene.pass_ms(600)
    seen = await leaver.read("match_over")
    await leaver.close()
    scene.pass_ms(10_000)
    back = scene.watch(tournament, leaver.events[-1].id)
    await read_to_the_end(back)
    await read_to_the_end(everything)
    assert "snapshot" not in kinds(back.events)
    assert seen.id <= back.events[0].id
    told = [event for event in leaver.events + back.events if event.kind == "match_over"]
    assert told == [event for event in everything.events if event.kind == "match_over"]


async def test_who_is_cut_off_within_a_piece_gets_all_of_it_again(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2)
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    scene.players(*PAIR, join=tournament.id)
    scene.pass_ms(1_000)
    piece = parse(await watcher.piece())
    assert len(piece) > 1
    again = scene.watch(tournament, piece[0].id)
    await again.read(piece[-1].kind)
    assert [event for event in again.events if event in piece] == piece


@pytest.mark.parametrize("last_event_id", [0, 10**9])
async def test_what_was_not_kept_is_a_snapshot(scene: Scene, last_event_id: int) -> None:
    tournament = scene.played(*PAIR)
    watcher = scene.watch(tournament, last_event_id)
    assert (await watcher.read("snapshot")).id == scene.world.log.last


async def test_a_resumed_reader_hears_who_is_connected_now(scene: Scene) -> None:
    tournament = scene.world.create()
    (alice,) = scene.players("alice", join=tournament.id)
    watcher = scene.watch(tournament)
    seen = await watcher.read("snapshot")
    await watcher.close()
    alice.drop()
    back = scene.watch(tournament, seen.id)
    assert (await back.read("field")).data["entrants"][0]["connected"] is False


async def test_what_is_kept_is_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "MOST_KEPT_BYTES", 4_000)
    tournament = scene.world.create(start_at_bots=2, cycles=100)
    watcher = scene.watch(tournament)
    early = await watcher.read("snapshot")
    scene.players(*PAIR, join=tournament.id)
    for _ in range(20):
        scene.pass_ms(250)
        late = parse(await watcher.piece())[-1]
    assert (await scene.watch(tournament, early.id).read("snapshot")).id >= late.id
    back = scene.watch(tournament, late.id)
    await back.read("field")
    assert "snapshot" not in kinds(back.events)


# --- many readers, and slow ones ---


async def test_an_event_is_encoded_once_for_all(scene: Scene) -> None:
    tournament = scene.world.create()
    first, second = scene.watch(tournament), scene.watch(tournament)
    for watcher in (first, second):
        await watcher.piece()
    assert await first.piece() is await second.piece()
    scene.players("alice", join=tournament.id)
    scene.pass_ms()
    assert await first.piece() is await second.piece()
    assert scene.feed.spectators == 2


async def test_packed_it_tells_the_same_to_whoever_comes_when(scene: Scene) -> None:
    tournament = scene.world.create(start_at_bots=2, cycles=2)
    plain, packed = scene.watch(tournament), scene.watch(tournament, packed=True)
    await plain.read("snapshot")
    await packed.read("snapshot")
    scene.players(*PAIR, think_ms=100, join=tournament.id)
    scene.pass_ms(1_000)
    late = scene.watch(tournament, packed=True)
    await late.read("snapshot")
    for _ in range(10):
        scene.pass_ms(500)
    for watcher in (plain, packed, late):
        await read_to_the_end(watcher)
    assert packed.events == plain.events
    assert kinds(late.events).index("snapshot") == 0
    assert late.events[1:] == plain.events[1 - len(late.events) :]
    assert len(late.events) > 5


async def test_a_packed_piece_is_made_once_for_all(scene: Scene) -> None:
    tournament = scene.world.create()
    first, second = scene.watch(tournament, packed=True), scene.watch(tournament, packed=True)
    for watcher in (first, second):
        await watcher.read("snapshot")
    scene.players("alice", join=tournament.id)
    scene.pass_ms()
    assert await first.piece() is await second.piece()


async def test_a_crowd_is_told_every_half_second(scene: Scene) -> None:
    tournament = scene.world.create()
    crowd = [scene.watch(tournament) for _ in range(600)]
    for watcher in crowd:
        await watcher.read("snapshot")
    for number in range(50):
        scene.players(f"bot{number}", join=tournament.id)
        scene.pass_ms(100)
    scene.pass_ms(channels.SLOWEST_PACE_MS)
    while len((await crowd[0].read("field")).data["entrants"]) < 50:
        pass
    assert 10 <= kinds(crowd[0].events).count("field") <= 11


async def test_a_slow_reader_loses_its_queue_and_gets_a_snapshot(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectators, "MOST_UNREAD_BYTES", 4_000)
    tournament = scene.world.create(start_at_bots=2, cycles=100)
    slow = scene.watch(tournament)
    await slow.read("snapshot")
    scene.players(*PAIR, join=tournament.id)
    scene.pass_ms(20_000)
    told = await slow.read("snapshot")
    assert unrated(told.data["standings"]) == standings(scene, tournament.id)
    assert told.id == scene.world.log.last


async def test_a_reader_that_reads_nothing_is_cut_off(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    tournament = scene.world.create()
    sent = asyncio.Event()

    async def send_to_nobody() -> None:
        async for _ in scene.feed.stream(tournament):
            sent.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(send_to_nobody())
    await asyncio.wait_for(sent.wait(), 5)
    scene.pass_ms(STUCK_MS + 1_000)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert "read nothing" in caplog.text


async def test_a_silent_stream_says_that_it_is_alive(scene: Scene) -> None:
    watcher = scene.watch(scene.world.create())
    await watcher.read("snapshot")
    scene.pass_ms(KEEP_ALIVE_MS + 500)
    assert await watcher.piece() == b": keep-alive\n\n"


# --- the end ---


async def test_closing_ends_every_stream_also_of_who_does_not_read(scene: Scene) -> None:
    tournament = scene.world.create()
    waiting = scene.watch(tournament)
    await waiting.read("snapshot")
    reading = asyncio.create_task(waiting.piece())
    sent = asyncio.Event()

    async def send_to_nobody() -> None:
        async for _ in scene.feed.stream(tournament):
            sent.set()
            await asyncio.Event().wait()

    stuck = asyncio.create_task(send_to_nobody())
    await asyncio.wait_for(sent.wait(), 5)
    scene.feed.close()
    with pytest.raises(StopAsyncIteration):
        await reading
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(stuck, 5)
    with pytest.raises(StopAsyncIteration):
        await scene.watch(tournament).piece()


async def test_what_nobody_watches_is_soon_not_followed_any_more(scene: Scene) -> None:
    tournament = scene.world.create()
    watcher = scene.watch(tournament)
    await watcher.read("snapshot")
    await watcher.close()
    assert scene.feed.spectators == 0
    scene.pass_ms(UNWATCHED_MS + 1_000)
    assert not scene.world.clock.step(), "a timer is left"
