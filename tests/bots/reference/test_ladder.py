"""The exact chances of the bots against each other."""

from fractions import Fraction

import pytest
from rumble_bots.reference import make_reference_bot

from .exact import Policy, both_seats, policy_of
from .positions import LADDER


@pytest.fixture(scope="module")
def policies() -> dict[str, Policy]:
    return {
        name: policy_of(make_reference_bot(name)) for name in LADDER if name != "mcts"
    }  # except `mcts`, which has no fixed policy


def percents(chances: tuple[Fraction, ...]) -> list[float]:
    return [round(float(chance) * 100, 2) for chance in chances]


@pytest.mark.parametrize("name", ["minimax", "streetwise", "perfect"])
def test_a_bot_that_searches_to_the_end_never_loses(name: str, policies: dict[str, Policy]) -> None:
    for opponent in policies.values():
        for _, _, loss in both_seats(policies[name], opponent):
            assert loss == 0


@pytest.mark.parametrize(
    ("one", "other", "first", "second"),
    [
        ("minimax", "random", [99.48, 0.52, 0], [80.63, 19.37, 0]),
        ("minimax", "winner", [99.48, 0.52, 0], [80.63, 19.37, 0]),
        ("minimax", "heuristic", [87.5, 12.5, 0], [19.68, 80.32, 0]),
        ("streetwise", "random", [99.48, 0.52, 0], [88.04, 11.96, 0]),
        ("streetwise", "winner", [99.48, 0.52, 0], [88.04, 11.96, 0]),
        ("streetwise", "heuristic", [87.5, 12.5, 0], [20.95, 79.05, 0]),
        ("heuristic", "random", [89.55, 9.14, 1.31], [69.97, 23.93, 6.09]),
        ("winner", "random", [81.36, 6.61, 12.03], [52.17, 8.31, 39.52]),
    ],
)
def test_exact_chances(
    one: str, other: str, first: list[float], second: list[float], policies: dict[str, Policy]
) -> None:
    """Compare percentages of wins, draws and losses, moving first and moving second."""
    chances = both_seats(policies[one], policies[other])
    assert [percents(seat) for seat in chances] == [first, second]
