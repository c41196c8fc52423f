from itertools import groupby, permutations, product
from math import comb, exp, log
from statistics import pvariance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine.outcome import places_of
from rumble_server.results.tables.choices import MOST_EXACT, Choices, Placed, meetings, saved, subsets

BOTS, SEATS = 7, 4
AT = np.array([0.3, -0.2, 0.9, -1.1, 0.0, 0.5, -0.4, 0.25, 0.0, -0.1, 0.4])


def by_hand(ranking: list[Placed], at: list[float]) -> float:
    """Return the mean log-likelihood over all orders that a ranking allows, choice by choice."""
    groups = [list(g) for _, g in groupby(sorted(ranking, key=lambda e: e[2]), key=lambda e: e[2])]
    total, number = 0.0, 0
    for order in product(*(permutations(group) for group in groups)):
        leads = [at[bot] + at[BOTS + seat] for group in order for bot, seat, _ in group]
        total += sum(lead - log(sum(map(exp, leads[place:]))) for place, lead in enumerate(leads))
        number += 1
    return total / number


@st.composite
def rankings(draw: st.DrawFn) -> list[Placed]:
    bots = draw(st.lists(st.integers(0, BOTS - 1), min_size=2, max_size=SEATS, unique=True))
    places = places_of([draw(st.integers(1, 3)) for _ in bots])
    return list(zip(bots, range(len(bots)), places, strict=True))


@given(st.lists(rankings(), min_size=1, max_size=3), st.lists(rankings(), max_size=1))
def test_the_likelihood_is_the_mean_over_all_orders(played: list[list[Placed]], virtual: list[list[Placed]]) -> None:
    choices = Choices([(each, 2.0) for each in played], [(each, 0.5) for each in virtual], BOTS, SEATS)
    expected = 2 * sum(by_hand(each, AT.tolist()) for each in played) + sum(
        by_hand(v, AT.tolist()) / 2 for v in virtual
    )
    assert choices.likelihood(AT) == pytest.approx(expected, abs=1e-9)
    assert choices.likelihood(AT * 900) > -np.inf
    # The gradient and the information are the first and the second differences of the likelihood.
    step, chances = 1e-4, choices.chances(AT)[0]
    gradient, information = choices.gradient(chances), choices.information(choices.weights(chances))
    for one in np.eye(len(AT)) * step:
        up, down = choices.likelihood(AT + one), choices.likelihood(AT - one)
        assert (up - down) / (2 * step) == pytest.approx(gradient @ one / step, abs=1e-6)
        assert (2 * choices.likelihood(AT) - up - down) / step**2 == pytest.approx(
            one @ information @ one / step**2, abs=1e-4
        )


def test_one_seat_stands_for_all() -> None:
    ranking = [(0, 0, 1), (1, 1, 2), (2, 2, 2)]
    same_seat = [(bot, 0, place) for bot, _, place in ranking]
    at = AT[: BOTS + 1]
    assert Choices([(ranking, 1)], (), BOTS, 1).likelihood(at) == pytest.approx(by_hand(same_seat, at.tolist()))


@pytest.mark.parametrize("sharing", [1, 2, MOST_EXACT, MOST_EXACT + 1, 9])
def test_each_bot_is_as_often_left_as_another(sharing: int) -> None:
    """For each number of bots that are left, the shares add up to 1, and all bots are in the same share of sets."""
    found = subsets(sharing)
    assert len(found) == (2**sharing - 1 if sharing <= MOST_EXACT else sharing * (sharing - 1) + 1)
    for left in range(1, sharing + 1):
        sets = [(set(each), weight) for each, weight in found if len(each) == left]
        assert sum(weight for _, weight in sets) == pytest.approx(1)
        for bot in range(sharing):
            assert sum(weight for each, weight in sets if bot in each) == pytest.approx(left / sharing)
        if sharing <= MOST_EXACT:
            assert len(sets) == comb(sharing, left)


def test_shared_places_save_the_variance_between_their_orders() -> None:
    """Compare with the scores of equal bots, order by order: a score is the choices less the expected choices."""
    for sharing, behind in ((2, 0), (3, 1), (4, 3)):
        differences = []
        for order in permutations(range(sharing)):
            scores = [0.0] * sharing
            for place in range(sharing):
                for bot in order[place:]:
                    scores[bot] -= 1 / (sharing - place + behind)
            differences.append(scores)
        one, other = [each[0] for each in differences], [each[1] for each in differences]
        covariance = (
            sum(a * b for a, b in zip(one, other, strict=True)) / len(one) - sum(one) * sum(other) / len(one) ** 2
        )
        assert saved(sharing, behind) == pytest.approx(-covariance)
        assert pvariance(one) == pytest.approx((sharing - 1) * saved(sharing, behind))
    assert saved(2, 0) == pytest.approx(1 / 4)


def test_meetings() -> None:
    won, met, less = meetings([([(0, 0, 1), (1, 1, 2), (2, 2, 2)], 3.0)], 3)
    assert won.tolist() == [[0, 3, 3], [0, 0, 1.5], [0, 0, 0]]
    assert met.tolist() == [[0, 3, 3], [0, 0, 3], [0, 0, 0]]
    assert less.tolist() == [[0, 0, 0], [0, 0, 0.75], [0, 0, 0]]
