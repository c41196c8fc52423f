from itertools import combinations

import pytest
from rumble_server.tournament.tables import search
from rumble_server.tournament.tables.search import BYE, search_rounds


def test_groups_keep_to_their_places_and_byes_are_even() -> None:
    layout, groups = [0, 1, BYE, 0, 0, 1, 1, BYE], [0, 0, 0, 1, 1, 1, 1, 1]
    rounds = search_rounds(layout, groups, 7, seed=3)
    assert len(rounds) == 7
    for tables in rounds:
        assert sorted(tables[:3]) == sorted(layout[:3])
        assert sorted(tables[3:]) == sorted(layout[3:])
    byes = [sum(tables[bot] == BYE for tables in rounds) for bot in range(8)]
    assert max(byes[:3]) - min(byes[:3]) <= 1
    assert max(byes[3:]) - min(byes[3:]) <= 1


def test_the_search_finds_the_only_plan_in_which_all_meet_once() -> None:
    rounds = search_rounds([bot // 3 for bot in range(9)], [0] * 9, 4, seed=0)
    pairs = combinations(range(9), 2)
    assert [sum(tables[one] == tables[other] for tables in rounds) for one, other in pairs] == [1] * 36


def test_equal_seeds_give_equal_rounds() -> None:
    layout, groups = [bot // 3 for bot in range(12)], [0] * 12
    first, again, other = (search_rounds(layout, groups, 6, seed) for seed in (1, 1, 2))
    assert first == again != other


def test_sweeps_even_out_meetings_that_a_search_by_round_leaves_uneven(monkeypatch: pytest.MonkeyPatch) -> None:
    def spread() -> int:
        rounds = search_rounds([bot // 4 for bot in range(12)], [0] * 12, 8, seed=0)
        pairs = combinations(range(12), 2)
        times = [sum(tables[one] == tables[other] for tables in rounds) for one, other in pairs]
        return max(times) - min(times)

    assert spread() == 2
    monkeypatch.setattr(search, "MOST_TRIALS", 0)
    assert spread() > 2
