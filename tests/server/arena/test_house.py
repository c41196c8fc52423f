import pytest
from rumble_protocol.codes import ErrorCode
from rumble_server.arena.house import MOST_ADDED, HouseBots, HouseKeys
from rumble_server.arena.ports import HouseBot
from rumble_server.tournament.errors import CommandRefused

from tests.server.arena.fake_house import FakeHouse
from tests.server.arena.playing import first_legal
from tests.server.world import World

KEYS = HouseKeys("a-secret")


def keeper(world: World, *residents: str) -> tuple[HouseBots, FakeHouse]:
    house = FakeHouse()
    made = HouseBots(world.arena, KEYS, house, residents)
    seen = 0

    def tell() -> None:
        nonlocal seen
        before, seen = seen, world.log.durable
        made.on_durable(enumerate(world.log.facts[before:seen], before + 1))

    world.log.on_durable.append(tell)
    return made, house


def housed(*residents: str) -> tuple[World, HouseBots, FakeHouse]:
    world = World(may_claim=KEYS.may_claim)
    return world, *keeper(world, *residents)


def names(house: FakeHouse) -> list[str]:
    return [bot.name for bot in house.kept]


def play(world: World, bots: list[HouseBot]) -> None:
    """Do the work of the house's processes: log in under the given name and key, and play."""
    for bot in bots:
        world.player(bot.name, first_legal, lambda: 1, key=bot.key, challenges=bot.is_resident)


def test_house_bots_fill_a_field_play_and_end_with_their_tournament() -> None:
    world, made, house = housed()
    tournament = world.create(invite="hush")
    made.add("friday", "random", count=2)
    world.clock.advance(10)
    assert names(house) == ["house-random-1", "house-random-2"]
    assert [entrant.reference_bot for entrant in tournament.field.values()] == ["random", "random"]
    play(world, house.kept)
    world.organiser.start("friday")
    world.run()
    assert tournament.status == "finished"
    assert {over.termination for over in tournament.results.values()} == {"normal"}
    assert house.kept == []
    assert made.room == MOST_ADDED


def test_a_removed_house_bot_ends_and_its_name_is_free_again() -> None:
    world, made, house = housed()
    world.create()
    made.add("friday", "random", "filler")
    made.add("friday", "perfect")
    world.clock.advance(10)
    world.organiser.remove("friday", "FILLER")
    world.clock.advance(10)
    assert names(house) == ["house-perfect-1"]
    made.add("friday", "perfect", "filler")
    world.clock.advance(10)
    assert names(house) == ["house-perfect-1", "filler"]


def test_after_a_restart_house_bots_are_there_again_with_their_keys() -> None:
    world, made, house = housed("random")
    made.open()
    tournament = world.create()
    made.add("friday", "random", count=2)
    world.clock.advance(10)
    before = house.kept
    world.organiser.start("friday")
    world.clock.advance(10)
    again = world.after_crash()
    made, house = keeper(again, "random")
    made.open()
    assert house.kept == before
    assert names(house) == ["house-random", "house-random-1", "house-random-2"]
    play(again, house.kept)
    again.run()
    assert again.tournament(tournament.id).status == "finished"
    assert names(house) == ["house-random"]


def test_a_house_bot_that_never_connects_is_waited_for_no_longer_than_others() -> None:
    world, made, _ = housed()
    tournament = world.create(absent_ms=5_000)
    made.add("friday", "random", count=2)
    world.organiser.start("friday")
    world.clock.advance(60_000)
    assert tournament.status == "finished"
    assert {over.termination for over in tournament.results.values()} == {"no_show"}


def test_house_bots_start_a_tournament_that_waits_for_their_number() -> None:
    world, made, _ = housed()
    tournament = world.create(start_at_bots=3)
    made.add("friday", "random", count=3)
    assert tournament.status == "running"


def test_house_bots_leave_names_of_other_bots_alone() -> None:
    world = World(open_names=True)
    world.login("house-random")
    world.login("House-Random-1", key="a-key-of-16-chars")
    made, house = keeper(world, "random", "perfect")
    world.create()
    world.clock.advance(10)
    made.open()
    assert made.residents_with_taken_name() == ["house-random"]
    assert names(house) == ["house-perfect"]
    made.add("friday", "random")
    world.clock.advance(10)
    assert names(house) == ["house-perfect", "house-random-2"]


