"""Strength of bots by counted nodes and rounds instead of a clock: the same matches on any machine."""

from functools import partial
from typing import Any

import pytest
from rumble_bots.reference import Mcts, Minimax
from rumble_bots.reference.battle import battle
from rumble_engine import Game, get_game
from rumble_engine.games import backgammon, dilemma, snakes

from tests.needs import long_or

GAMES: dict[str, dict[str, Any]] = {
    "connect4": {},
    "breakthrough": long_or({"columns": 4, "rows": 5}, {"columns": 6, "rows": 6}),
    "othello": {"size": 6},
}
looks_ahead = partial(Minimax, depth=3)
samples = partial(Mcts, iterations=long_or(40, 80))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("maker", [looks_ahead, samples], ids=["strong", "mcts"])
@pytest.mark.slow
def test_both_families_beat_the_heuristic(maker: Any, game: str) -> None:
    result = battle(maker, "heuristic", get_game(game), 12, seed=1, settings=GAMES[game])
    assert result.intervals is not None
    assert result.intervals["wins"][0] > 0.5, result.describe()


@pytest.mark.parametrize("game", [snakes.GAME, backgammon.GAME, dilemma.GAME], ids=lambda game: game.name)
@pytest.mark.slow
def test_few_rounds_beat_random_with_chance_and_joint_moves(game: Game) -> None:
    result = battle(partial(Mcts, iterations=10), "random", game, 12, seed=1)
    assert result.intervals is not None
    assert result.intervals["wins"][0] > 0.5, result.describe()
