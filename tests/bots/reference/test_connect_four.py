"""Bots that look ahead win in connect four, too. The clock counts nodes, so every machine has the same matches."""

import os
from functools import partial
from itertools import count
from random import Random
from typing import Any

import pytest
from rumble_bots.reference import Minimax, Streetwise
from rumble_bots.reference.battle import battle
from rumble_engine import get_game

MATCHES = 20 if os.environ.get("RUMBLE_LONG") == "1" else 8


def thinker(random: Random, *, kind: type[Minimax], search: str) -> Minimax:
    """Return a bot that visits 500 nodes a move, some 3 to 5 ms by the real clock."""
    return kind(random, search=search, time_ms=5, clock=count(step=1e-5).__next__)


@pytest.mark.parametrize("settings", [{"columns": 5, "rows": 5}, {}], ids=["5x5", "7x6"])
@pytest.mark.parametrize(
    ("kind", "search"), [(Minimax, "cached"), (Minimax, "cached-alphabeta"), (Streetwise, "cached-alphabeta")]
)
@pytest.mark.slow
def test_minimax_beats_the_heuristic_at_connect_four(
    kind: type[Minimax], search: str, settings: dict[str, Any]
) -> None:
    maker = partial(thinker, kind=kind, search=search)
    result = battle(maker, "heuristic", get_game("connect4"), MATCHES, seed=1, settings=settings)
    assert result.wins >= 0.6 * MATCHES
    assert result.losses <= 0.2 * MATCHES
