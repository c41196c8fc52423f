"""The directory of clubs, rebuilt from facts."""

from rumble_protocol.clubs import MAIN
from rumble_server.arena.state.clubs import ClubDirectory, ClubEntry
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.limits.quotas import Quotas
from rumble_server.tournament.club_facts import AdministratorSet, ClubChanged, ClubCreated, ClubRemoved, DirectoryFact

FEW = Quotas(bots=3, bytes=1_000)


def directory(*facts: DirectoryFact) -> ClubDirectory:
    made = ClubDirectory()
    for fact in facts:
        made.apply(fact)
    return made


def test_main_is_always_there_and_first() -> None:
    assert list(directory()) == [ClubEntry(MAIN, listed=True)]
    clubs = directory(ClubCreated("chess", "Chess", Quotas(), 5))
    assert [each.name for each in clubs] == [MAIN, "chess"]


def test_a_club_is_created_changed_and_removed() -> None:
    created, changed = ClubCreated("chess", "Chess", FEW, 5), ClubChanged("chess", "Go", True, True, Quotas(), 6)
    assert directory(created).get("chess") == ClubEntry("chess", "Chess", quotas=FEW, since_ms=5)
    assert directory(created, changed).get("chess") == ClubEntry("chess", "Go", True, True, Quotas(), 5)
    clubs = directory(created, changed, ClubRemoved("chess", 7))
    assert clubs.get("chess") is None
    assert clubs.was_removed("chess")
    assert not clubs.was_removed("go")


def test_a_change_of_a_club_whose_creation_is_lost_makes_none() -> None:
    assert directory(ClubChanged("chess", "Go", True, True, Quotas(), 6)).get("chess") is None


def test_the_administrator_is_known_by_the_newest_token() -> None:
    nobody = directory()
    assert not nobody.has_administrator
    assert not nobody.is_administrator("")
    clubs = directory(*(AdministratorSet("0a", digest_of(token, "0a"), 1) for token in ("first", "second")))
    assert clubs.has_administrator
    assert [clubs.is_administrator(each) for each in ("first", "second", "")] == [False, True, False]
