"""The stop of an arena: nothing is judged any more, and the next run goes on."""

from typing import Any

from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl

from tests.server.arena.playing import first_legal
from tests.server.world import World

SHORT_MS = 1500


def stopped_on_the_turn_of_a_full_bank() -> tuple[World, Any, Any]:
    """Return a stopped world, the bot on turn, which has much time, and the other bot, which has `SHORT_MS` left."""
    world = World()
    control = TimeControl(bank_ms=60_000)
    _, (one, two) = world.begun("ann", "ben", time_control=control, away_ms=1000)
    rich, poor = (one, two) if one.inbox.all("turn") else (two, one)
    rich.move(first_legal(rich.last("turn")))
    world.run(poor.last("turn")["clock"]["remaining_ms"] - SHORT_MS)
    poor.move(first_legal(poor.last("turn")))
    assert rich.heard("turn")
    poor.heard()
    world.arena.stop()
    return world, rich, poor


def test_no_bot_loses_on_time_by_a_move_that_comes_after_the_stop() -> None:
    world, rich, poor = stopped_on_the_turn_of_a_full_bank()
    facts = world.log.last
    rich.move(first_legal(rich.last("turn")))
    assert poor.heard() == []
    world.gateway.close_all_after_frames(CloseCode.DRAINING)
    assert [bot.link.closed for bot in (rich, poor)] == [CloseCode.DRAINING] * 2
    poor.drop()
    rich.drop()
    world.run()
    assert world.log.last == facts
    again = world.after_crash()
    late, other = again.login(rich.name), again.login(poor.name)
    turn = late.last("turn")
    assert turn["legal"] == rich.last("turn")["legal"]
    late.move(first_legal(turn))
    assert other.last("turn")["clock"]["remaining_ms"] == SHORT_MS


def test_no_message_enters_the_arena_after_the_stop() -> None:
    world, rich, poor = stopped_on_the_turn_of_a_full_bank()
    facts, turn = world.log.last, rich.last("turn")
    stranger = world.connect()
    stranger.login("zoe")
    named = {"match": turn["match"], "turn_id": turn["turn_id"]}
    rich.say(type="move", **named, move="nonsense")
    rich.say(type="move", **named, move=5)
    rich.say_text("nonsense")
    for message in (
        {"type": "resign", "match": turn["match"]},
        {"type": "join", "tournament": "friday"},
        {"type": "leave", "tournament": "friday"},
        {"type": "challenge", "against": poor.name, "game": "tictactoe"},
    ):
        rich.say(**message)
    for _ in range(world.gateway.limits.unsolicited_per_minute + 1):
        poor.say(type="nonsense")
    assert (rich.heard(), poor.heard()) == ([], [])
    assert stranger.inbox.kinds() == ["welcome"]
    world.gateway.close_all_after_frames(CloseCode.DRAINING)
    assert [bot.link.closed for bot in (rich, poor, stranger)] == [CloseCode.DRAINING] * 3
    for bot in (rich, poor, stranger):
        bot.drop()
    world.run()
    assert world.log.last == facts
    assert world.arena.is_connected(rich.name) is False


def test_a_turn_that_waited_for_the_disk_is_sent_after_the_stop_and_not_judged() -> None:
    world = World()
    world.create(start_at_bots=2, time_control=TimeControl(move_ms=1000))
    ann = world.login("ann", join="friday")
    ben = world.login("ben")
    world.log.stuck = True
    ben.say(type="join", tournament="friday")
    ann.move(first_legal(ann.last("turn")))
    world.run(2000)  # the timer of the first turn is gone
    assert ben.inbox.all("turn") == []
    world.arena.stop()
    facts = world.log.last
    world.log.unstick()
    assert ben.inbox.all("turn")
    world.run()
    assert world.log.last == facts
