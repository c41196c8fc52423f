from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.berger import berger_round
from rumble_server.tournament.pairs.plan import Plan

from tests.server.tournament.rounds import all_rounds, seats


def longest_run(marks: list[int]) -> int:
    longest = run = 0
    for before, mark in zip([None, *marks], marks, strict=False):
        run = run + 1 if mark == before else 1
        longest = max(longest, run)
    return longest


@given(st.integers(2, 24), st.integers(1, 4), st.integers(1, 3))
def test_round_robin(bots: int, cycles: int, legs: int) -> None:
    plan = Plan(bots, cycles, legs)
    schedule = FORMATS["round-robin"].schedule(plan)
    rounds = all_rounds(schedule)
    ids, met, first = [], Counter[tuple[int, int]](), Counter[int]()
    for played in rounds:
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert sorted([*busy, *played.byes]) == list(range(bots))
        for pairing in played.pairings:
            for leg, (one, other) in enumerate(seats(pairing, legs), 1):
                ids.append(pairing.match_key(leg))
                met[one, other] += 1
                first[one] += 1
                first[other] -= 1
    numbers = [(pairing.cycle, pairing.round, pairing.board) for played in rounds for pairing in played.pairings]
    a_cycle = range(1, bots + bots % 2), range(1, bots // 2 + 1)
    assert numbers == list(product(range(1, cycles + 1), *a_cycle))
    assert len(set(ids)) == len(ids) == schedule.matches_total({})
    for one, other in combinations(range(bots), 2):
        assert met[one, other] + met[other, one] == cycles * legs
        assert abs(met[one, other] - met[other, one]) == cycles * legs % 2
    assert all(abs(first[bot]) <= 1 for bot in range(bots))


@pytest.mark.parametrize("bots", range(2, 40))
def test_at_most_two_in_a_row_with_one_leg_and_two_cycles(bots: int) -> None:
    marks: dict[int, list[int]] = {bot: [] for bot in range(bots)}
    order = []
    for played in all_rounds(FORMATS["round-robin"].schedule(Plan(bots, cycles=2, legs=1))):
        order.append((played.pairings[0].cycle, played.pairings[0].round))
        for pairing in played.pairings:
            marks[pairing.first].append(0)
            marks[pairing.second].append(1)
    assert order == sorted(order)
    assert max(map(longest_run, marks.values())) <= 2


def test_the_last_two_rounds_of_the_first_of_two_cycles_are_swapped() -> None:
    rounds = all_rounds(FORMATS["round-robin"].schedule(Plan(6, cycles=2, legs=1)))[:5]
    assert [set(played.pairs) for played in rounds] == [set(berger_round(6, number)) for number in (1, 2, 3, 5, 4)]
