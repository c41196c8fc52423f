import asyncio
from contextlib import suppress
from typing import Any

import pytest
from rumble_server.web.feed import channel as channels
from rumble_server.web.feed import crosstable, views
from rumble_server.web.feed.feed import UNWATCHED_MS
from rumble_server.web.feed.spectator import Chunk

from tests.server.failing import fail_if
from tests.server.web.feed.reading import kinds, read_to_the_end, standings, unrated
from tests.server.web.memory_server import WRITE_MS, MemoryServer, parse

KINDS = ("match_start", "move", "match_over")
PAIR = ("alice", "bob")


async def test_first_comes_a_snapshot_with_everything(server: MemoryServer) -> None:
    tournament = server.world.create(name="Friday night", cycles=2, start_at_bots=2, invite="hush")
    bots = server.bots(*PAIR, think_ms=100, join=tournament.id, invite="hush")
    server.pass_ms(250)
    told = (await server.watch(tournament).read("snapshot")).data
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


async def test_a_finished_tournament_has_a_snapshot_too(server: MemoryServer) -> None:
    tournament = server.played(*PAIR)
    told = (await server.watch(tournament).read("snapshot")).data
    assert told["status"] == "finished"
    assert unrated(told["standings"]) == standings(server, tournament.id)
    assert told["pairs"] == [{"names": ["alice", "bob"], "scores": [1.0, 1.0], "played": 2}]
    assert [each["match"] for each in told["latest"]] == ["friday.1.1.1.2", "friday.1.1.1.1"]


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
    told = kinds(watcher.events)
    assert {"match_start", "move", "match_over", "standings", "status", "field"} < set(told)
    overs = [event.data for event in watcher.events if event.kind == "match_over"]
    assert [over["match"] for over in overs] == list(tournament.results)
    assert [over["scores"] for over in overs] == [list(over.scores or ()) for over in tournament.results.values()]
    last = [event for event in watcher.events if event.kind == "standings"][-1].data
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
    told = kinds(watcher.events)
    assert told.count("match_over") == 30
    assert told.count("standings") <= 5_000 // 250


async def test_pause_and_voided_results_are_told(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, cycles=50)
    server.pass_ms(1_000)
    watcher = await server.watched(tournament)
    server.world.organiser.pause(tournament.id, "lunch")
    server.pass_ms()
    told = (await watcher.read("status")).data
    assert (told["status"], told["reason"]) == ("paused", "lunch")
    before = len(tournament.results)
    voided = next(iter(tournament.results))
    server.world.organiser.play_again(voided)
    server.pass_ms()
    after = (await watcher.read("standings")).data
    last = [event.data for event in watcher.events if event.kind == "match_over"][-1]
    assert (last["match"], last["attempt"], last["scores"], last["winner"]) == (voided, 1, None, None)
    assert after["matches_over"] == before - 1
    assert after["pairs"][0]["played"] == before - 1


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
    told = [event for event in leaver.events + back.events if event.kind == "match_over"]
    assert told == [event for event in everything.events if event.kind == "match_over"]


async def test_who_is_cut_off_before_the_disk_told_a_result_gets_the_result(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, legs=1)
    watcher = await server.watched(tournament)
    alice, _ = server.bots(*PAIR, think_ms=100, join=tournament.id)
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


