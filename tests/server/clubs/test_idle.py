"""Idle clubs at given times."""

from rumble_server.clubs.idle import MOST_IDLE, EmptyClubs

IDLE_MS = 1000


def test_a_club_is_idle_when_nobody_has_used_it_for_that_time() -> None:
    idle = EmptyClubs(IDLE_MS)
    assert idle.find_unloadable(["chess", "go"], 0) == []
    assert idle.find_unloadable(["chess", "go"], IDLE_MS - 1) == []
    assert idle.find_unloadable(["chess"], IDLE_MS) == ["chess"]
    assert idle.find_unloadable(["chess", "go"], IDLE_MS + 1) == ["chess"], "go was not empty at the last look"


def test_idle_time_of_a_club_that_was_asked_for_begins_at_the_next_look() -> None:
    idle = EmptyClubs(IDLE_MS)
    idle.find_unloadable(["chess"], 0)
    idle.touch("chess")
    assert idle.find_unloadable(["chess"], 50 * IDLE_MS) == []
    assert idle.find_unloadable(["chess"], 50 * IDLE_MS + 1) == []
    assert idle.find_unloadable(["chess"], 51 * IDLE_MS) == ["chess"]


def test_a_club_is_not_idle_during_a_visit_nor_just_after_it() -> None:
    idle = EmptyClubs(IDLE_MS)
    idle.find_unloadable(["chess"], 0)
    with idle.keep_loaded("chess"):
        with idle.keep_loaded("chess"):
            assert idle.find_unloadable(["chess"], IDLE_MS) == []
        assert idle.find_unloadable(["chess"], 2 * IDLE_MS) == []
    assert idle.find_unloadable(["chess"], 3 * IDLE_MS) == []
    assert idle.find_unloadable(["chess"], 4 * IDLE_MS) == ["chess"]


def test_nothing_is_kept_of_names_that_visitors_make_up() -> None:
    idle = EmptyClubs(IDLE_MS)
    with idle.keep_loaded("no-such-club"):
        pass
    idle.find_unloadable([], 0)
    assert not idle.visits
    assert not idle.since_ms


def test_of_too_many_empty_clubs_the_first_is_unloaded_once_it_was_seen_twice() -> None:
    idle = EmptyClubs(IDLE_MS)
    clubs = ["chess", *(f"club-{number}" for number in range(MOST_IDLE))]
    assert idle.find_unloadable(clubs, 0) == []
    assert idle.find_unloadable(clubs, 1) == ["chess"]
