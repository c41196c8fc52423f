"""Snapshots of a channel: their content, their making over several iterations, and the boards of ended matches."""

import asyncio
from typing import Any

import pytest
from rumble_engine import State
from rumble_server.web.feed import views

from tests.server.failing import fail_if, note_calls
from tests.server.web.feed.reading import PAIR, standings, unrated
from tests.server.web.memory_server import MemoryServer, parse


async def test_first_comes_a_snapshot_with_everything(server: MemoryServer) -> None:
    tournament = server.world.create(name="Friday night", cycles=2, start_at_bots=2, invite="hush")
    bots = server.bots(*PAIR, think_ms=100, join=tournament.id, invite="hush")
    server.pass_ms(250)
    snapshot = (await server.watch(tournament).read("snapshot")).data
    assert (snapshot["id"], snapshot["name"], snapshot["status"]) == ("friday-night", "Friday night", "running")
    assert snapshot["by_invitation"]
    assert "hush" not in str(snapshot)
    assert [entrant["name"] for entrant in snapshot["entrants"]] == ["alice", "bob"]
    assert all(entrant["connected"] for entrant in snapshot["entrants"])
    (board,) = snapshot["running"]
    turn = bots[0].last("turn")
    assert (board["match"], board["state"].keys()) == (turn["match"], {"board"})
    assert board["ply"] == len(board["moves"]) >= 2
    assert "\n" in board["diagram"]
    assert (snapshot["matches_over"], snapshot["matches_total"]) == (0, 4)


async def test_a_finished_tournament_has_a_snapshot_too(server: MemoryServer) -> None:
    tournament = server.played(*PAIR)
    snapshot = (await server.watch(tournament).read("snapshot")).data
    assert snapshot["status"] == "finished"
    assert unrated(snapshot["standings"]) == standings(server, tournament.id)
    assert snapshot["pairs"] == [{"names": ["alice", "bob"], "scores": [1.0, 1.0], "played": 2}]
    assert [each["match"] for each in snapshot["latest"]] == ["friday.1.1.1.2", "friday.1.1.1.1"]


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
    newest = {match: len(matches[match].progress.moves) for match in tournament.running}
    missing = {match: ply for match, ply in newest.items() if shown[match] < ply}
    assert len(missing) == (1 if delay_ms else 0)
    if delay_ms:
        server.pass_ms(delay_ms)
        await late.read("move")
        assert {data["match"]: data["ply"] for data in late.data_of("move")} == missing


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
        match for match, each in server.world.arena.matches.live.items() if shown.get(match) != len(each.progress.moves)
    }
    assert changed
    server.pass_ms()
    while changed:
        for event in parse(await second.piece()):
            changed.discard(event.data.get("match", ""))


async def test_a_snapshot_has_the_final_boards_of_results_that_may_be_in_view(server: MemoryServer) -> None:
    tournament, _ = server.begun(*PAIR, think_ms=10)
    server.pass_ms(500)
    assert tournament.status == "finished"
    snapshot = (await server.watch(tournament).read("snapshot")).data
    assert {board["match"]: board["moves"] for board in snapshot["ended"]} == {
        each: list(over.moves) for each, over in tournament.results.items()
    }
    assert not any(board["ticking"] for board in snapshot["ended"])
    server.pass_ms(views.SHOWN_MS + 1)
    assert (await server.watch(tournament).read("snapshot")).data["ended"] == []


async def test_the_final_board_of_a_long_match_is_drawn_without_playing_the_match_again(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = server.world.create(game="othello", start_at_bots=2, legs=1)
    server.bots(*PAIR, join=tournament.id, think_ms=1)
    while not tournament.results:
        server.pass_ms(50)
    (over,) = tournament.results.values()
    assert len(over.moves) > 40
    played = note_calls(monkeypatch, State, "play")
    (board,) = await views.ended_in_pieces(tournament, server.world.clock.now_ms())
    assert (board.match, board.moves) == (over.match, list(over.moves))
    assert not played
    tournament.final_states.clear()  # as after a restart of the server
    assert await views.ended_in_pieces(tournament, server.world.clock.now_ms()) == [board]
    assert played


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
    snapshot = (await server.watch(tournament).read("snapshot")).data
    assert (snapshot["status"], snapshot["running"]) == ("finished", [])
    assert [each["match"] for each in snapshot["ended"]] == [each["match"] for each in snapshot["latest"]] != []
