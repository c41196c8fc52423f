"""Schedules of tables, as the agenda calls them."""

import pytest
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.tables.gauntlet import GauntletOfTables
from rumble_server.tournament.tables.plan import TablePlan
from rumble_server.tournament.tables.round_robin import RoundRobinOfTables
from rumble_server.tournament.tables.schedule import TableSchedule

NINE = TablePlan(9, 4)


@pytest.mark.parametrize("name", FORMATS)
def test_planning_changes_nothing(name: str) -> None:
    schedule = FORMATS[name].table_schedule(NINE)
    first, again = schedule.prepare({}), schedule.prepare({})
    assert first is not None
    assert again is not None
    assert first() == again()


@pytest.mark.parametrize("kind", [RoundRobinOfTables, GauntletOfTables])
def test_a_search_makes_all_rounds_at_once_and_off_the_event_loop(kind: type[TableSchedule]) -> None:
    schedule = kind(NINE)
    assert schedule.is_slow
    task = schedule.prepare({})
    assert task is not None
    made = task()
    assert len(made.seatings) >= schedule.matches_total({})
    schedule.add(made)
    assert schedule.is_finished({})
    assert schedule.prepare({}) is None
    assert schedule.matches_total({}) == len(made.seatings)
    assert {seating.round for seating in made.seatings} == set(range(1, schedule.number_of_rounds + 1))


@pytest.mark.parametrize("name", FORMATS)
def test_tables_take_no_late_bot(name: str) -> None:
    with pytest.raises(ValueError, match="late bot"):
        FORMATS[name].table_schedule(NINE).late_round()
