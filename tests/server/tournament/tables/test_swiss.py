from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.tables.plan import TablePlan, TableRound, meetings
from rumble_server.tournament.tables.seats import seats_had
from rumble_server.tournament.tables.swiss import TableSwissTask, rounds_of_swiss


def played(plan: TablePlan, rounds: int, seed: int, *, leaves: bool = False) -> tuple[list[TableRound], set[int]]:
    """Play rounds in which a lower number is mostly better. Return the rounds, and the bots that withdrew."""
    random, points, withdrawn = Random(seed), [0.0] * plan.bots, set[int]()
    found: list[TableRound] = []
    for _ in range(rounds):
        found.append(TableSwissTask(plan, tuple(found), tuple(points), frozenset(withdrawn))())
        for seating in found[-1].seatings:
            for place, bot in enumerate(sorted(seating.bots, key=lambda bot: bot + random.random() * plan.bots)):
                points[bot] += len(seating.bots) - 1 - place
        if leaves and random.random() < 0.5:
            withdrawn.add(random.randrange(plan.bots))
    return found, withdrawn


def splits(bots: Sequence[int], size: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield all ways to seat bots at tables of a size."""
    if not bots:
        yield []
        return
    for mates in combinations(bots[1:], size - 1):
        for others in splits([bot for bot in bots[1:] if bot not in mates], size):
            yield [(bots[0], *mates), *others]


def again(tables: Sequence[Sequence[int]], before: Sequence[TableRound]) -> int:
    met = meetings(before)
    return sum(met[pair] for bots in tables for pair in combinations(sorted(bots), 2))


@pytest.mark.parametrize(("bots", "seats"), [(8, 4), (9, 3), pytest.param(12, 4, marks=pytest.mark.slow)])
def test_about_as_few_bots_as_possible_meet_again(bots: int, seats: int) -> None:
    for seed in range(2):
        rounds, _ = played(TablePlan(bots, seats, seats), 4, seed)
        for number, made in enumerate(rounds):
            least = min(again(tables, rounds[:number]) for tables in splits(range(bots), seats))
            assert again([seating.bots for seating in made.seatings], rounds[:number]) <= least + 1


def test_nobody_meets_again_where_the_field_is_big_enough() -> None:
    rounds, _ = played(TablePlan(64, 4), 3, 1)
    assert max(meetings(rounds).values()) == 1


@given(st.integers(3, 30), st.integers(3, 6), st.booleans(), st.integers(0, 99))
def test_everyone_is_at_a_table_or_has_a_fair_bye(bots: int, seats: int, may_be_smaller: bool, seed: int) -> None:
    plan = TablePlan(max(bots, seats), seats, seats - may_be_smaller)
    rounds, withdrawn = played(plan, 5, seed, leaves=True)
    byes: Counter[int] = Counter()
    for number, made in enumerate(rounds, 1):
        there = [bot for seating in made.seatings for bot in seating.bots]
        assert len({*there, *made.byes}) == len(there) + len(made.byes)
        assert {len(seating.bots) for seating in made.seatings} <= {seats, plan.smallest}
        assert {(seating.cycle, seating.round) for seating in made.seatings} <= {(1, number)}
        byes.update(made.byes)
    left = set(range(plan.bots)) - withdrawn
    had = [byes[bot] for bot in left] or [0]
    assert max(had) - min(had) <= 1
    last = {bot for seating in rounds[-1].seatings for bot in seating.bots}.union(rounds[-1].byes)
    assert left <= last or not rounds[-1].seatings


def test_a_later_round_seats_bots_by_points_and_the_last_gets_the_bye() -> None:
    points = (0, 9, 1, 8, 2, 7, 0)
    made = TableSwissTask(TablePlan(7, 3, 3), (), points)()
    assert [set(seating.bots) for seating in made.seatings] == [{1, 3, 5}, {4, 2, 0}]
    assert made.byes == (6,)


def test_too_few_bots_have_no_round() -> None:
    made = TableSwissTask(TablePlan(5, 4, 2), (), (0,) * 5, frozenset((0, 1, 2)))()
    assert made == TableRound(())


def test_seats_are_about_even() -> None:
    rounds, _ = played(TablePlan(32, 4), 8, 0)
    had = seats_had(seating.bots for made in rounds for seating in made.seatings)
    assert {max(own) - min(own) for own in ([had[bot, seat] for seat in range(4)] for bot in range(32))} <= {0, 1, 2}


def test_the_number_of_rounds_is_given_or_follows_the_field() -> None:
    assert [rounds_of_swiss(TablePlan(bots, 4)) for bots in (4, 16, 17)] == [2, 4, 5]
    assert rounds_of_swiss(TablePlan(16, 4, rounds=9)) == 9
