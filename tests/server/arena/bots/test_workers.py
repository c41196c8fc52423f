"""A bot of several workers is one bot, and each worker gets its own frames."""

from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_protocol.server_messages import Limits
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.match.facts import FrameSeen, FrameShared, MatchOver, SeatAway

from tests.server.arena.bots.workers import busy, facts, gauntlet, playing, workers
from tests.server.world import World

# --- several sessions are one bot ---


def test_a_new_login_replaces_its_own_worker_alone() -> None:
    world = World()
    one, two = playing(world, 2)
    match = one.last("match_start")["match"]
    again = world.login("ANN", worker="ONE")
    assert (one.link.closed, two.link.closed) == (CloseCode.REPLACED, None)
    assert one.link.reason == "a newer login of this worker took over"
    assert again.last("session")["matches"] == [match]
    assert (again.last("match_start")["match"], again.last("match_start")["resumed"]) == (match, True)
    assert two.inbox.all("session")[0]["matches"] == []
    assert not [frame for frame in two.inbox.frames if frame.get("match") == match]
    one.drop()
    assert not facts(world, SeatAway)
    workers(world, "one")
    assert again.link.closed is CloseCode.REPLACED


def test_a_login_without_a_worker_is_a_worker_of_its_own() -> None:
    world = World()
    (named,) = workers(world, "one")
    plain = world.login("ann")
    assert named.link.closed is None
    world.login("ann")
    assert (named.link.closed, plain.link.closed) == (None, CloseCode.REPLACED)
    assert plain.link.reason == "a newer login of this name took over"


def test_a_bot_has_no_more_workers_than_it_may() -> None:
    world = World(admission=Admission(Bounds(sessions_per_bot=2)))
    first, _second = workers(world, "one", "two")
    (third,) = workers(world, "three")
    assert (third.error(), third.link.closed) == ("unavailable", None)
    plain = world.login("ann")
    assert plain.error() == "unavailable"
    (second_again,) = workers(world, "two")
    assert second_again.last("session")["name"] == "ann", "it takes the place of the one there was"
    first.drop()
    third.login("ann", worker="three")
    assert third.last("session")["name"] == "ann"


# --- what goes to whom ---


def test_frames_of_a_match_go_to_the_session_that_plays_it() -> None:
    world = World()
    one, two = busy(playing(world))
    match = one.last("match_start")["match"]
    two.heard()
    two.say(type="move", match=match, turn_id=one.last("turn")["turn_id"], move="4")
    assert two.last("rejected")["code"] == "unknown_match"
    two.say(type="resign", match=match)
    assert two.error() == "bad_message"
    one.say(type="resign", match=match)
    assert one.last("match_over")["termination"] == "resignation"
    assert not two.inbox.all("match_over")


def test_frames_about_a_tournament_go_to_every_session_and_answers_to_the_asking_session() -> None:
    world = World()
    one, two = workers(world, "one", "two")
    tournament = gauntlet(world)
    one.say(type="join", tournament=tournament.id)
    assert [bot.inbox.kinds()[-1] for bot in (one, two)] == ["joined", "joined"]
    two.say(type="join", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [[], ["joined"]]
    two.say(type="join", tournament="nowhere")
    assert [bot.inbox.kinds() for bot in (one, two)] == [[], ["error"]]
    two.say(type="leave", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [["left"], ["left"]]
    one.say(type="leave", tournament=tournament.id)
    assert [bot.inbox.kinds() for bot in (one, two)] == [["left"], []]


def test_a_frame_of_no_match_is_kept_with_the_matches_of_its_session() -> None:
    world = World()
    one, two = playing(world, 2)
    own = {bot.link: bot.last("match_start")["match"] for bot in (one, two)}
    one.say_text("{")
    assert {seen.match for seen in facts(world, FrameSeen) if seen.frame == "{"} == {own[one.link]}
    assert not facts(world, FrameShared), "by no match of the other session"


def test_lag_and_thinking_are_those_of_the_session() -> None:
    world = World()
    one, two = sorted(playing(world, 2), key=lambda bot: not bot.inbox.all("turn"))
    assert [len(bot.inbox.all("turn")) for bot in (one, two)] == [1, 0]
    two.session.on_round_trip(7)
    one.session.on_round_trip(70)
    for bot, lag_ms in ((one, 70), (two, 7)):
        match = world.arena.matches.live[bot.last("match_start")["match"]]
        assert match.progress.seats[bot.last("match_start")["seat"]].lag_ms == lag_ms
    one.session.on_silence()
    two.session.on_silence()
    assert (one.link.was_cut, two.link.was_cut) == (False, True)


def test_a_match_that_never_began_is_told_once() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=1000)
    older, newest = workers(world, "one", "two", join=tournament.id)
    world.login("ben", join=tournament.id).drop()
    world.organiser.start(tournament.id)
    world.run(2000)
    assert len(newest.inbox.all("match_over")) == 1
    assert not older.inbox.all("match_over")
    assert len(older.inbox.all("tournament_over")) == len(newest.inbox.all("tournament_over")) == 1


# --- floods ---


def test_a_flood_loses_the_matches_of_its_worker_alone() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    one, two = playing(world, 2)
    own, others = (bot.last("match_start")["match"] for bot in (one, two))
    for _ in range(6):
        one.say(type="join", tournament="nowhere")
    assert one.link.closed is CloseCode.TOO_MANY_MESSAGES
    (over,) = facts(world, MatchOver)
    assert (over.match, over.termination) == (own, Termination.FLOOD)
    assert others in world.arena.matches.live
    two.say(type="join", tournament="nowhere")
    assert two.link.closed is None, "its messages are counted apart"
    (again,) = workers(world, "one")
    assert again.link.closed is CloseCode.TOO_MANY_MESSAGES, "the limit outlives the connection"


def test_new_names_of_workers_bring_no_new_messages() -> None:
    world = World(limits=Limits(unsolicited_per_minute=5))
    for number in range(6):
        (bot,) = workers(world, f"w{number}")
        bot.drop()
    assert bot.link.closed is CloseCode.TOO_MANY_MESSAGES
    plain = world.login("ann")
    assert plain.link.closed is None
