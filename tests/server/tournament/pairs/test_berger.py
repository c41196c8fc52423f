"""Round-robin schedules: FIDE's Berger tables, everyone meets everyone once a cycle, first moves shared out fairly."""

from collections import Counter
from itertools import combinations

import pytest
from rumble_server.tournament.pairs.berger import berger_leads, berger_round
from rumble_server.tournament.pairs.plan import Pairing, Plan
from rumble_server.tournament.pairs.round_robin import RoundRobin

from tests.server.tournament.rounds import round_robin

SIX = "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1"
"""FIDE Handbook C.05 Annex 1, six players."""


fields = pytest.mark.parametrize("bots", range(2, 41))


def pairs(pairings: list[Pairing]) -> list[tuple[int, int]]:
    return [(pairing.first, pairing.second) for pairing in pairings]


@pytest.mark.parametrize("number", range(1, 6))
def test_six_bots_meet_as_in_fides_table(number: int) -> None:
    expected = [tuple(int(player) - 1 for player in pair.split("-")) for pair in SIX.split(" | ")[number - 1].split()]
    assert sorted(berger_round(6, number)) == sorted(expected)


def test_four_bots_meet_as_in_fides_table() -> None:
    rounds = [sorted(pairs(pairings)) for pairings in round_robin(4, 1)]
    assert rounds == [[(0, 3), (1, 2)], [(0, 1), (3, 2)], [(1, 3), (2, 0)]]


@fields
def test_each_pair_meets_once_a_cycle(bots: int) -> None:
    met = Counter(frozenset(pair) for pairings in round_robin(bots, 1) for pair in pairs(pairings))
    assert met == Counter(frozenset(pair) for pair in combinations(range(bots), 2))


@fields
def test_no_bot_plays_twice_in_a_round(bots: int) -> None:
    for pairings in round_robin(bots, 1):
        playing = [bot for pair in pairs(pairings) for bot in pair]
        assert len(playing) == len(set(playing)) == bots - bots % 2


@fields
def test_in_an_odd_field_everyone_has_one_bye_a_cycle_and_in_an_even_field_nobody(bots: int) -> None:
    byes = [bot for pairings in round_robin(bots, 1) for bot in set(range(bots)).difference(*pairs(pairings))]
    assert sorted(byes) == (list(range(bots)) if bots % 2 else [])


@fields
def test_in_a_cycle_a_bots_first_moves_and_second_moves_differ_by_at_most_one(bots: int) -> None:
    lead: Counter[int] = Counter()
    for pairings in round_robin(bots, 1):
        for first, second in pairs(pairings):
            lead[first] += 1
            lead[second] -= 1
    assert max(abs(lead[bot]) for bot in range(bots)) <= 1
    assert berger_leads(bots) == [lead[bot] for bot in range(bots)], "known without playing"


@fields
def test_over_two_cycles_each_pair_has_the_first_move_once_each(bots: int) -> None:
    met = Counter(pair for pairings in round_robin(bots, 2) for pair in pairs(pairings))
    assert all(met[first, second] == met[second, first] == 1 for first, second in combinations(range(bots), 2))


def test_pairings_are_numbered_by_cycle_round_and_board_from_one() -> None:
    rounds = list(round_robin(5, 2))
    numbers = [[(each.cycle, each.round, each.board) for each in pairings] for pairings in rounds]
    assert numbers == [[(cycle, number, 1), (cycle, number, 2)] for cycle in (1, 2) for number in range(1, 6)]


@pytest.mark.parametrize(("bots", "cycles", "legs"), [(2, 1, 1), (5, 3, 2), (6, 2, 3), (1000, 1, 2)])
def test_the_number_of_matches_is_known_without_making_the_schedule(bots: int, cycles: int, legs: int) -> None:
    total = RoundRobin(Plan(bots, cycles, legs)).matches_total({})
    assert total == cycles * legs * bots * (bots - 1) // 2
    if bots < 100:
        assert total == sum(len(pairings) for pairings in round_robin(bots, cycles)) * legs


def test_a_schedule_is_made_round_by_round_as_it_is_pulled() -> None:
    rounds = round_robin(4000, 1000)
    assert len(next(rounds)) == 2000