@pytest.mark.parametrize("key", [None, "a-key-of-16-chars"])
def test_nobody_else_takes_a_name_of_the_house(key: str | None) -> None:
    world = World(open_names=True, may_claim=KEYS.may_claim)
    made, house = keeper(world, "random")
    made.open()
    for name in ("House-Random", "house-any"):
        assert world.login(name, key=key).error() == "bad_name"
    play(world, house.kept)
    assert world.arena.players["house-random"].is_connected
    world.organiser.reset_key("house-random")
    world.login("house-random", key="a-key-of-16-chars")
    assert world.arena.names.get("house-random") is None
    play(world, house.kept)
    assert made.residents_with_taken_name() == []
    assert world.arena.names.owns("house-random", house.kept[0].key)


def test_functions_of_files_are_residents_too() -> None:
    _, made, house = housed("my.py:ai")
    made.open()
    assert house.kept == [HouseBot("house-ai", house.kept[0].key, "my.py:ai", is_resident=True)]


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("friday", "chaos"), ErrorCode.UNKNOWN_BOT, "there is no house bot 'chaos' for tictactoe"),
        (("nowhere", "random"), ErrorCode.UNKNOWN_TOURNAMENT, "no tournament"),
        (("friday", "random", "alice"), ErrorCode.UNAVAILABLE, "alice is taken"),
        (("friday", "random", "TAKEN"), ErrorCode.UNAVAILABLE, "TAKEN is taken"),
        (("friday", "random", "filler"), ErrorCode.UNAVAILABLE, "filler is taken"),
        (("friday", "random", "house-perfect"), ErrorCode.UNAVAILABLE, "house-perfect is taken"),
        (("friday", "random", None, MOST_ADDED), ErrorCode.UNAVAILABLE, f"room for {MOST_ADDED - 1}"),
        (("friday", "random", "x" * 30, 10), ErrorCode.BAD_NAME, "1 to 32"),
        (("over", "random"), ErrorCode.TOURNAMENT_CLOSED, "over is over"),
        (("hexes", "perfect"), ErrorCode.UNKNOWN_BOT, "there are: random"),
    ],
)
def test_house_bots_that_cannot_be_added_are_refused(given: tuple[str, str], code: ErrorCode, message: str) -> None:
    world, made, _ = housed("perfect")
    world.create()
    world.create(name="other")
    world.create(name="hexes", game="hex")
    world.organiser.end(world.create(name="over").id, cancelled=True)
    world.login("alice", key="a-key-of-16-chars", join="friday")
    world.login("taken", key="a-key-of-16-chars")
    made.add("other", "random", "filler")
    before, bots = world.log.last, made.bots()
    with pytest.raises(CommandRefused, match=message) as refused:
        made.add(*given)
    assert refused.value.code is code
    assert (world.log.last, made.bots()) == (before, bots)


def test_late_bots_of_the_house_that_would_get_too_many_matches_are_refused() -> None:
    world = World()
    tournament, _ = world.begun("ann", "ben", legs=1000, late_join=True)
    house, _ = keeper(world)
    with pytest.raises(CommandRefused, match="bots that join late get at most 5000 matches at once, not 9000"):
        house.add(tournament.id, "random", count=3)
    house.add(tournament.id, "random", count=2)
    assert len(tournament.field) == 4


def test_a_server_without_a_house_says_so() -> None:
    world = World(may_claim=KEYS.may_claim)
    tournament = world.create()
    made = HouseBots(world.arena, KEYS)
    made.open()
    assert (made.reference_bots(tournament.config), made.room) == ({}, 0)
    with pytest.raises(CommandRefused, match="runs no house bots"):
        made.add("friday", "random")


def test_residents_come_and_go_by_a_switch_and_added_bots_stay() -> None:
    world, made, house = housed()
    made.open()
    assert names(house) == []
    world.create()
    made.add("friday", "random", "filler")
    made.change_residents(["perfect"])
    assert names(house) == ["house-perfect", "filler"]
    made.change_residents([])
    assert names(house) == ["filler"]
    made.close()
    assert names(house) == []