async def test_reader_cut_off_before_a_publication_and_back_after_it_gets_a_snapshot(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a node's lease is over, its facts may reach the disk, and are published later."""
    tournament = server.world.create(start_at_bots=2, legs=1)
    watcher = await server.watched(tournament)
    alice, _ = server.bots(*PAIR, think_ms=100, join=tournament.id)
    server.pass_ms()
    await watcher.read("match_start")
    held: list[Any] = []
    monkeypatch.setattr(server.feed, "publish", lambda *batch: held.append(batch))
    server.pass_ms(2_000)
    assert tournament.results
    alice.drop()
    server.pass_ms(500)
    seen = await watcher.read("field")
    await watcher.close()
    monkeypatch.undo()
    for batch in held:
        server.feed.publish(*batch)
    server.pass_ms(UNWATCHED_MS + 1_000)
    assert (await server.watch(tournament, seen.id).read("snapshot")).data["matches_over"] == 1


async def test_who_is_cut_off_within_a_piece_gets_all_of_it_again(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, cycles=5)
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=50, join=tournament.id)
    server.pass_ms(1_000)
    await watcher.piece()
    server.pass_ms(1_000)
    piece = parse(await watcher.piece())
    assert len(piece) > 1
    again = server.watch(tournament, piece[0].id)
    await again.read(piece[-1].kind)
    assert [event for event in again.events if event in piece] == piece


@pytest.mark.parametrize("last_event_id", [0, 10**9])
async def test_what_was_not_kept_is_a_snapshot(server: MemoryServer, last_event_id: int) -> None:
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


async def test_who_comes_back_to_a_new_channel_gets_a_snapshot(server: MemoryServer) -> None:
    """A new channel does not know which boards the reader has, so no final board would come."""
    tournament = server.world.create(start_at_bots=2, time_control={"move_ms": 600_000})
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=500_000, join=tournament.id)
    server.pass_ms()
    await watcher.read("match_start")
    seen = watcher.events[-1].id
    await watcher.close()
    server.pass_ms(UNWATCHED_MS + 1_000)
    assert (await server.watch(tournament, seen).read("snapshot")).data["running"]


@pytest.mark.parametrize("fails", ["result_view", "standings_event"])
async def test_after_an_error_all_readers_get_a_snapshot_also_who_comes_back(
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


@pytest.mark.parametrize("delay_ms", [0, 3_000])
async def test_a_snapshot_that_is_being_made_at_an_error_is_made_anew(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, delay_ms: int
) -> None:
    draw, is_drawn, goes_on = views.live_in_pieces, asyncio.Event(), asyncio.Event()

    async def held(*given: Any) -> Any:
        boards = await draw(*given)
        is_drawn.set()
        await goes_on.wait()
        return boards

    monkeypatch.setattr(views, "live_in_pieces", held)
    tournament, bots = server.world.begun(*"abcd", game="liars-dice", legs=1, spectator_delay_ms=delay_ms)
    late, matches = server.watch(tournament), server.world.arena.matches.live
    server.feed._channel(tournament)
    server.pass_ms()
    reading = asyncio.ensure_future(late.read("snapshot"))
    await is_drawn.wait()
    failed = fail_if(monkeypatch, views, "board_view", lambda *_: True, times=1)
    for bot in [bot for bot in bots if bot.inbox.all("turn")]:
        bot.move(bot.last("turn")["legal"][0])
        server.pass_ms(delay_ms * 2 // 3)
    server.pass_ms()
    assert failed
    goes_on.set()
    shown = {board["match"]: board["ply"] for board in (await reading).data["running"]}
    newest = {match: len(matches[match].referee.progress.moves) for match in tournament.running}
    missing = {match: ply for match, ply in newest.items() if shown[match] < ply}
    assert len(missing) == (1 if delay_ms else 0)
    if delay_ms:
        server.pass_ms(delay_ms)
        await late.read("move")
        assert {event.data["match"]: event.data["ply"] for event in late.events if event.kind == "move"} == missing


async def test_what_is_kept_is_bounded(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "MOST_KEPT_BYTES", 4_000)
    tournament = server.world.create(start_at_bots=2, cycles=100)
    watcher = server.watch(tournament)
    early = await watcher.read("snapshot")
    server.bots(*PAIR, join=tournament.id)
    for _ in range(20):
        server.pass_ms(250)
        late = parse(await watcher.piece())[-1]
    assert (await server.watch(tournament, early.id).read("snapshot")).id >= late.id
    back = server.watch(tournament, late.id)
    await back.read("field")
    assert "snapshot" not in kinds(back.events)


async def test_an_event_is_encoded_once_for_all(server: MemoryServer) -> None:
    tournament = server.world.create()
    first, second = server.watch(tournament), server.watch(tournament)
    for watcher in (first, second):
        await watcher.piece()
    assert await first.piece() is await second.piece()
    server.bots("alice", join=tournament.id)
    server.pass_ms()
    assert await first.piece() is await second.piece()
    assert server.feed.spectator_count == 2


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
    tournament = server.world.create(start_at_bots=2, cycles=100)
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=5, join=tournament.id)
    for _ in range(15):
        server.pass_ms()
    while len(tournament.results) > max(event.data.get("matches_over", 0) for event in watcher.events):
        await watcher.read("match_over")
    told = {kind: [event.data for event in watcher.events if event.kind == kind] for kind in ("status", "standings")}
    assert len(told["status"]) > 2 * len(told["standings"]) > 6


async def test_the_end_of_a_large_tournament_is_told_after_the_last_result(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crosstable, "MOST_IN_CROSSTABLE", 1)
    tournament = server.world.create(start_at_bots=2, cycles=100)
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=50, join=tournament.id)
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
    told = [event.data for event in watcher.events]
    before = told[: next(at for at, data in enumerate(told) if data.get("status") == "cancelled")]
    last = tournament.voided[-1].match
    assert any(data["type"] == "match_over" and data["match"] == last for data in before)


