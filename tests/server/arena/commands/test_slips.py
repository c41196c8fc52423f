"""Slips in a world: what their codes do to the bot that is logged in, and who is refused."""

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.arena.commands import slips
from rumble_server.arena.commands.joining import Joining
from rumble_server.arena.commands.slips import LENGTH, LIFETIME_MS, SlipDesk
from rumble_server.arena.state.join_refused import JoinRefused

from tests.server.failing import note_calls
from tests.server.world import World


def class_of(*displays: str) -> tuple[World, SlipDesk]:
    """Return a world whose tournament `friday` has these pupils, and the desk for their slips."""
    world = World()
    code = str(world.create(classroom=True).join_code)
    for display in displays:
        Joining(world.arena).join(code, display, make_secret(), "192.0.2.1")
    return world, SlipDesk(world.arena)


def test_the_old_program_is_told_and_the_new_one_plays_on() -> None:
    world = World()
    tournament, key = world.create(classroom=True), make_secret()
    Joining(world.arena).join(str(tournament.join_code), "Ann", key, "192.0.2.1")
    old = world.login("ann", key=key, join=tournament.id)
    code = SlipDesk(world.arena).make(tournament.id, "ANN")
    assert len(code) == LENGTH
    assert SlipDesk(world.arena).find(code, "192.0.2.2").tournament == tournament.id
    redeemed = SlipDesk(world.arena).redeem(code, "192.0.2.2")
    world.end_iteration()
    assert (redeemed.name, redeemed.display) == ("ann", "Ann")
    assert (old.last("error")["code"], old.last("error")["fatal"]) == ("bad_key", True)
    assert world.login("ann", key=key).error() == "bad_key"
    assert world.login("ann", key=redeemed.key).last("session")["tournaments"][0]["id"] == tournament.id
    with pytest.raises(JoinRefused) as error:
        SlipDesk(world.arena).redeem(code, "192.0.2.2")
    assert error.value.code == "unknown_code"


def test_a_slip_is_valid_for_two_weeks_and_while_the_host_knows_the_key() -> None:
    world, desk = class_of("Ann", "Ben", "Cid")
    made = {display: desk.make("friday", display) for display in ("Ann", "Ben", "Cid")}
    world.organiser.reset_key("ann")
    world.clock.advance(LIFETIME_MS - 1)
    assert desk.redeem(made["Ben"], "192.0.2.2").name == "ben"
    world.clock.advance(1)
    for display in ("Ann", "Cid"):
        with pytest.raises(JoinRefused, match="within two weeks"):
            desk.redeem(made[display], "192.0.2.2")


@pytest.mark.parametrize("key", [None, "a key that the host sets"])
def test_a_slip_ends_with_the_key_that_the_host_changes(key: str | None) -> None:
    world, desk = class_of("Ann")
    code = desk.make("friday", "ann")
    world.organiser.reset_key("ann", key)
    for place in (world, world.after_crash()):
        with pytest.raises(JoinRefused, match="within two weeks"):
            SlipDesk(place.arena).redeem(code, "192.0.2.2")
        assert key is None or place.arena.names.owns("ann", key)


def test_a_guess_costs_the_same_for_one_slip_and_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    _, desk = class_of("Ann", "Ben", "Cid")
    *_, code = [desk.make("friday", display) for display in ("Ann", "Ben", "Cid")]
    computed = note_calls(monkeypatch, slips, "digest_of")
    with pytest.raises(JoinRefused):
        desk.redeem("AAAAAAAA", "192.0.2.2")
    assert len(computed) == 1
    assert desk.redeem(code, "192.0.2.2").name == "cid"
