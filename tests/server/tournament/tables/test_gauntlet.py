from collections import Counter
from itertools import product

import pytest
from rumble_server.tournament.tables.gauntlet import GauntletOfTables
from rumble_server.tournament.tables.plan import TablePlan, meetings


@pytest.mark.parametrize(
    ("bots", "seats", "least", "challengers"),
    [
        *((4, 3, 2, 2), (9, 4, 2, 2), (12, 3, 2, 5), (16, 4, 4, 3), (32, 4, 2, 4), (8, 8, 8, 1)),
        pytest.param(20, 6, 2, 3, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("cycles", [1, 2])
def test_each_table_has_one_challenger_who_meets_everyone(
    bots: int, seats: int, least: int, challengers: int, cycles: int
) -> None:
    plan = TablePlan(bots, seats, least, cycles=cycles, challengers=challengers)
    rounds = GauntletOfTables(plan).rounds()
    for made in rounds:
        there = [bot for seating in made.seatings for bot in seating.bots]
        assert sorted([*there, *made.byes]) == list(range(bots))
        assert all(sum(bot < challengers for bot in seating.bots) == 1 for seating in made.seatings)
        assert all(plan.smallest <= len(seating.bots) <= seats for seating in made.seatings)
    met = meetings(rounds)
    times = {met[pair] for pair in product(range(challengers), range(challengers, bots))}
    assert min(times) >= cycles
    assert max(times) - min(times) <= 2
    byes = Counter(bot for made in rounds for bot in made.byes)
    for group in (range(challengers), range(challengers, bots)):
        assert max(byes[bot] for bot in group) - min(byes[bot] for bot in group) <= 1


def test_the_number_of_rounds_may_be_given() -> None:
    plans = [TablePlan(16, 4, challengers=2, rounds=rounds) for rounds in (None, 3)]
    assert [len(GauntletOfTables(plan).rounds()) for plan in plans] == [5, 3]


@pytest.mark.parametrize("challengers", [0, 7, 8])
def test_a_field_without_a_challenger_or_a_table_is_refused(challengers: int) -> None:
    with pytest.raises(ValueError, match="needs a challenger and 2 other bots"):
        GauntletOfTables(TablePlan(8, 4, 2, challengers=challengers))