async def test_ratings_are_told_when_they_are_computed(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2, cycles=50)
    watcher = await server.watched(tournament)
    server.bots("alice", "bob", join=tournament.id)
    server.pass_ms(3_000)
    told = await watcher.read("standings")
    while not told.data["rating_model"]:
        told = await watcher.read("standings")
    assert all(line["rating"] is not None for line in told.data["standings"])


@pytest.mark.parametrize(("together_bytes", "sent"), [(1, [1, 1, 1, 1]), (channels.TOGETHER_BYTES, [4])])
async def test_many_boards_take_several_iterations_and_the_last_event_has_the_newest_id(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch, together_bytes: int, sent: list[int]
) -> None:
    monkeypatch.setattr(channels, "AT_ONCE_BYTES", 1)
    monkeypatch.setattr(channels, "TOGETHER_BYTES", together_bytes)
    tournament = server.world.create(start_at_bots=8)
    server.bots(*(f"bot{number}" for number in range(7)), think_ms=40, join=tournament.id)
    watcher = await server.watched(tournament)
    server.bots("bot7", think_ms=40, join=tournament.id)
    told: list[int] = []
    send = channels.Channel.send

    def counted(self: channels.Channel, chunk: Chunk) -> None:
        told.append(chunk.data.count(b"event: match_start"))
        send(self, chunk)

    monkeypatch.setattr(channels.Channel, "send", counted)
    server.pass_ms(300)
    assert [boards for boards in told if boards] == sent
    found = await watcher.read("status")
    started = [event for event in watcher.events if event.kind == "match_start"]
    assert len({event.data["match"] for event in started}) == 4
    assert all(event.id < found.id for event in started), "a reader that is cut off before the end is sent all again"


async def test_so_many_boards_are_told_at_once_and_the_others_later(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "MOST_BOARDS", 2)
    tournament = server.world.create(start_at_bots=8, legs=1)
    server.bots(*(f"bot{number}" for number in range(7)), think_ms=100_000, join=tournament.id)
    watcher = await server.watched(tournament)
    server.bots("bot7", think_ms=100_000, join=tournament.id)
    told = []
    for _ in range(2):
        server.pass_ms()
        told.append([each.data["match"] for each in parse(await watcher.piece()) if each.kind == "match_start"])
    assert [len(boards) for boards in told] == [2, 2]
    assert {*told[0], *told[1]} == set(tournament.running)


