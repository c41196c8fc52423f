"""`mcts`: plays the move that has the best results in random games."""

import time
from functools import partial
from random import Random

from rumble_engine import State

from rumble_bots.reference.errors import BadOption
from rumble_bots.reference.reference_bot import Choice, ReferenceBot, Sight
from rumble_bots.search import Limits, Tally
from rumble_bots.search.base import END, Clock, beyond_two
from rumble_bots.search.decoupled import decoupled_uct
from rumble_bots.search.hidden import information_set_mcts
from rumble_bots.search.mcts import uct
from rumble_bots.search.thinking import SHARE

ITERATIONS = 1_000
"""Number of the search's rounds for a move if the options give neither `iterations` nor `time_ms`."""
NOTE = "the value is the mean of the rounds"
MOST_MS = 60_000
"""Maximum time in ms for a move if neither `time_ms` nor a clock limits the time, even with large `iterations`."""


class Mcts(ReferenceBot):
    """A bot that plays any game by Monte Carlo tree search. Positions are judged by random games, or by rules of thumb.

    The search for a move consists of rounds. A round tries a sequence of moves, and judges the last position. In a
    hidden game, each round begins with a new random state, in agreement with the knowledge of the bot's seat.

    Options: `iterations` is the number of rounds for a move (by default `ITERATIONS`), and `time_ms` the maximum time
    for a move (by default `MOST_MS`). In a match with a clock, the bot uses at most half of the time for the move, even
    if the options allow more.
    """

    about = "Plays thousands of games in its head."
    options = ("iterations", "time_ms")

    def __init__(
        self,
        random: Random,
        *,
        iterations: int | None = None,
        time_ms: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(random)
        if iterations is not None and (type(iterations) is not int or iterations < 1):
            raise BadOption(f"iterations must be a whole number from 1 up, not {iterations!r}")
        try:
            self.limits = Limits(time_ms=time_ms, clock=clock)
        except ValueError as error:
            raise BadOption(str(error)) from error
        self.rounds = iterations or (ITERATIONS if time_ms is None else END)

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Choose the move with the most rounds.

        The score is the move's mean result, and `nodes` is the number of all rounds.
        """
        tally = self._tally(budget_ms)
        if beyond_two(state):
            found = decoupled_uct(state, seat, self.rounds, tally, self.random)
        else:
            found = uct(state, self.rounds, tally, self.random)
        return Choice(state.text_for(seat, found.code), found.value, tally.nodes, NOTE)

    def choose_seeing(self, sight: Sight, budget_ms: int | None = None) -> Choice:
        """Choose the move with the most rounds, like `pick`. Raises CannotPlay."""
        tally, sample = self._tally(budget_ms), partial(sight.sample, self.random)
        move, value = information_set_mcts(sample, sight.seat, self.rounds, tally, self.random)
        return Choice(move, value, tally.nodes, NOTE)

    def _tally(self, budget_ms: int | None) -> Tally:
        """Return the tally that counts a search's rounds, and stops the search at the time limit."""
        allowed = None if budget_ms is None else budget_ms * SHARE
        times = [limit for limit in (self.limits.time_ms, allowed) if limit is not None]
        return Tally(min(times, default=MOST_MS), self.limits.clock)
