"""Quotas of a club in the arena: names, tournaments, bytes, simultaneous matches, house bots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.codes import ErrorCode
from rumble_server.arena.house import MOST_ADDED, HouseBots, HouseKeys
from rumble_server.limits.quotas import Quotas
from rumble_server.match.facts import MatchStarted
from rumble_server.tournament.errors import CommandRefused

from tests.server.arena.fake_house import FakeHouse
from tests.server.arena.playing import first_legal
from tests.server.world import World


def world(**quotas: int) -> World:
    made = World()
    made.arena.allowance.quotas = Quotas(**quotas)
    return made


def refused(of: World, name: str) -> str:
    with pytest.raises(CommandRefused) as caught:
        of.create(name=name)
    assert caught.value.code is ErrorCode.QUOTA
    return str(caught.value)


def test_the_bots_of_a_club_are_bounded_and_known_bots_come_back() -> None:
    here = world(bots=2)
    here.login("ada", key="k" * 16)
    here.login("bob")
    error = here.login("eve").inbox.frames[-1]
    assert (error["type"], error["code"], error["fatal"]) == ("error", "quota", False)
    assert "quota of bots (2)" in error["message"]
    assert here.arena.names.get("eve") is None
    assert here.login("ADA", key="k" * 16).inbox.frames[-1]["type"] == "session"
    here.arena.allowance.quotas = Quotas()
    assert here.login("eve").inbox.frames[-1]["type"] == "session"


def test_of_several_house_bots_beyond_the_quota_none_is_added() -> None:
    here = world(bots=3)
    tournament = here.create()
    here.login("ada", key="k" * 16)
    bots = HouseBots(here.arena, HouseKeys("a-secret"), FakeHouse())
    before = here.log.last
    with pytest.raises(CommandRefused, match=r"quota of bots \(3\)") as refusal:
        bots.add("friday", "random", "filler", 3)
    assert refusal.value.code is ErrorCode.QUOTA
    assert (here.log.last, dict(tournament.field), bots.bots()) == (before, {}, [])
    bots.add("friday", "random", "filler", 2)
    bots.add("friday", "random", count=3)  # names with the prefix of the house do not count
    assert len(tournament.field) == 5


def test_the_house_takes_nothing_of_the_quota_of_bots() -> None:
    keys = HouseKeys("a-secret")
    here = World(may_claim=keys.may_claim)
    here.arena.allowance.quotas = Quotas(bots=1)
    for name in ("house-random", "house-mcts"):
        assert here.login(name, key=keys.key(name)).inbox.frames[-1]["type"] == "session"
    assert here.login("ada").inbox.frames[-1]["type"] == "session"
    assert here.login("house-minimax", key=keys.key("house-minimax")).inbox.frames[-1]["type"] == "session"
    assert here.login("eve").error() == "quota"


def test_the_tournaments_of_a_club_that_are_not_over_are_bounded() -> None:
    here = world(tournaments=1)
    here.create(name="friday")
    assert "quota of tournaments (1)" in refused(here, "saturday")
    here.organiser.end("friday", cancelled=True)
    here.create(name="saturday")


def test_where_the_bytes_are_used_up_nothing_is_created_and_running_tournaments_go_on() -> None:
    here = world(bytes=1_000)
    tournament = here.create(name="friday")
    bots = [here.login(name, join="friday", challenges=True) for name in ("ada", "bob")]
    here.arena.allowance.used_bytes = 1_000
    assert "quota of bytes (1000)" in refused(here, "saturday")
    bots[0].say(type="challenge", against="bob", game="tictactoe")
    assert [frame["code"] for frame in bots[0].inbox.frames if frame["type"] == "error"] == ["quota"]
    for bot in bots:
        bot.play(first_legal, lambda: 1)
    here.organiser.start("friday")
    here.run()
    assert tournament.status == "finished"


def test_added_house_bots_count_and_the_server_has_its_own_bound() -> None:
    for quota, most in ((1, 1), (MOST_ADDED + 2, MOST_ADDED)):
        here = world(house_bots=quota)
        house = HouseBots(here.arena, HouseKeys("a-secret"), FakeHouse())
        here.create(name="friday")
        assert house.room == most
        with pytest.raises(CommandRefused, match=f"at most {most} house bots") as caught:
            house.add("friday", "random", count=most + 1)
        where = "in this club" if quota == most else "on this server"
        assert where in str(caught.value)
        assert caught.value.code is (ErrorCode.QUOTA if quota == most else ErrorCode.UNAVAILABLE)
        house.add("friday", "random", count=most)
        assert house.room == 0


@given(quota=st.integers(1, 3), fields=st.lists(st.integers(2, 4), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_never_more_matches_at_once_and_every_tournament_ends(quota: int, fields: list[int], seed: int) -> None:
    here = World(seed=seed)
    here.arena.allowance.quotas = Quotas(matches=quota)
    most = 0
    for number, size in enumerate(fields):
        here.create(name=f"cup-{number}")
        for each in range(size):
            bot = here.player(f"bot-{number}-{each}", first_legal, lambda: 1, join=f"cup-{number}")

            def look(_: object) -> None:
                nonlocal most
                most = max(most, len(here.arena.matches.live))

            bot.link.on_frame.append(look)
    for number in range(len(fields)):
        here.organiser.start(f"cup-{number}")
    here.run()
    statuses = [here.tournament(f"cup-{number}").status for number in range(len(fields))]
    assert statuses == ["finished"] * len(fields)
    assert 0 < most <= quota


def test_of_tournaments_that_wait_for_a_match_each_has_its_turn() -> None:
    here = world(matches=1)
    for number in range(3):
        here.create(name=f"cup-{number}")
        for each in range(3):
            here.player(f"bot-{number}-{each}", first_legal, lambda: 1, join=f"cup-{number}")
    for number in range(3):
        here.organiser.start(f"cup-{number}")
    here.run()
    began = [fact.tournament for fact in here.log.facts if isinstance(fact, MatchStarted)]
    assert began[1:7] == ["cup-1", "cup-0", "cup-2"] * 2


def test_a_greater_quota_lets_more_matches_start() -> None:
    here = world(matches=1)
    here.create(name="friday")
    for name in ("ada", "bob", "cy", "dot"):
        here.login(name, join="friday")
    here.organiser.start("friday")
    assert len(here.arena.matches.live) == 1
    here.arena.allowance.quotas = Quotas(matches=2)
    here.arena.scheduler.settle_all()
    assert len(here.arena.matches.live) == 2


def test_a_challenger_is_told_once_that_the_quota_holds_the_match_back() -> None:
    here = world(matches=1)
    free = here.login("carol", challenges=True, max_matches=3)
    bots = [here.login(name) for name in ("ann", "bob")]
    for bot in bots:
        bot.say(type="challenge", against="carol", game="tictactoe", seat=0)
    here.arena.scheduler.settle_all()
    assert [len(bot.inbox.all("notice")) for bot in (*bots, free)] == [0, 1, 1]
    told = bots[1].last("notice")
    assert (told["code"], told["tournament"]) == ("quota", "challenge-bob-carol")
    assert "as many matches at once as it may (1)" in told["message"]
    bots[0].say(type="resign", match="challenge-ann-carol.1.1.1.1")
    assert bots[1].last("match_start")["match"] == "challenge-bob-carol.1.1.1.1"
    assert len(bots[1].inbox.all("notice")) == 1
