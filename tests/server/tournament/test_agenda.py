"""The agenda: each bot's matches in sight, in the schedule's order, pulled only as far as needed."""

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import MatchOver
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.pairs.plan import Plan
from rumble_server.tournament.pairs.queue import LOOK_AHEAD, MOST_IN_SIGHT
from rumble_server.tournament.pairs.round_robin import RoundRobin

NAMES = ("ann", "ben", "cid", "dan")


def agenda(bots: int = 4, *, legs: int = 2, cycles: int = 1) -> Agenda:
    return Agenda("friday", NAMES[:bots], RoundRobin(Plan(bots, cycles, legs)))


def pull(agenda: Agenda) -> bool:
    return agenda.add_next_round() is not None


def close(agenda: Agenda, match: str) -> None:
    seats = agenda.find(match).seats
    agenda.close(MatchOver(match, 1, seats, (1.0, 0.0), Termination.NORMAL, "", (), (), 0))


def ids(agenda: Agenda, bot: str) -> list[str]:
    return [slot.match_id for slot in agenda.queue.waiting(bot)]


def test_ids_are_tournament_cycle_round_board_and_leg() -> None:
    made = agenda()
    assert pull(made)
    assert list(made.open) == ["friday.1.1.1.1", "friday.1.1.1.2", "friday.1.1.2.1", "friday.1.1.2.2"]


def test_each_leg_of_a_pairing_swaps_the_seats() -> None:
    made = agenda(2, legs=3, cycles=2)
    pull(made)
    pull(made)
    assert [slot.seats for slot in made.queue.waiting("ann")] == [
        *[("ann", "ben"), ("ben", "ann"), ("ann", "ben")],
        *[("ben", "ann"), ("ann", "ben"), ("ben", "ann")],
    ]


def test_rounds_end() -> None:
    made = agenda(2)
    assert [pull(made), made.is_finished] == [True, True]
    assert [pull(made), made.is_finished] == [False, True]


def test_finding_a_match_pulls_until_it_comes() -> None:
    made = agenda()
    assert made.find("friday.1.3.2.2").match_id == "friday.1.3.2.2"
    with pytest.raises(KeyError):
        made.find("friday.9.9.9.9")


def test_a_bot_may_have_more_until_all_is_pulled_and_played() -> None:
    made = agenda(2, legs=1)
    assert made.has_more_for("ann")
    pull(made)
    pull(made)
    assert made.has_more_for("ann")
    close(made, "friday.1.1.1.1")
    assert not made.has_more_for("ann")


def test_no_round_is_pulled_for_a_bot_with_enough_opponents_in_sight() -> None:
    bots = tuple(f"b{number:02}" for number in range(3 * LOOK_AHEAD))
    made = Agenda("friday", bots, RoundRobin(Plan(len(bots), 1, 1)))
    while made.may_add_round_for("b00"):
        pull(made)
    assert len(ids(made, "b00")) == LOOK_AHEAD


def test_no_round_is_pulled_for_a_bot_with_enough_matches_in_sight() -> None:
    made = agenda(2, legs=1, cycles=1000)
    while made.may_add_round_for("ann"):
        pull(made)
    assert len(ids(made, "ann")) == MOST_IN_SIGHT
    close(made, ids(made, "ann")[0])
    assert made.may_add_round_for("ann")


def test_no_round_is_pulled_at_the_end_of_the_schedule() -> None:
    made = agenda(2, legs=1)
    while pull(made):
        pass
    assert not made.may_add_round_for("ann")


def test_a_late_joiner_has_only_the_matches_that_it_got_when_it_joined() -> None:
    agenda = Agenda("t", ("ann", "ben"), RoundRobin(Plan(2, cycles=5, legs=1)))
    agenda.add_late_bot("cid")
    for slot in agenda.queue.waiting("cid"):
        assert agenda.has_more_for("cid")
        agenda.dequeue(slot)
    assert [agenda.has_more_for(bot) for bot in agenda.bots] == [True, True, False]
