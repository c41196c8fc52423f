"""Rules of thumb for games with many seats, joint moves, or chance. Searches cannot look far ahead in such games.

The `heuristic` bot plays only by these rules. The `mcts` bot uses them to choose moves to try, and to judge positions.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rumble_engine import MissingExtra, State
from rumble_engine.games.backgammon import BackgammonState
from rumble_engine.games.dilemma import DilemmaState
from rumble_engine.games.liars_dice import LiarsDiceState
from rumble_engine.games.snakes import SnakesState

from rumble_bots.knowledge import backgammon, dilemma, liars_dice, snakes


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The rules of thumb of a game."""

    best: Callable[[Any, int], Sequence[int]]
    """Function that returns the codes of a seat's best moves. The seat must be in `movers`."""
    tries: Callable[[Any, int], Sequence[int]]
    """Function that returns the codes of the moves to try for a seat, the most promising first."""
    judge: Callable[[Any], Sequence[float]]
    """Function that estimates the score of each seat, from 0 to 1, in a position before the end."""


KNOWLEDGE: dict[type[State], Knowledge] = {
    BackgammonState: Knowledge(backgammon.best, backgammon.tries, backgammon.judge),
    DilemmaState: Knowledge(dilemma.best, dilemma.tries, dilemma.judge),
    LiarsDiceState: Knowledge(liars_dice.best, liars_dice.tries, liars_dice.judge),
    SnakesState: Knowledge(snakes.best, snakes.tries, snakes.judge),
}
"""The rules of thumb, by the class of a game's states."""

with suppress(MissingExtra):
    from rumble_engine.games.poker.state import PokerState

    from rumble_bots.knowledge import poker

    KNOWLEDGE[PokerState] = Knowledge(poker.best, poker.tries, poker.judge)
