"""Claims on names: in a full club, names whose bots do not play make room for new names."""

from rumble_server.arena.logins.claims import UNPLAYED_MS
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.quotas import Quotas

from tests.server.world import World


def claim(here: World, name: str, address: str) -> str:
    """Log a bot in, and end its connection. Return the code of the error, or `session`."""
    bot = here.login(name, {"address": address}, key="k" * 16)
    bot.drop()
    return str(bot.inbox.frames[-1].get("code", "session"))


def test_in_a_full_club_the_address_with_most_names_that_do_not_play_makes_room() -> None:
    """Whoever goes on claiming names takes the place of names of its own."""
    here = World(admission=Admission(Bounds(names_per_hour=1_000)))
    here.arena.allowance.quotas = Quotas(bots=10)

    assert [claim(here, f"class-{number}", "192.0.2.1") for number in range(3)] == ["session"] * 3
    assert [claim(here, f"flood-{number}", "203.0.113.9") for number in range(8)] == ["session"] * 7 + ["quota"]
    here.run(UNPLAYED_MS)
    assert [claim(here, f"new-{number}", f"198.51.100.{number}") for number in range(3)] == ["session"] * 3
    here.run(UNPLAYED_MS)
    assert [claim(here, f"more-{number}", "203.0.113.9") for number in range(3)] == ["session"] * 3
    kept = [claim_.name for claim_ in here.arena.names._claims.values()]
    assert [name for name in kept if not name.startswith(("flood", "more"))] == [
        *(f"class-{number}" for number in range(3)),
        *(f"new-{number}" for number in range(3)),
    ]


def test_an_address_whose_names_are_gone_is_ranked_no_more() -> None:
    here = World(admission=Admission(Bounds(names_per_hour=1_000)))
    here.arena.allowance.quotas = Quotas(bots=2)
    assert [claim(here, name, "192.0.2.1") for name in ("ann", "ben")] == ["session"] * 2
    for name in ("ann", "ben"):
        here.organiser.reset_key(name, None)
    assert [claim(here, name, "203.0.113.9") for name in ("cat", "dan")] == ["session"] * 2
    assert claim(here, "eve", "198.51.100.1") == "quota"
    assert list(here.arena.claims._claimed) == ["203.0.113.9"]


def test_in_a_full_club_nobody_loses_a_name_to_an_address_that_may_claim_none() -> None:
    here = World(admission=Admission(Bounds(names_per_hour=4)))
    here.arena.allowance.quotas = Quotas(bots=5)

    used_up, other, last = "192.0.2.1", "203.0.113.9", "198.51.100.1"
    assert [claim(here, f"other-{number}", other) for number in range(4)] == ["session"] * 4
    for _ in range(4):
        assert claim(here, "mine", used_up) == "session"
        here.organiser.reset_key("mine")
    assert claim(here, "full", last) == "session"
    here.run(UNPLAYED_MS)
    assert claim(here, "mine", used_up) == "quota"
    assert all(here.arena.names.get(f"other-{number}") for number in range(4))
    assert claim(here, "new", "198.51.100.2") == "session"
    assert here.arena.names.get("other-3") is None


def test_in_a_full_club_an_address_that_has_used_up_its_names_frees_a_name_of_its_own() -> None:
    here = World(admission=Admission(Bounds(names_per_hour=2)))
    here.arena.allowance.quotas = Quotas(bots=2)
    assert [claim(here, name, "192.0.2.1") for name in ("ada", "bob")] == ["session"] * 2
    here.run(UNPLAYED_MS)
    assert claim(here, "eve", "192.0.2.1") == "session"
    assert [here.arena.names.get(name) is None for name in ("ada", "bob")] == [False, True]
