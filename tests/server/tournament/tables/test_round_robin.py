import pickle
from collections import Counter

import pytest
from rumble_server.tournament.tables import search
from rumble_server.tournament.tables.plan import TablePlan, TableRound
from rumble_server.tournament.tables.round_robin import RoundRobinOfTables, rounds_of_round_robin
from rumble_server.tournament.tables.seats import seats_had

from tests.server.tournament.tables.company import company_spread


def seats_spread(rounds: list[TableRound], bots: int) -> int:
    """Return how far a bot's times in each seat differ, without the last seat if some tables are smaller."""
    tables = [seating.bots for made in rounds for seating in made.seatings]
    had, seats = seats_had(tables), range(min(map(len, tables)))
    times = [[had[bot, seat] for seat in seats] for bot in range(bots)]
    return max(max(own) - min(own) for own in times)


@pytest.mark.parametrize("bots", [8, 16, 32])
@pytest.mark.parametrize(("cycles", "seed"), [(1, 0), (1, 1), (1, 2), (2, 3)])
def test_company_differs_by_two_and_seats_by_one_at_most_at_tables_of_four(bots: int, cycles: int, seed: int) -> None:
    rounds = RoundRobinOfTables(TablePlan(bots, 4, cycles=cycles, seed=seed)).rounds()
    assert company_spread(rounds, bots) <= 2
    assert seats_spread(rounds, bots) <= 1
    assert not any(made.byes for made in rounds)


FIELDS = [(bots, seats) for seats in range(3, 9) for bots in range(seats, 41)]


@pytest.mark.parametrize(("bots", "seats"), FIELDS[::17])
@pytest.mark.parametrize("may_be_smaller", [False, True])
def test_every_field_has_fair_byes_seats_and_company(
    bots: int, seats: int, may_be_smaller: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_TRIALS", 100)  # the guarantees hold without the whole search
    plan = TablePlan(bots, seats, seats - may_be_smaller, seed=bots)
    rounds = RoundRobinOfTables(plan).rounds()
    assert [made.seatings[0].round for made in rounds] == list(range(1, rounds_of_round_robin(plan) + 1))
    for made in rounds:
        there = [bot for seating in made.seatings for bot in seating.bots]
        assert sorted([*there, *made.byes]) == list(range(bots))
        assert {len(seating.bots) for seating in made.seatings} <= {seats, plan.smallest}
        assert [seating.board for seating in made.seatings] == list(range(1, len(made.seatings) + 1))
    byes = Counter(bot for made in rounds for bot in made.byes)
    assert max(byes.values(), default=0) - min(byes[bot] for bot in range(bots)) <= 1
    assert seats_spread(rounds, bots) <= 1
    assert company_spread(rounds, bots) <= (2 if seats < 5 else 3 if seats < 7 else 4)


def test_the_number_of_rounds_lets_two_bots_meet_once_a_cycle_and_have_each_seat() -> None:
    assert [rounds_of_round_robin(TablePlan(bots, 4)) for bots in (4, 8, 16, 32)] == [4, 4, 8, 12]
    assert rounds_of_round_robin(TablePlan(16, 4, cycles=3)) == 16
    assert len(RoundRobinOfTables(TablePlan(16, 4, rounds=3)).rounds()) == 3


def test_a_task_can_be_sent_to_another_process_and_follows_its_seed() -> None:
    task, other = (RoundRobinOfTables(TablePlan(9, 3, seed=seed)).prepare({}) for seed in (4, 5))
    assert task is not None
    assert other is not None
    assert pickle.loads(pickle.dumps(task))() == task() != other()


def test_a_field_that_is_too_big_for_the_search_is_refused() -> None:
    RoundRobinOfTables(TablePlan(128, 4))
    with pytest.raises(ValueError, match="128 bots at most, not 129: choose swiss or knockout"):
        RoundRobinOfTables(TablePlan(129, 4))


def test_more_rounds_than_the_search_can_make_are_refused() -> None:
    RoundRobinOfTables(TablePlan(128, 4, rounds=64))
    with pytest.raises(ValueError, match="tables of 128 bots are made for 64 rounds at most, not 65: ask for fewer"):
        RoundRobinOfTables(TablePlan(128, 4, rounds=65))
    with pytest.raises(ValueError, match=r"for 1024 rounds at most, not \d+: ask for fewer"):
        RoundRobinOfTables(TablePlan(32, 4, cycles=2_000))
