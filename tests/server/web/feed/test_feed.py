import asyncio

import pytest
from rumble_engine.games.tictactoe import TicTacToeState
from rumble_server.web.feed import feed as feeds
from rumble_server.web.feed.channel import SNAPSHOT_MS, Channel
from rumble_server.web.feed.feed import KEEP_ALIVE, KEEP_ALIVE_MS, UNWATCHED_MS
from rumble_server.web.feed.ranker import Ranker

from tests.server.failing import fail, fail_if
from tests.server.web.feed.reading import PAIR, held_up, read_nothing, watched_from_lobby
from tests.server.web.memory_server import MemoryServer


async def test_a_result_waits_for_the_disk(server: MemoryServer) -> None:
    tournament, watcher, _ = await watched_from_lobby(server, *PAIR, think_ms=50)
    server.pass_ms(300)
    await watcher.read("match_start")
    server.world.log.stuck = True
    server.pass_ms(2_000)
    assert tournament.standings.lines()[0].points > 0
    late = asyncio.create_task(server.watch(tournament).read("snapshot"))
    early = asyncio.create_task(watcher.read("match_over"))
    done, _ = await asyncio.wait([late, early], timeout=0.05)
    assert not done
    server.world.log.unstick()
    server.pass_ms()
    assert (await late).data["matches_over"] == 1
    await early


async def test_a_silent_stream_says_that_it_is_alive(server: MemoryServer) -> None:
    watcher = server.watch(server.world.create())
    await watcher.read("snapshot")
    server.pass_ms(KEEP_ALIVE_MS + 500)
    assert await watcher.piece() == KEEP_ALIVE.data


async def test_a_channel_that_fails_holds_up_no_other(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = server.world.create(), server.world.create(name="good", start_at_bots=2)
    await server.watched(bad)
    watcher = await server.watched(good)

    fail_if(monkeypatch, Channel, "flush", lambda channel, *_: channel.tournament is bad)
    server.bots(*PAIR, think_ms=50, join=good.id)
    server.pass_ms(300)
    await watcher.read("match_start")
    assert "the feed of friday failed" in caplog.text


async def test_closing_ends_streams_of_readers_that_do_not_read(server: MemoryServer) -> None:
    tournament = server.world.create()
    waiting = await server.watched(tournament)
    reading = asyncio.create_task(waiting.piece())
    stuck = await read_nothing(server, tournament)
    server.feed.close()
    with pytest.raises(StopAsyncIteration):
        await reading
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(stuck, 5)


async def test_a_tournament_that_nobody_watches_is_soon_not_followed_any_more(server: MemoryServer) -> None:
    tournament = server.world.create()
    watcher = await server.watched(tournament)
    await watcher.close()
    assert server.feed.reader_count == 0
    server.pass_ms(UNWATCHED_MS + 1_000)
    assert not server.world.clock.step(), "a timer is left"


async def test_reader_of_an_ended_tournament_gets_a_snapshot_and_keep_alives(
    server: MemoryServer,
) -> None:
    stream = server.feed.stream_of_ended("friday", b'{"id":"friday"}', endings=0)
    assert await anext(stream) == b"retry: 1000\n\n"
    assert await anext(stream) == b'id: 0\nevent: snapshot\ndata: {"id":"friday"}\n\n'
    assert server.feed.reader_count == 1
    server.pass_ms(KEEP_ALIVE_MS + 1_000)
    assert await anext(stream) == KEEP_ALIVE.data
    await stream.aclose()  # type: ignore[attr-defined]  # it is an async generator
    assert server.feed.reader_count == 0


async def test_a_stream_that_is_being_prepared_when_the_server_stops_starts_no_timer(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.world.create()
    called, goes_on = held_up(monkeypatch, Ranker, "fresh_ranking")
    reading = asyncio.create_task(server.watch(tournament).piece())
    await called.wait()
    server.feed.close()
    monkeypatch.setattr(Channel, "flush", lambda *_: pytest.fail("the feed goes on"))
    goes_on.set()
    with pytest.raises(StopAsyncIteration):
        await reading
    server.pass_ms(1_000)


PREPARING = [(Ranker, "fresh_ranking"), (feeds, "prepare_pairs"), (Channel, "catch_up")]


@pytest.mark.parametrize(("owner", "name"), PREPARING)
async def test_a_stream_that_is_being_prepared_ends_with_the_open_streams(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    tournament = server.world.create()
    called, goes_on = held_up(monkeypatch, owner, name)
    reading = asyncio.create_task(server.watch(tournament).piece())
    await called.wait()
    server.feed.end_streams()
    goes_on.set()
    with pytest.raises(StopAsyncIteration):
        await reading
    assert server.feed.reader_count == 0
    await server.watched(tournament)


async def test_ids_never_decrease_behind_a_snapshot_that_told_more(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2)
    await server.watch(tournament).read("snapshot")
    server.pass_ms(SNAPSHOT_MS)
    server.bots(*PAIR, think_ms=50, join=tournament.id)
    late = await server.watched(tournament)
    server.pass_ms(1_000)
    await late.read("match_start")
    ids = [event.id for event in late.events]
    assert ids == sorted(ids)


async def test_a_position_that_a_game_cannot_show_stops_no_stream(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(TicTacToeState, "diagram", fail)
    broken, whole = server.world.create(name="Broken"), server.world.create(name="Whole", game="connect4")
    watchers = [await server.watched(each) for each in (broken, whole)]
    for tournament in (broken, whole):
        server.bots(*PAIR, think_ms=50, join=tournament.id)
        server.world.organiser.start(tournament.id)
    server.pass_ms(20_000)
    assert [(await watcher.read("match_over")).data["termination"] for watcher in watchers] == ["normal", "normal"]
    (snapshot,) = [(await server.watch(broken).read("snapshot")).data]
    assert (snapshot["running"], snapshot["ended"], snapshot["matches_over"]) == ([], [], 2)
    messages = [record.getMessage() for record in caplog.records if "has no board" in record.getMessage()]
    assert len(messages) == len(set(messages)) == 2, "each attempt is logged once"


async def test_a_game_that_fails_to_tell_its_outcome_stops_no_stream(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome(state: TicTacToeState) -> None:
        if len(state.legal_moves) < 8:
            raise RuntimeError("a bug in the game")

    tournament = server.world.create()
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=50, join=tournament.id)
    monkeypatch.setattr(TicTacToeState, "outcome", property(outcome))
    server.world.organiser.start(tournament.id)
    server.pass_ms(20_000)
    assert (await watcher.read("match_over")).data["termination"] == "aborted"


async def test_a_reader_whose_snapshot_was_made_before_a_freeze_of_the_process_is_read_to(server: MemoryServer) -> None:
    tournament = server.world.create()
    watcher = server.watch(tournament)
    reading = asyncio.ensure_future(anext(watcher.stream))
    await asyncio.sleep(0)
    server.pass_ms(UNWATCHED_MS)
    await reading
    await watcher.read("snapshot")
    server.world.organiser.end("friday", cancelled=True)
    server.pass_ms()
    assert (await watcher.read("status")).data["status"] == "cancelled"
