"""The reference bots by name: the ladder, options and errors."""

from typing import Any

import pytest
from rumble_bots.reference import REFERENCE_BOTS, BadOption, UnknownReferenceBot, make_reference_bot

from tests.bots.reference.positions import LADDER, at


def test_the_names() -> None:
    ladder = ["random", "winner", "heuristic", "minimax", "streetwise", "mcts", "perfect"]
    assert list(REFERENCE_BOTS) == [*ladder, "tit-for-tat", "tit-for-two-tats", "friedman", "grofman", "joss"]


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownReferenceBot) as caught:
        make_reference_bot("genius")
    assert str(caught.value) == f"unknown bot 'genius'; there are: {', '.join(REFERENCE_BOTS)}"


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("random", {"depth": 3}, "random has no option 'depth'; it takes: none"),
        ("minimax", {"deep": 3}, "minimax has no option 'deep'; it takes: search, depth, time_ms"),
        ("minimax", {"clock": None}, "minimax has no option 'clock'"),
        ("minimax", {"search": "magic"}, "unknown search 'magic'; there are: plain, cached, alphabeta"),
        ("minimax", {"depth": 0}, "depth must be a number from 1 up, not 0"),
        ("mcts", {"iterations": 0}, "iterations must be a whole number from 1 up, not 0"),
        ("mcts", {"time_ms": 0}, "time_ms must be a number from 1 up, not 0"),
        ("streetwise", {"time_ms": "5"}, "time_ms must be a number from 1 up, not '5'"),
    ],
)
def test_bad_options_are_told(name: str, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadOption, match=problem):
        make_reference_bot(name, **options)


@pytest.mark.parametrize("name", LADDER)
def test_the_same_seed_makes_the_same_moves(name: str) -> None:
    twins = make_reference_bot(name, seed=7), make_reference_bot(name, seed=7)
    one, other = ([bot.choose(at("X...O....")).move for _ in range(20)] for bot in twins)
    assert one == other