async def test_a_match_without_a_told_board_has_no_final_board(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "MOST_BOARDS", 2)
    tournament = server.world.create(start_at_bots=8, legs=1, away_ms=0)
    watcher = await server.watched(tournament)
    bots = server.bots(*(f"bot{number}" for number in range(8)), think_ms=100_000, join=tournament.id)
    server.pass_ms()
    for bot in bots:
        bot.drop()
    server.pass_ms(10)
    server.pass_ms()
    while kinds(watcher.events).count("match_over") < 4:
        await watcher.read("match_over")
    told = {kind: [event.data["match"] for event in watcher.events if event.kind == kind] for kind in KINDS}
    assert len(told["match_start"]) == 2
    assert sorted(told["move"]) == sorted(told["match_start"])
    assert sorted(told["match_over"]) == sorted(tournament.results)


async def test_large_snapshot_takes_several_iterations_and_misses_no_change(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that comes during the making of a snapshot gets the moves of this time at the next flush."""
    monkeypatch.setattr(views, "BOARDS_AT_ONCE", 1)
    tournament = server.world.create(start_at_bots=4, cycles=20)
    server.bots("a", "b", "c", "d", join=tournament.id, think_ms=40, max_matches=4)
    server.pass_ms(50)
    assert len(tournament.running) > 2
    draw, drawn_at_ms = views.boards_view, list[int]()

    def boards_view(matches: Any, arena: Any) -> Any:
        """Draw some boards; the bots move before the next ones are drawn."""
        boards = draw(matches, arena)
        drawn_at_ms.append(arena.clock.now_ms())
        server.pass_ms(45)
        return boards

    monkeypatch.setattr(views, "boards_view", boards_view)
    first, second = server.watch(tournament), server.watch(tournament)
    snapshots = await asyncio.gather(first.read("snapshot"), second.read("snapshot"))
    monkeypatch.setattr(views, "boards_view", draw)
    assert snapshots[0].data == snapshots[1].data
    shown = {board["match"]: board["ply"] for board in snapshots[0].data["running"]}
    assert len(shown) <= len(drawn_at_ms) == len(set(drawn_at_ms)), (
        "a board in each iteration of the loop, once for both"
    )
    changed = {
        match
        for match, each in server.world.arena.matches.live.items()
        if shown.get(match) != len(each.referee.progress.moves)
    }
    assert changed
    server.pass_ms()
    while changed:
        for event in parse(await second.piece()):
            changed.discard(event.data.get("match", ""))


async def test_the_final_position_comes_before_the_result(server: MemoryServer) -> None:
    tournament = server.world.create(start_at_bots=2)
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=100, join=tournament.id)
    for _ in range(8):
        server.pass_ms()
    over = await watcher.read("match_over")
    moves = tournament.results[over.data["match"]].moves
    final = [event for event in watcher.events if event.data.get("match") == over.data["match"]][-2]
    assert (final.kind, final.data["ply"], final.data["moves"]) == ("move", len(moves), list(moves))
    assert not final.data["ticking"]


async def test_final_board_is_sent_even_after_a_flush_between_end_and_disk(
    server: MemoryServer,
) -> None:
    tournament = server.world.create(start_at_bots=2, legs=1)
    watcher = await server.watched(tournament)
    server.bots(*PAIR, think_ms=100, join=tournament.id)
    server.pass_ms()
    await watcher.read("match_start")
    server.world.log.stuck = True
    server.pass_ms(2_000)
    (moves,) = [each.moves for each in tournament.results.values()]
    server.world.log.unstick()
    server.pass_ms()
    over = await watcher.read("match_over")
    final = [event for event in watcher.events if event.data.get("match") == over.data["match"]][-2]
    assert (final.kind, final.data["moves"]) == ("move", list(moves))


async def test_each_result_follows_its_final_board_if_many_matches_end_together(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "AT_ONCE_BYTES", 1)
    tournament = server.world.create(start_at_bots=8, away_ms=0)
    watcher = await server.watched(tournament)
    bots = server.bots(*(f"bot{number}" for number in range(8)), think_ms=5_000, join=tournament.id)
    server.pass_ms()
    await watcher.read("status")
    for bot in bots:
        bot.drop()
    server.pass_ms(10)
    server.pass_ms()
    while kinds(watcher.events).count("match_over") < 4:
        await watcher.read("match_over")
    ends = [(event.kind, event.data["match"]) for event in watcher.events if event.kind in ("move", "match_over")]
    assert ends == [(kind, match) for match in tournament.results for kind in ("move", "match_over")]


async def test_a_snapshot_has_the_final_boards_of_results_that_may_be_in_view(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, think_ms=10)
    server.pass_ms(500)
    assert tournament.status == "finished"
    told = (await server.watch(tournament).read("snapshot")).data
    assert {board["match"]: board["moves"] for board in told["ended"]} == {
        each: list(over.moves) for each, over in tournament.results.items()
    }
    assert not any(board["ticking"] for board in told["ended"])
    server.pass_ms(views.SHOWN_MS + 1)
    assert (await server.watch(tournament).read("snapshot")).data["ended"] == []


async def test_a_match_that_ends_while_a_snapshot_is_made_has_its_final_board(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, _ = server.begun(*PAIR, think_ms=20, legs=1)
    server.pass_ms(60)
    draw = views.ended_in_pieces

    async def ended_in_pieces(*args: Any) -> Any:
        """Draw the ended boards; the match ends before the others are drawn."""
        boards = await draw(*args)
        server.pass_ms(500)
        return boards

    monkeypatch.setattr(views, "ended_in_pieces", ended_in_pieces)
    told = (await server.watch(tournament).read("snapshot")).data
    assert (told["status"], told["running"]) == ("finished", [])
    assert [each["match"] for each in told["ended"]] == [each["match"] for each in told["latest"]] != []


async def test_feed_sends_the_final_board_of_a_match_known_only_from_a_snapshot(
    server: MemoryServer,
) -> None:
    tournament = server.world.create(start_at_bots=2, legs=1)
    await server.watch(tournament).read("snapshot")
    server.pass_ms(channels.SNAPSHOT_MS)
    server.bots(*PAIR, think_ms=20, join=tournament.id)
    server.pass_ms(60)
    watcher = server.watch(tournament)
    (board,) = (await watcher.read("snapshot")).data["running"]
    server.pass_ms(300)
    over = await watcher.read("match_over")
    (moves,) = [each.moves for each in tournament.results.values()]
    final = watcher.events[watcher.events.index(over) - 1]
    assert board["ply"] < len(moves)
    assert (final.data["match"], final.data["moves"]) == (over.data["match"], list(moves))


async def test_who_goes_away_from_a_match_and_comes_back_is_told(server: MemoryServer) -> None:
    tournament, (_, bob) = server.begun(*PAIR, think_ms=50_000, away_ms=60_000, time_control={"move_ms": 60_000})
    server.pass_ms()
    watcher = server.watch(tournament)
    (board,) = (await watcher.read("snapshot")).data["running"]
    assert board["away"] == []
    seat = board["seats"].index("bob")
    bob.drop()
    gone_ms = server.world.clock.now_ms()
    server.pass_ms()
    away = (await watcher.read("move")).data["away"]
    assert away[seat] == {"since_at_ms": gone_ms, "until_at_ms": gone_ms + 60_000}
    assert away[1 - seat] is None
    server.bots("bob", think_ms=50_000, join=tournament.id)
    server.pass_ms()
    assert (await watcher.read("move")).data["away"] == []


async def test_that_the_next_round_is_being_paired_is_told_and_that_it_is_done(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, think_ms=10_000)
    watcher = server.watch(tournament)
    assert not (await watcher.read("snapshot")).data["pairing"]
    for pairs_long in (True, False):
        tournament.is_pairing_slow = pairs_long
        server.pass_ms()
        told = (await watcher.read("status")).data
        while told["pairing"] != pairs_long:
            told = (await watcher.read("status")).data
        assert ("The next round is being paired." in told["headline"]) == pairs_long
