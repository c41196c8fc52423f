"""The common behaviour of all reference bots."""

from collections.abc import Mapping
from random import Random
from typing import Any, NoReturn

import pytest
from rumble_bots.reference import REFERENCE_BOTS, CannotPlay, NoMove, make_reference_bot
from rumble_bots.reference.reference_bot import Sight
from rumble_bots.search.plies import random_ply
from rumble_engine import Game, JointState, NotSampled, get_game
from rumble_engine.games import backgammon, dilemma, liars_dice, snakes

from tests.bots.reference.positions import LADDER, TICTACTOE, at
from tests.bots.search.fixtures import Coin, Three

OTHERS = [(snakes.GAME, 2), (snakes.GAME, 8), (dilemma.GAME, 2), (backgammon.GAME, 2)]
OTHERS += [(liars_dice.GAME, 2), (liars_dice.GAME, 4)]


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
            state.code_for(seat, bot.choose_in(game, state, seat).move)
        state = state if state.outcome else random_ply(state, random)


@pytest.mark.parametrize(("name", "plays"), [("tic_tac_toe", True), ("backgammon", False), ("kuhn_poker", False)])
def test_a_search_plays_the_plain_games_of_openspiel(name: str, plays: bool) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    state = get_game(f"openspiel:{name}").initial()
    assert make_reference_bot("minimax").can_play(state) is plays
    assert make_reference_bot("winner").can_play(state) is (name != "kuhn_poker")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (snakes.GAME.initial_for(4), "seats move at the same time"),
        (dilemma.GAME.initial(), "seats move at the same time"),
        (backgammon.GAME.initial(), "chance takes part"),
        (Three(5), "3 seats play"),
        (Coin(0.5, "heads"), "something is hidden"),
    ],
)
def test_minimax_says_where_it_cannot_play(state: JointState, reason: str) -> None:
    for name in ("minimax", "streetwise"):
        with pytest.raises(CannotPlay) as caught:
            make_reference_bot(name).choose(state)
        assert str(caught.value) == f"{name} plays games of two seats in turn without chance; here {reason}"
    assert make_reference_bot("mcts", iterations=3).choose(state.after(21) if state.is_chance else state).nodes == 3


@pytest.mark.parametrize("name", ["random", "heuristic", "mcts"])
def test_where_something_is_hidden_a_choice_follows_from_the_view_alone(name: str) -> None:
    options = {"iterations": 20} if name == "mcts" else {}
    states = [liars_dice.GAME.initial_for(3).play(f"{dice} 24466 {dice}").play("3x4") for dice in ("44444", "12356")]
    assert states[0].view(1) == states[1].view(1)
    for seed in range(5):
        choices = [make_reference_bot(name, seed=seed, **options).choose_in(liars_dice.GAME, each) for each in states]
        assert choices[0] == choices[1]


class Secretive(liars_dice.LiarsDiceGame):
    """Liar's dice that draws no states for searches."""

    def sample(self, view: Mapping[str, Any], random: Random) -> NoReturn:
        raise NotSampled("no states are drawn")


def test_a_game_that_draws_no_states_is_refused_by_all_bots_that_need_them() -> None:
    game = Secretive()
    state = game.initial().play("12345 23456")
    assert make_reference_bot("random").choose_in(game, state).move in state.legal_moves
    for name in ("heuristic", "mcts"):
        with pytest.raises(CannotPlay, match="no states are drawn"):
            make_reference_bot(name).choose_seeing(Sight.of(game, state, 0))
