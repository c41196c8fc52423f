from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.formats import FORMATS
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
    ids, met, first = [], Counter[frozenset[int]](), Counter[int]()
    for played in rounds:
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert sorted([*busy, *played.byes]) == list(range(bots))
        for pairing in played.pairings:
            for leg, (one, other) in enumerate(seats(pairing, legs), 1):
                ids.append(pairing.match_key(leg))
                met[frozenset((one, other))] += 1
                first[one] += 1
                first[other] -= 1
    assert len(set(ids)) == len(ids) == schedule.matches_total({})
    assert met == {frozenset(pair): cycles * legs for pair in combinations(range(bots), 2)}
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


def test_berger_table_of_six() -> None:
    berger = "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1"
    expected = [{tuple(map(int, pair.split("-"))) for pair in part.split()} for part in berger.split("|")]
    found = [
        {(pairing.first + 1, pairing.second + 1) for pairing in played.pairings}
        for played in all_rounds(FORMATS["round-robin"].schedule(Plan(6, legs=1)))
    ]
    assert found == expected
    swapped = all_rounds(FORMATS["round-robin"].schedule(Plan(6, cycles=2, legs=1)))[:5]
    assert [{(p.first + 1, p.second + 1) for p in played.pairings} for played in swapped] == [
        *expected[:3],
        expected[4],
        expected[3],
    ]
