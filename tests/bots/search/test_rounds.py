"""The searches that play rounds count their rounds, and answer in time."""

from collections.abc import Callable
from random import Random

import pytest
from rumble_bots.search import END, Tally
from rumble_bots.search.decoupled import decoupled_uct
from rumble_bots.search.hidden import information_set_mcts
from rumble_bots.search.mcts import uct
from rumble_engine.games import snakes

from .fixtures import CONNECT4, Coin, CountedClock

Search = Callable[[float, Tally], object]
SEARCHES: dict[str, Search] = {
    "uct": lambda rounds, tally: uct(CONNECT4.initial(), rounds, tally, Random(0)),
    "decoupled": lambda rounds, tally: decoupled_uct(snakes.GAME.initial_for(4), 3, rounds, tally, Random(0)),
    "hidden": lambda rounds, tally: information_set_mcts(lambda: Coin(0.5, "tails"), 0, rounds, tally, Random(0)),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_rounds_are_counted_and_the_clock_ends_the_search_after_one_round_at_least(search: Search) -> None:
    tally, clock = Tally(), CountedClock()
    search(20, tally)
    assert tally.nodes == 20
    search(END, Tally(0.5, clock))
    assert clock.now * 1000 == pytest.approx(0.5, abs=0.03)
    assert search(END, Tally(1, CountedClock(step_ms=1)))
