"""Answers to bots about ended tournaments that are not in memory, from the record."""

from collections.abc import Callable
from typing import Any

import pytest
from rumble_server.match.facts import FrameSeen
from rumble_server.tournament.ended import EndedTournament

from tests.server.arena.playing import begun_at_random, enter
from tests.server.world import World

Done = Callable[[EndedTournament | None], None]


def world_after(**arena: Any) -> World:
    """Return the next run: ann and ben have played, cid has left, dan was only in the lobby."""
    world = World()
    tournament = world.create(start_at_bots=3)
    (dan,) = world.logins("dan", join=tournament.id)
    dan.say(type="leave", tournament=tournament.id)
    bots = enter(world, tournament.id, "ann", "ben", "cid")
    bots[2].say(type="leave", tournament=tournament.id)
    world.run()
    assert tournament.status == "finished"
    return world.after_crash(**arena)


def test_a_bot_that_was_in_an_ended_tournament_is_told_its_result_as_at_the_end() -> None:
    world = World()
    _, (ann, _) = begun_at_random(world, "ann", "ben")
    world.run()
    after = world.after_crash().login("ann", join="friday")
    joined, over = after.inbox.frames[-2:]
    assert joined == {**ann.last("joined"), "status": "finished"}
    assert over == ann.last("tournament_over")


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("cid", "cid left friday for good"),
        ("dan", "friday is over; it takes no more bots: join another"),
        ("zoe", "friday is over; it takes no more bots: join another"),
    ],
)
def test_a_bot_that_was_not_in_an_ended_tournament_cannot_join(bot: str, message: str) -> None:
    error = world_after().login(bot, join="friday").last("error")
    assert (error["code"], error["message"]) == ("tournament_closed", message)


def test_a_bot_cannot_leave_an_ended_tournament_and_others_have_left_already() -> None:
    world = world_after()
    for name in ("cid", "dan", "zoe"):
        bot = world.login(name)
        bot.say(type="leave", tournament="friday")
        assert (bot.last("left")["tournament"], bot.last("left")["status"]) == ("friday", "finished")
    bot = world.login("ann")
    bot.say(type="leave", tournament="friday")
    error = bot.last("error")
    assert (error["code"], error["message"]) == ("tournament_closed", "friday is over; its results stand")


@pytest.mark.parametrize("kind", ["join", "leave"])
def test_an_ended_tournament_that_cannot_be_read_is_told_as_unavailable(kind: str) -> None:
    world = world_after()
    world.log.records.clear()
    bot = world.login("ann")
    bot.say(type=kind, tournament="friday")
    assert bot.error() == "unavailable"
    assert bot.last("error")["message"] == "friday is over; it cannot be read"


@pytest.mark.parametrize("end", ["drop", "replace", "stop"])
def test_the_answer_is_for_the_session_that_asked(end: str) -> None:
    asked: list[Done] = []
    world = world_after(find_ended=lambda _, done: asked.append(done))
    bot = world.login("ann", join="friday")
    newest = bot
    if end == "drop":
        bot.drop()
    elif end == "replace":
        newest = world.login("ann")
    else:
        world.arena.stop()
    frames = len(bot.inbox.frames), len(newest.inbox.frames)
    (done,) = asked
    done(world.log.records["friday"])
    assert (len(bot.inbox.frames), len(newest.inbox.frames)) == frames


def test_a_refusal_stands_in_the_transcripts_of_the_matches_that_the_bot_is_playing() -> None:
    world = world_after()
    tournament = world.create(name="Monday", start_at_bots=2)
    bots: Any = world.logins("ann", "zoe", join=tournament.id)
    bots[1].say(type="join", tournament="friday")
    seen = [fact for fact in world.log.facts if isinstance(fact, FrameSeen)]
    assert [fact.sender for fact in seen] == ["bot", "server"]
    assert ["takes no more bots" in fact.frame for fact in seen] == [False, True]
