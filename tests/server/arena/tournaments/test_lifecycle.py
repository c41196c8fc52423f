"""A bot's way through a tournament: it joins, leaves, is benched, and the tournament ends."""

import weakref
from collections import Counter

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.results.standings import WinLossStandings
from rumble_server.tournament.errors import CommandRefused

from tests.server.arena.playing import NAMES, assert_all_was_played, begun_at_random, enter, first_legal
from tests.server.world import World

# --- joining and leaving ---


def test_joining_again_is_told_again_and_changes_nothing() -> None:
    world = World()
    tournament = world.create()
    bot = world.login("ann", join=tournament.id)
    told = bot.last("joined")
    facts = len(world.log.facts)
    bot.say(type="join", tournament=tournament.id)
    assert bot.inbox.all("joined") == [told, told]
    assert len(world.log.facts) == facts


def test_a_joined_tournament_is_told_with_all_settings() -> None:
    world = World()
    control = TimeControl(bank_ms=9000)
    world.create(game="connect4", settings={"columns": 5}, time_control=control, away_clock="runs")
    assert world.login("ann", join="friday").last("joined") == {
        "type": "joined",
        "tournament": "friday",
        "game": "connect4",
        "settings": {"columns": 5, "rows": 6, "connect": 4},
        "time_control": {"move_ms": 0, "bank_ms": 9000, "increment_ms": 0},
        "status": "lobby",
        "away_clock": "runs",
    }


def test_a_bot_that_leaves_loses_its_open_matches_and_the_rest_one_by_one() -> None:
    world = World()
    tournament, (ann, *_) = begun_at_random(world, "ann", "ben", "cid")
    while not any(match.players[0].name == "ann" for match in world.arena.matches.live.values()):
        world.clock.step()
    ann.say(type="leave", tournament=tournament.id)
    assert ann.inbox.all("left")[0]["status"] == "running"
    assert ann.last("match_over")["termination"] == "resignation"
    world.run()
    assert_all_was_played(tournament)
    endings = Counter(over.termination for over in tournament.results.values() if "ann" in over.seats)
    assert endings[Termination.RESIGNATION] == 1
    assert endings[Termination.NO_SHOW] >= 1
    ben = world.arena.players["ben"]
    assert tournament.standings.tally.bots[ben.name].played == 4


def test_leaving_again_or_without_having_joined_is_told_and_changes_nothing() -> None:
    world = World()
    tournament = world.create()
    bot = world.login("ann", join=tournament.id)
    for _ in range(2):
        bot.say(type="leave", tournament=tournament.id)
    assert len(bot.inbox.all("left")) == 2
    assert list(tournament.field) == []


# --- benching ---


def test_a_bot_that_keeps_failing_is_benched_and_told_and_its_host_lets_it_play_again() -> None:
    world = World()
    tournament = world.create(start_at_bots=2, legs=5, bench_after=2, time_control=TimeControl(move_ms=500))
    enter(world, tournament.id, "ann")
    hung = world.login("hung", join=tournament.id)
    while tournament.field["hung"].faulty_in_a_row < 2 and not tournament.field["hung"].benched:
        world.clock.step()
    assert hung.last("notice")["code"] == "benched"
    world.run()
    endings = Counter(over.termination for over in tournament.results.values())
    assert endings == {Termination.TIMEOUT: 2, Termination.NO_SHOW: 3}
    with pytest.raises(CommandRefused):
        world.organiser.unbench(tournament.id, "ann")


def test_an_unbenched_bot_plays_again() -> None:
    world = World()
    tournament = world.create(start_at_bots=3, bench_after=1, legs=1, time_control=TimeControl(move_ms=500))
    enter(world, tournament.id, "ann")
    enter(world, tournament.id, "ben")[0].drop()
    hung = world.login("hung", join=tournament.id)
    world.run(600)
    assert hung.last("notice")["code"] == "benched"
    hung.play(first_legal)
    world.organiser.unbench(tournament.id, "HUNG")
    assert not tournament.field["hung"].benched
    enter(world, tournament.id, "ben")
    world.run()
    assert_all_was_played(tournament)
    assert tournament.standings.tally.bots["hung"].played == 2
    assert isinstance(tournament.standings, WinLossStandings)
    assert tournament.standings.tally.bots["hung"].faults == {Termination.TIMEOUT: 1}


def test_a_new_version_of_a_benched_bot_plays_again_also_after_a_restart() -> None:
    world = World()
    world.create(start_at_bots=3, bench_after=2, absent_ms=1_000_000)
    enter(world, "friday", "ann")
    enter(world, "friday", "ben")[0].drop()
    mine = world.login("mine", join="friday", version="1")
    for _ in range(2):
        mine.say(type="resign", match=mine.last("match_start")["match"], failed=True, reason="KeyError: 'x'")
    assert mine.last("notice")["code"] == "benched"
    assert world.tournament("friday").field["mine"].benched_version == "1"
    world = world.after_crash(len(world.log.facts))
    for version, is_benched in (("1", True), (None, True), ("2", False)):
        world.login("mine", version=version)
        assert world.tournament("friday").field["mine"].benched is is_benched


# --- the end ---


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("format_name", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_a_tournament_that_is_over_is_freed_once_its_end_is_on_disk(format_name: str) -> None:
    world = World(delay_ms=3)
    world.create(start_at_bots=4, format=format_name)
    tournament = weakref.ref(world.tournament("friday"))
    enter(world, "friday", *NAMES[:4])
    world.run()
    assert world.arena.tournaments == {}
    assert tournament() is None
