"""Random plies and games, with joint moves, chance and three seats."""

from collections import Counter
from random import Random

import pytest
from rumble_bots.search.plies import LATE, played_on, random_ply
from rumble_engine import State
from rumble_engine.games import backgammon, dilemma, snakes

from .fixtures import TICTACTOE, Three


def test_every_legal_ply_is_played_and_chance_by_its_probabilities() -> None:
    random, start = Random(1), dilemma.GAME.initial({"noise": 10})
    chosen = Counter(random_ply(start, random).text().split()[-1] for _ in range(200))
    assert chosen.keys() == {"CC", "CD", "DC", "DD"}
    noise = [random_ply(start.play("C C"), random).text().split()[3] for _ in range(1_000)]
    assert noise.count("CC") / 1_000 == pytest.approx(0.81, abs=0.05)


@pytest.mark.parametrize(
    "state", [TICTACTOE.initial(), Three(7), snakes.GAME.initial_for(6), backgammon.GAME.initial()]
)
def test_a_random_game_has_a_score_for_each_seat(state: State) -> None:
    scores = played_on(state, Random(3))
    assert len(scores) == state.seats
    assert sum(scores) == pytest.approx(state.seats / 2)


def test_a_random_game_that_is_too_long_is_a_tie() -> None:
    assert played_on(dilemma.GAME.initial({"rounds": LATE + 1}), Random(1)) == [0.5, 0.5]
