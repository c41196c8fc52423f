from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.formats import FORMATS
from rumble_server.tournament.pairs.plan import Plan

from tests.server.tournament.rounds import all_rounds, seats


@given(st.integers(2, 20), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_gauntlet(bots: int, challengers: int, cycles: int, legs: int) -> None:
    challengers = min(challengers, bots - 1)
    schedule = FORMATS["gauntlet"].schedule(Plan(bots, cycles, legs, challengers=challengers))
    met, first, ids = Counter[tuple[int, int]](), Counter[int](), []
    for played in all_rounds(schedule):
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert len(set(busy)) == len(busy)
        for pairing in played.pairings:
            for leg, (one, other) in enumerate(seats(pairing, legs), 1):
                ids.append(pairing.match_key(leg))
                met[min(one, other), max(one, other)] += 1
                first[one] += 1
                first[other] -= 1
    wanted = {(one, other): cycles * legs for one in range(challengers) for other in range(challengers, bots)}
    assert met == wanted
    assert len(set(ids)) == len(ids) == schedule.matches_total({})
    assert all(abs(first[bot]) <= 1 for bot in range(bots))


def test_a_gauntlet_needs_somebody_on_both_sides() -> None:
    for challengers in (0, 4):
        with pytest.raises(ValueError, match="challengers"):
            FORMATS["gauntlet"].schedule(Plan(4, challengers=challengers))
