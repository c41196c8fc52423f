"""The common behaviour of all reference bots."""

from random import Random

import pytest
from rumble_bots.reference import REFERENCE_BOTS, CannotPlay, NoMove, make_reference_bot
from rumble_bots.search.plies import random_ply
from rumble_engine import Game, JointState
from rumble_engine.games import backgammon, dilemma, snakes

from tests.bots.reference.positions import LADDER, TICTACTOE, at
from tests.bots.search.fixtures import Three

OTHERS = [(snakes.GAME, 2), (snakes.GAME, 8), (dilemma.GAME, 2), (backgammon.GAME, 2)]


@pytest.mark.parametrize("name", LADDER)
def test_after_the_end_there_is_no_move_to_choose(name: str) -> None:
    with pytest.raises(NoMove, match="the game is over"):
        make_reference_bot(name).choose(at("XXXOO...."))


def test_a_seat_that_does_not_move_has_no_move_to_choose() -> None:
    with pytest.raises(NoMove, match="seat 1 does not move"):
        make_reference_bot("random").choose(TICTACTOE.initial(), seat=1)
    with pytest.raises(NoMove, match="seat 0 does not move"):
        make_reference_bot("random").choose(backgammon.GAME.initial())


@pytest.mark.parametrize(("game", "seats"), OTHERS)
@pytest.mark.parametrize("name", REFERENCE_BOTS)
def test_every_bot_plays_each_of_the_other_games_or_says_why_not(name: str, game: Game, seats: int) -> None:
    options = {"iterations": 3} if name == "mcts" else {}
    bot, state, random = make_reference_bot(name, **options), game.initial_for(seats), Random(4)
    if not bot.can_play(state):
        with pytest.raises(CannotPlay) as caught:
            bot.choose(state)
        assert str(caught.value) == bot.obstacle(state)
        return
    assert name not in ("minimax", "streetwise", "perfect")
    for _ in range(30):
        for seat in state.movers:
            state.code_for(seat, bot.choose(state, seat=seat).move)
        state = state if state.outcome else random_ply(state, random)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (snakes.GAME.initial_for(4), "seats move at the same time"),
        (dilemma.GAME.initial(), "seats move at the same time"),
        (backgammon.GAME.initial(), "chance takes part"),
        (Three(5), "3 seats play"),
    ],
)
def test_minimax_says_where_it_cannot_play(state: JointState, reason: str) -> None:
    for name in ("minimax", "streetwise"):
        with pytest.raises(CannotPlay) as caught:
            make_reference_bot(name).choose(state)
        assert str(caught.value) == f"{name} plays games of two seats in turn without chance; here {reason}"
    assert make_reference_bot("mcts", iterations=3).choose(state.after(21) if state.is_chance else state).nodes == 3
