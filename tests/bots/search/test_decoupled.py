"""The search for joint moves, chance and many seats, by counted rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Self

import pytest
from rumble_bots.search import Tally
from rumble_bots.search.decoupled import Node, decoupled_uct
from rumble_engine import JointState, Outcome
from rumble_engine.games import backgammon, dilemma, snakes

from .fixtures import Three


@dataclass(frozen=True, slots=True)
class Once(JointState):
    """A game of one joint move, with the payoffs of seat 0 by the moves of both; chance may halve the payoffs."""

    payoffs: tuple[tuple[int, ...], ...]
    chosen: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    share: int = -1

    seats = 2
    moves_each = 3

    @property
    def outcome(self) -> Outcome | None:
        if not self.chosen or (self.shares and self.share < 0):
            return None
        payoff = self.payoffs[self.chosen[0]][self.chosen[1]] * (self.share != 0)
        return Outcome((0.5 + payoff / 20, 0.5 - payoff / 20))

    @property
    def movers(self) -> tuple[int, ...]:
        return () if self.chosen else (0, 1)

    def chances(self) -> Sequence[tuple[int, float]]:
        return tuple(enumerate(self.shares)) if self.is_chance else ()

    def after_chance(self, code: int) -> Self:
        return type(self)(self.payoffs, self.chosen, self.shares, code)

    def chance_text(self, code: int) -> str:
        return str(code)

    def codes_for(self, seat: int) -> Sequence[int]:
        return range(len(self.payoffs))

    def text_for(self, seat: int, code: int) -> str:
        return str(code)

    def code_for(self, seat: int, text: str) -> int:
        return int(text)

    def after_all(self, moves: Mapping[int, int]) -> Self:
        return type(self)(self.payoffs, (moves[0], moves[1]), self.shares)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return {}

    def text(self) -> str:
        return str(self.chosen)

    def diagram(self) -> str:
        return self.text()


def found(state: Any, seat: int, rounds: int = 300, seed: int = 1) -> tuple[str, float]:
    result = decoupled_uct(state, seat, rounds, Tally(), Random(seed))
    return state.text_for(seat, result.code), result.value


@pytest.mark.parametrize("shares", [(), (0.5, 0.5)])
def test_dominant_moves_are_found_by_both_seats(shares: tuple[float, ...]) -> None:
    """Move 2 of seat 0 and move 0 of seat 1 are better than the others whatever the other seat does."""
    state = Once(((-5, 2, 3), (-4, 1, 2), (-3, 4, 5)), shares=shares)
    assert found(state, 0)[0] == "2"
    move, value = found(state, 1)
    assert move == "0"
    assert value == pytest.approx(0.3 if not shares else 0.15, abs=0.1)


def test_seats_that_are_alike_do_not_choose_in_step() -> None:
    """In step, both would see only equal payoffs."""
    for seed in range(10):
        assert found(dilemma.GAME.initial(), seed % 2, 200, seed)[0] == "D"


def test_three_seats_in_turn_each_want_their_own_win() -> None:
    """From a pile of two the mover wins. From three it cannot: it gives the win to another."""
    for mover in range(3):
        assert found(Three(2, mover), mover) == ("2", 1.0)
        assert found(Three(3, mover), mover)[1] < 0.1


def test_the_search_bears_checkers_off_and_steers_snakes_clear_of_walls() -> None:
    state = backgammon.GAME.parse("-A---AA-----------------b- X 65 9")
    assert found(state, 0, 60)[0] == "6/off 5/off"
    corner = snakes.GAME.parse(
        '{"turn":9,"food":[],"feeds":false,"snakes":['
        '{"body":[[0,0],[0,1],[0,2]],"health":90,"out":0,"reason":""},'
        '{"body":[[10,10],[10,9],[10,8]],"health":90,"out":0,"reason":""}]}'
    )
    assert found(corner, 0, 10)[0] == "right"


def test_draws_of_a_position_follow_the_probabilities_from_the_first_on() -> None:
    node = Node(backgammon.GAME.parse("-b----E-C---eE---c-e----B- X - 5"))
    for count in range(1, 361):
        node.drawn()
        node.visits += 1
        assert len(node.children) >= min(count, 12) * 3 // 4
    assert len(node.children) == 21


def test_equal_seeds_find_the_same() -> None:
    state = snakes.GAME.initial_for(4)
    assert found(state, 1, 40, 6) == found(state, 1, 40, 6)
