"""Pupils join by a join code: their names, their entries in the field, and who is refused."""

from random import Random
from time import perf_counter

import pytest
from rumble_protocol.codes import ErrorCode
from rumble_protocol.secret import make_secret
from rumble_server.arena.commands.join_codes import ALPHABET, new_code, read_code
from rumble_server.arena.commands.joining import MOST_NOTED, Joined, Joining
from rumble_server.arena.state.join_refused import JoinRefused
from rumble_server.tournament.errors import CommandRefused
from rumble_server.web.feed.headline import headline

from tests.server.world import World

ADDRESS = "203.0.113.7"
KEY = make_secret()


def classroom(world: World, **config: object) -> str:
    """Create a classroom; return its join code."""
    code = world.create(classroom=True, **config).join_code
    assert code is not None
    return code


def join(world: World, code: str, display: str, key: str | None = None) -> Joined:
    return Joining(world.arena).join(code, display, key or make_secret(), ADDRESS)


def refusal(world: World, code: str, display: str, key: str | None = None) -> str:
    """Return the code of the refusal of a pupil."""
    with pytest.raises((JoinRefused, CommandRefused)) as refused:
        join(world, code, display, key)
    return str(getattr(refused.value, "code", ""))


def test_codes_are_read_as_people_write_them_and_never_repeat() -> None:
    assert len(set(ALPHABET)) == 30
    assert read_code(" kmr-tva ") == "KMRTVA"
    code = new_code(Random(5), ())
    assert new_code(Random(5), (code, None)) != code


def test_a_pupil_is_in_the_field_at_once_and_its_bot_logs_in_with_the_key() -> None:
    world = World()
    code = classroom(world, invite="sesame")
    joined = join(world, code.lower(), "J\u00f6rg", KEY)
    entrant = joined.tournament.field["jorg"]
    assert (joined.name, joined.display, entrant.by_code, entrant.display) == ("jorg", "J\u00f6rg", True, "J\u00f6rg")
    assert (entrant.absent_since_ms is not None, world.arena.is_connected("jorg")) == (True, False)
    assert joined.tournament.standings.lines()[0].display_name == "J\u00f6rg"
    assert not joined.tournament.config.listed
    bot = world.login("jorg", {"is_local": False, "address": ADDRESS}, key=KEY)
    assert bot.last("session")["tournaments"][0]["id"] == joined.tournament.id
    assert joined.tournament.field["jorg"].absent_since_ms is None
    again = world.after_crash().arena
    assert again.display_names.shown_name("jorg") == "J\u00f6rg"
    assert (again.tournaments["friday"].join_code, again.tournaments["friday"].field["jorg"].by_code) == (code, True)


def test_the_host_sees_refusals_of_the_name_by_the_tournament_and_by_a_ban() -> None:
    world = World()
    code = classroom(world)
    assert refusal(world, code, "Z" * 100) == "bad_display_name"
    for display in ("Ann", "Ben", "Cid"):
        join(world, code, display, KEY)
    world.organiser.start("friday")
    world.organiser.remove("friday", "cid")
    assert refusal(world, code, "Cid", KEY) == ErrorCode.TOURNAMENT_CLOSED
    world.organiser.ban(f"{ADDRESS}/32", by_name=False, until_ms=None, reason="rude")
    assert refusal(world, code, "Dan") == ErrorCode.BANNED
    kept = list(world.arena.refused_bots.newest_first())
    assert [(each.name, each.code) for each in kept] == [
        ("Dan", ErrorCode.BANNED),
        ("Cid", ErrorCode.TOURNAMENT_CLOSED),
        ("Z" * MOST_NOTED, "bad_display_name"),
    ]
    assert {(each.tournament, each.address) for each in kept} == {("friday", ADDRESS)}


def test_names_are_unique_and_the_owner_of_the_key_keeps_the_name() -> None:
    world = World()
    code = classroom(world)
    assert [
        join(world, code, each).name for each in ("\u00c4nna", "Anna", "\u674e\u96f7", "\u674e", "House Elf", "House")
    ] == ["anna", "anna-2", "pupil", "pupil-2", "pupil-house-elf", "pupil-house"]
    assert join(world, code, "Zoe", KEY).name == "zoe"
    assert refusal(world, code, "ZOE") == "name_taken"
    next_week = world.create(name="Monday", classroom=True).join_code or ""
    assert next_week != code
    again = join(world, next_week, "zoe", KEY)
    assert (again.name, again.display, again.tournament.id) == ("zoe", "Zoe", "monday")
    assert join(world, next_week, "Zoe", KEY) == again
    world.login("plain")
    assert refusal(world, code, "Plain") == "name_taken"
    assert refusal(world, code, "a  b") == "bad_display_name"
    join(world, code, "Anna-Lena-Maria-of-the-7th-grade")
    thief = world.login("anna-lena-maria-OF-the-7th-grade")
    assert thief.error() == "bad_name", "people would take this bot for the pupil"
    longest = join(world, code, "x" * 32).name, join(world, code, "X" * 31).name
    assert longest == ("x" * 24, "x" * 24 + "-2")


