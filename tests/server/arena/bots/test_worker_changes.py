"""Workers that come and go, and the fate of their matches."""

from rumble_engine import Termination
from rumble_protocol.codes import CloseCode
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import MatchOver, SeatAway, SeatBack

from tests.server.arena.bots.workers import absent_since_ms, busy, facts, gauntlet, playing, start, workers
from tests.server.arena.playing import NAMES, first_legal
from tests.server.world import World

# --- workers that drop ---


def test_a_match_whose_worker_drops_is_asked_of_another_at_once() -> None:
    world = World()
    control = TimeControl(bank_ms=60_000)
    one, two = busy(playing(world, time_control=control))
    turn = one.last("turn")
    world.run(4000)
    one.drop()
    start, asked = two.heard()[-2:]
    assert (start["type"], start["match"], start["resumed"]) == ("match_start", turn["match"], True)
    assert (asked["type"], asked["ply"]) == ("turn", turn["ply"])
    assert asked["turn_id"] != turn["turn_id"]
    assert asked["clock"]["remaining_ms"] == 56_000, "as it stood"
    assert not facts(world, SeatAway)
    two.move(first_legal(asked))
    two.say(type="resign", match=turn["match"])
    (over,) = facts(world, MatchOver)
    assert (over.termination, over.drops) == (Termination.RESIGNATION, (0, 0))


def test_a_worker_that_takes_a_match_over_is_asked_as_its_own_login_wants() -> None:
    world = World()
    tournament = gauntlet(world)
    (one,) = workers(world, "one", join=tournament.id, omit=["legal"])
    start(world, tournament, "ben")
    (two,) = workers(world, "two", omit=["moves"])
    assert "legal" not in one.last("turn")
    one.drop()
    assert "moves" not in two.last("turn")
    assert two.last("turn")["legal"]


def test_matches_of_a_worker_go_to_the_workers_with_most_room() -> None:
    world = World()
    one, two, three = workers(world, "one", "two", "three", max_matches=1)
    tournament = gauntlet(world)
    four, five = workers(world, "four", "five", max_matches=3)
    four.say(type="join", tournament=tournament.id)
    start(world, tournament, *NAMES[1:5])
    assert sorted(len(bot.inbox.all("match_start")) for bot in (one, two, three, four, five)) == [0, 0, 0, 2, 2]
    four.drop()
    assert [len(bot.inbox.all("match_start")) for bot in (one, two, three, five)] == [1, 1, 0, 2]
    assert not facts(world, SeatAway)


def test_without_room_elsewhere_the_away_budget_runs_until_a_worker_has_room() -> None:
    world = World()
    one, two = playing(world, 2, away_ms=30_000)
    lost, kept = (bot.last("match_start")["match"] for bot in (one, two))
    one.drop()
    (away,) = facts(world, SeatAway)
    assert away.match == lost
    world.run(5000)
    two.say(type="resign", match=kept)
    (back,) = facts(world, SeatBack)
    assert (back.match, back.away_left_ms) == (lost, 25_000)
    assert two.last("match_start")["match"] == lost
    assert two.last("turn")["match"] == lost


def test_a_match_that_is_away_comes_before_a_new_match() -> None:
    world = World()
    one, two = playing(world, 3)
    lost, kept = (bot.last("match_start")["match"] for bot in (one, two))
    one.drop()
    two.say(type="resign", match=kept)
    assert [frame["match"] for frame in two.inbox.all("match_start")] == [kept, lost]


def test_a_replaced_worker_with_less_room_leaves_the_rest_to_others() -> None:
    world = World()
    (one,) = playing(world, 3, names=("one",), login={"max_matches": 3})
    (two,) = workers(world, "two")
    assert len(one.inbox.all("match_start")) == 3
    (again,) = workers(world, "one")
    matches = [frame["match"] for frame in one.inbox.all("match_start")]
    told = [frame["match"] for bot in (again, two) for frame in bot.inbox.all("match_start")]
    assert again.last("session")["matches"] == [told[0]]
    assert len(told) == 2
    (away,) = facts(world, SeatAway)
    assert {*told, away.match} == set(matches)


def test_a_bot_is_absent_from_its_tournaments_when_no_session_is_left() -> None:
    world = World()
    tournament = gauntlet(world, absent_ms=10_000)
    one, two = workers(world, "one", "two", join=tournament.id)
    one.drop()
    assert absent_since_ms(tournament) is None
    assert world.arena.is_connected("ann")
    two.drop()
    assert absent_since_ms(tournament) == world.clock.now_ms()
    workers(world, "three")
    assert absent_since_ms(tournament) is None


def test_a_session_that_is_closing_is_given_nothing() -> None:
    world = World()
    tournament = gauntlet(world)
    beyond, key = {"address": "203.0.113.7", "is_local": False}, "correct-horse-battery"
    one = world.login("ann", beyond, worker="one", key=key, join=tournament.id, max_matches=9)
    (two,) = workers(world, "two", key=key)
    world.organiser.ban("203.0.113.7/32", by_name=False, until_ms=None, reason="")
    assert (one.link.closed, two.link.closed) == (CloseCode.BANNED, None)
    start(world, tournament, "ben")
    assert two.inbox.all("match_start")
    assert not one.inbox.all("match_start")


# --- a restart ---


def restarted(opponents: int) -> tuple[World, list[str]]:
    """Return the next run of a server on which ann plays a match at each of several workers."""
    world = World()
    names = tuple(f"w{number}" for number in range(opponents))
    playing(world, opponents, names=names)
    matches = list(world.arena.matches.live)
    assert len(matches) == opponents
    return world.after_crash(), matches


def test_after_a_restart_matches_go_on_with_whichever_worker_has_room() -> None:
    world, matches = restarted(3)
    (first,) = workers(world, "new", max_matches=2)
    (second,) = workers(world, "w0")
    assert first.last("session")["matches"] == matches[:2]
    assert second.last("session")["matches"] == matches[2:]
    assert {frame["resumed"] for bot in (first, second) for frame in bot.inbox.all("match_start")} == {True}


def test_after_a_restart_a_login_without_a_worker_has_all_as_ever() -> None:
    world, matches = restarted(3)
    assert world.login("ann").last("session")["matches"] == matches
