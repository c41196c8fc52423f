"""A saved version of a bot: its number, and the bench that the version ends."""

import pytest
from rumble_server.arena.commands.versions import Versions
from rumble_server.arena.state.names_and_keys import Claim
from rumble_server.tournament.club_facts import VersionSaved
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.facts import BotBenched
from rumble_server.tournament.versions import StoredVersion

from tests.server.world import World


def claim_of(world: World, name: str) -> Claim:
    claim = world.arena.names.get(name)
    assert claim is not None
    return claim


def test_a_version_follows_the_versions_on_disk() -> None:
    world = World()
    world.login("anna", key="the-key-of-anna-123")
    claim, stored = claim_of(world, "anna"), list[StoredVersion]()
    for number in (1, 2):
        assert Versions(world.arena).add(claim, stored, "python", f"source {number}") == number
        saved = world.log.facts[-1]
        assert isinstance(saved, VersionSaved)
        assert (saved.bot, saved.number, saved.source) == ("anna", number, f"source {number}")
        stored.append(StoredVersion(world.log.last, 100, saved))


@pytest.mark.parametrize(("benched", "stays"), [(None, False), ("0", False), ("1", True)])
def test_a_changed_bot_leaves_the_bench(benched: str | None, stays: bool) -> None:
    world = World()
    tournament, _ = world.begun("dora", "anton")
    world.arena.recorder.record(BotBenched(tournament.id, "dora", True, "it failed", 0, benched))
    Versions(world.arena).add(claim_of(world, "dora"), (), "python", "pass")
    assert tournament.field["dora"].benched is stays
    assert not world.arena.recorder.unsettled, "the transaction is settled"


def test_a_club_without_bytes_saves_no_version() -> None:
    world = World()
    world.login("anna")
    allowance = world.arena.allowance
    allowance.quotas, allowance.used_bytes = type(allowance.quotas)(bytes=10), 11
    with pytest.raises(CommandRefused):
        Versions(world.arena).add(claim_of(world, "anna"), (), "python", "pass")
    assert not any(isinstance(fact, VersionSaved) for fact in world.log.facts)