def test_name_with_a_reset_key_can_be_claimed_by_display_name_or_name() -> None:
    world = World()
    code = classroom(world)
    for display in ("Anna", "Zo\u00e9"):
        join(world, code, display)
    for name in ("anna", "zoe"):
        world.organiser.reset_key(name)
    assert join(world, code, "Zoe").name == "zoe-2", "people know the bot zoe as Zo\u00e9"
    again = join(world, code, "ZO\u00c9", KEY)
    assert (again.name, again.display, world.arena.names.owns("zoe", KEY)) == ("zoe", "Zo\u00e9", True)
    assert world.login("anna", key=make_secret()).last("session")["tournaments"][0]["id"] == "friday"


def test_a_name_that_came_back_in_another_spelling_enters_a_field_once() -> None:
    world = World()
    join(world, classroom(world), "Zoe", KEY)
    world.organiser.end("friday", cancelled=True)
    world.organiser.reset_key("zoe")
    world = world.after_crash()
    monday = world.create(name="Monday", classroom=True)
    world.login("ZOE", key=KEY, join="monday")
    assert join(world, monday.join_code or "", "Zoe", KEY).name == "ZOE"
    assert list(monday.field) == ["ZOE"]
    world.organiser.end("monday", cancelled=True)
    world = world.after_crash()
    tuesday = world.create(name="Tuesday", classroom=True)
    assert join(world, tuesday.join_code or "", "Zoe", KEY).name == "ZOE"
    assert list(tuesday.field) == ["ZOE"]


def test_a_pupil_that_takes_a_reset_name_in_another_spelling_plays_as_the_bot_of_this_name() -> None:
    world = World()
    monday = world.create(name="Monday", classroom=True)
    world.login("Anna", key=KEY, join="monday").drop()
    world.organiser.reset_key("Anna")
    tuesday = world.create(name="Tuesday", classroom=True)
    for tournament in (monday, tuesday):
        assert join(world, tournament.join_code or "", "anna", KEY).name == "Anna"
        assert list(tournament.field) == ["Anna"], "a second entry would never play"
    world.login("anna", key=KEY, version="2")
    assert tuesday.field["Anna"].absent_since_ms is None


def test_a_long_name_of_marks_costs_no_comparison() -> None:
    world, began_s = World(), perf_counter()
    assert world.login("a" + "\u0301\u0323" * 6000, key=KEY).error() == "bad_name"
    assert perf_counter() - began_s < 0.5, "to put the marks in order takes time by the square of their number"


def test_the_host_closes_the_door_and_opens_it_with_a_new_code() -> None:
    world = World()
    code = classroom(world, late_join=False)
    world.organiser.close_door("friday")
    assert refusal(world, code, "Anna") == "unknown_code"
    world.organiser.open_door("friday")
    assert refusal(world, code, "Anna") == "unknown_code"
    newer = world.arena.tournaments["friday"].join_code or ""
    join(world, newer, "Anna")
    join(world, newer, "Ben")
    world.organiser.start("friday")
    facts = world.log.last
    assert refusal(world, newer, "Cid") == ErrorCode.TOURNAMENT_CLOSED
    assert world.log.last == facts, "a refused pupil leaves no name behind"


def test_a_class_starts_by_itself_when_the_bots_are_there() -> None:
    world = World()
    code, keys = classroom(world, start_at_bots=2), [make_secret() for _ in range(3)]
    names = [join(world, code, display, key).name for display, key in zip(("Ann", "Ben", "Cid"), keys, strict=True)]
    assert headline(world.tournament("friday"), ()) == "3 bots are in. It starts with 2 connected bots."
    world.login(names[0], key=keys[0])
    assert world.tournament("friday").status == "lobby"
    world.login(names[2], key=keys[2])
    assert world.tournament("friday").status == "running"


def test_a_banned_name_does_not_join() -> None:
    world = World()
    code = classroom(world)
    world.organiser.ban("anna", by_name=True, until_ms=None, reason="rude")
    assert refusal(world, code, "Anna") == ErrorCode.BANNED
