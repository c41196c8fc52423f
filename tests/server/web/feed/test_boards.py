"""Boards in a channel: many at once, the final board of each match, and who is away."""

import pytest
from rumble_server.web.feed import channel as channels
from rumble_server.web.feed import flush

from tests.server.web.feed.reading import PAIR, final_board, kinds, watched_from_lobby
from tests.server.web.memory_server import MemoryServer, Watcher, parse
from tests.server.world import Bot

EIGHT = tuple(f"bot{number}" for number in range(8))


async def lose_all(server: MemoryServer, watcher: Watcher, bots: list[Bot]) -> None:
    """Let all bots lose their connections and so their four matches, and read the results."""
    for bot in bots:
        bot.drop()
    server.pass_ms(10)
    server.pass_ms()
    while kinds(watcher.events).count("match_over") < 4:
        await watcher.read("match_over")


async def test_boards_sent_at_once_are_bounded_and_the_others_follow_later(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "MOST_BOARDS", 2)
    tournament, watcher, _ = await watched_from_lobby(server, *EIGHT, think_ms=100_000, legs=1)
    counts = []
    for _ in range(2):
        server.pass_ms()
        counts.append([each.data["match"] for each in parse(await watcher.piece()) if each.kind == "match_start"])
    assert [len(boards) for boards in counts] == [2, 2]
    assert {*counts[0], *counts[1]} == set(tournament.running)


async def test_a_match_without_a_told_board_has_no_final_board(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "MOST_BOARDS", 2)
    tournament, watcher, bots = await watched_from_lobby(server, *EIGHT, think_ms=100_000, legs=1, away_ms=0)
    server.pass_ms()
    await lose_all(server, watcher, bots)
    starts, moves, overs = (
        sorted(data["match"] for data in watcher.data_of(kind)) for kind in ("match_start", "move", "match_over")
    )
    assert len(starts) == 2
    assert moves == starts
    assert overs == sorted(tournament.results)


async def test_final_board_is_sent_even_after_a_flush_between_end_and_disk(
    server: MemoryServer,
) -> None:
    tournament, watcher, _ = await watched_from_lobby(server, *PAIR, think_ms=100, legs=1)
    server.pass_ms()
    await watcher.read("match_start")
    server.world.log.stuck = True
    server.pass_ms(2_000)
    (moves,) = [each.moves for each in tournament.results.values()]
    server.world.log.unstick()
    server.pass_ms()
    over = await watcher.read("match_over")
    final = final_board(watcher, over)
    assert (final.kind, final.data["moves"]) == ("move", list(moves))


async def test_each_result_follows_its_final_board_if_many_matches_end_together(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flush, "AT_ONCE_BYTES", 1)
    tournament, watcher, bots = await watched_from_lobby(server, *EIGHT, think_ms=5_000, away_ms=0)
    server.pass_ms()
    await watcher.read("status")
    await lose_all(server, watcher, bots)
    ends = [(event.kind, event.data["match"]) for event in watcher.events if event.kind in ("move", "match_over")]
    assert ends == [(kind, match) for match in tournament.results for kind in ("move", "match_over")]


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
    final = final_board(watcher, over)
    assert board["ply"] < len(moves)
    assert (final.data["match"], final.data["moves"]) == (over.data["match"], list(moves))


async def test_absences_from_a_match_and_returns_are_told(server: MemoryServer) -> None:
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
