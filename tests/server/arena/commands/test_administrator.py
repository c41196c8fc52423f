"""The administrator's commands on clubs."""

import pytest
from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import ErrorCode
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.limits.quotas import Quotas
from rumble_server.tournament.club_facts import DirectoryFact
from rumble_server.tournament.errors import CommandRefused

from tests.server.world import World


def test_commands_are_facts_that_rebuild_the_directory() -> None:
    world = World()
    administrator = Administrator(world.arena)
    administrator.set_token("the-token")
    administrator.create("chess", "Chess", Quotas(bots=2))
    administrator.create("go", "", Quotas())
    changed = administrator.change("chess", title="Chess club", listed=True, house=True)
    assert (changed.title, changed.quotas) == ("Chess club", Quotas(bots=2))
    assert (changed.listed, changed.has_residents) == (True, True)
    administrator.remove("go")
    world.end_iteration()
    again = world.after_crash().arena.clubs
    assert list(again) == list(world.arena.clubs)
    assert again.was_removed("go")
    assert again.is_administrator("the-token")


def test_a_change_of_nothing_is_no_fact() -> None:
    world = World()
    Administrator(world.arena).create("chess", "Chess", Quotas())
    Administrator(world.arena).change("chess", title="Chess", quotas=Quotas())
    assert sum(isinstance(fact, DirectoryFact) for fact in world.log.facts) == 1


def test_main_may_have_quotas_but_is_never_removed_or_hidden() -> None:
    administrator = Administrator(World().arena)
    assert administrator.change(MAIN, quotas=Quotas(bots=5)).quotas.bots == 5
    for refused in (
        lambda: administrator.remove(MAIN),
        lambda: administrator.change(MAIN, listed=False),
        lambda: administrator.change(MAIN, house=True),
    ):
        with pytest.raises(CommandRefused) as caught:
            refused()
        assert caught.value.code is ErrorCode.UNAVAILABLE


def test_a_name_is_given_once() -> None:
    administrator = Administrator(World().arena)
    administrator.create("chess", "", Quotas())
    with pytest.raises(CommandRefused, match="there is a club chess already"):
        administrator.create("chess", "", Quotas())
    administrator.remove("chess")
    with pytest.raises(CommandRefused, match="not given again"):
        administrator.create("chess", "", Quotas())
    with pytest.raises(CommandRefused, match="there is no club 'chess'"):
        administrator.change("chess", title="x")


def test_a_club_is_created_with_its_settings() -> None:
    world = World()
    created = Administrator(world.arena).create("chess", "Chess", Quotas(), listed=True, house=True)
    assert (created.listed, created.has_residents) == (True, True)
    assert world.arena.clubs.get("chess") == created
