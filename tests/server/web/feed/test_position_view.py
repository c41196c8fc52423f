"""Matches of hidden games for spectators and for readers of transcripts."""

import json
from typing import Any

from rumble_protocol.feed_messages import Board
from rumble_server.web.api import from_log
from rumble_server.web.api.replays import running_view
from rumble_server.web.feed.feed import KEEP_ALIVE
from rumble_server.web.feed.views import board_view

from tests.hidden.begun import MATCH, begun
from tests.hidden.tokens import installed
from tests.server.web.memory_server import MemoryServer, parse
from tests.server.world import World


def views_of(world: World) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the board in the feed and the match in the API, as JSON data."""
    progress, now_ms = world.arena.matches.live[MATCH].progress, world.clock.now_ms()
    board, match = board_view(Board, progress, now_ms), running_view(progress, now_ms)
    assert board is not None
    return json.loads(board.model_dump_json()), json.loads(match.model_dump_json())


def transcript(world: World, owner: str | None) -> str:
    facts: list[Any] = [fact for fact in world.log.facts if getattr(fact, "match", None) == MATCH]
    return (from_log.transcript_lines(facts, owner) or b"").decode()


def test_spectators_see_only_public_knowledge_until_the_end() -> None:
    with begun(settings={"rounds": 2}) as (world, (first, second)):
        first.move(first.last("turn")["legal"][0])
        for shown in views_of(world):
            assert (shown["moves"], shown["position"]) == (["? ?", "? -", "? ?"], "")
            assert shown["state"] == {"rounds": 2, "round": 1, "out": [], "seats": 2, "is_dealt": True}
            assert set(shown["drawing"]["board"]) == {"."}
        secrets = [bot.last("turn")["state"]["token"] for bot in (first, second)]
        assert transcript(world, None) == ""
        assert secrets[0] in transcript(world, first.name)
        assert secrets[1] not in transcript(world, first.name)
        for bot in (first, second):
            bot.move(bot.last("turn")["legal"][0])
        over = first.last("match_over")
        assert over == second.last("match_over")
        assert over["moves"][2] == " ".join(secrets)
        assert all(secret in transcript(world, None) for secret in secrets)


def test_former_player_of_a_seat_reads_nothing_of_the_present_one() -> None:
    with installed():
        world = World()
        world.create(game="tokens", seats=3, format="knockout", start_at_bots=3, absent_ms=100)
        bots = {bot.name: bot for bot in world.logins("ann", "ben", "cid", join="friday")}
        first = world.arena.matches.live[MATCH].progress.terms.seats
        bots[first[0]].drop()
        with world.arena.recorder.transaction:
            world.arena.matches.abort(MATCH, "void")
        world.run(200)
        assert world.arena.matches.live[MATCH].progress.terms.seats == first[1:]
        token = bots[first[1]].last("turn")["state"]["token"]
        assert [token in transcript(world, bot) for bot in first] == [False, True, False]


async def test_the_feed_tells_a_ply_once_when_its_delay_is_over() -> None:
    with installed():
        server = MemoryServer()
        tournament = server.world.create(game="tokens", start_at_bots=2, legs=1, spectator_delay_ms=5_000)
        first, *_ = sorted(server.world.logins("ann", "ben", join="friday"), key=lambda bot: not bot.heard("turn"))
        watcher, plies = server.watch(tournament), list[int]()
        snapshot = await watcher.read("snapshot")
        assert [board["ply"] for board in snapshot.data["running"]] == [0]
        server.feed._channels["friday"].send = lambda chunk: plies.extend(  # type: ignore[method-assign]
            event.data["ply"] for event in parse(chunk.data.replace(KEEP_ALIVE.data, b"")) if event.kind == "move"
        )
        for second in range(9):
            if second == 2:
                first.move(first.last("turn")["legal"][0])
            server.pass_ms(1_000)
        assert plies == [1, 3]
        await watcher.close()


def test_spectators_with_a_delay_see_the_match_as_it_was() -> None:
    bank = {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 0}
    with begun(spectator_delay_ms=1000, time_control=bank) as (world, (first, second)):
        assert [len(shown["moves"]) for shown in views_of(world)] == [0, 0]
        world.run(400)
        first.move(first.last("turn")["legal"][0])
        world.run(700)
        board, match = views_of(world)
        assert (board["moves"], board["movers"], board["ticking"]) == (["? ?"], [], False)
        second.drop()
        for shown in views_of(world):
            assert (shown["seats_ms"], shown["away"]) == ([60_000, 60_000], [])
            assert shown["at_ms"] == world.clock.now_ms(), "the time of the newest turn"
        second = world.login(second.name)
        assert (match["moves"], match["thinking"], match["ticking"]) == (["? ?"], [], False)
        world.run(400)
        board, _ = views_of(world)
        assert (board["ply"], board["movers"], board["ticking"]) == (3, [0, 1], True)
        second.say(type="resign", match=MATCH)
        first.move(first.last("turn")["legal"][0])
