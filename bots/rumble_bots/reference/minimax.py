"""`minimax`: looks ahead, and plays the first move with the highest value."""

import time
from collections.abc import Hashable
from dataclasses import replace
from random import Random

from rumble_engine import State

from rumble_bots.reference.errors import BadOption, CannotPlay
from rumble_bots.reference.reference_bot import Choice, ReferenceBot
from rumble_bots.search import SEARCHES, Found, Limits, Search, Tally, is_small, solve, think
from rumble_bots.search.base import Clock, beyond_two
from rumble_bots.search.thinking import Progress

REMEMBERED = 16_384
"""Maximum number of cached answers. Only answers for positions searched to the end are cached.

The answers for all 4,520 unfinished positions of tic-tac-toe fit into the cache.
"""


class Minimax(ReferenceBot):
    """A bot that searches to the end of the game if possible, or else as deep as `depth` and the time allow.

    Options: `search` is a key of `SEARCHES`, `depth` is in plies, and `time_ms` is the maximum time for a move. The
    searches differ in speed. With the same `depth`, a search with a table may find more exact values than a search
    without a table. The default search is `cached` if the game tree is small below the first position that
    the bot gets, otherwise `strong`. `rumble_bots.search.think` explains how depth and time work together.
    """

    about = "Looks ahead as far as it can."
    options = ("search", "depth", "time_ms")

    def __init__(
        self,
        random: Random,
        *,
        search: str | None = None,
        depth: int | None = None,
        time_ms: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(random)
        if search is not None and search not in SEARCHES:
            raise BadOption(f"unknown search {search!r}; there are: {', '.join(SEARCHES)}")
        try:
            self.limits = Limits(depth, time_ms, clock)
        except ValueError as error:
            raise BadOption(str(error)) from error
        self.search = search
        self.searches: dict[type[State], Search] = {}
        self.answers: dict[Hashable, Choice] = {}

    @classmethod
    def obstacle(cls, state: State) -> str:
        name, reason = cls.__name__.lower(), beyond_two(state)
        return f"{name} plays games of two seats in turn without chance; here {reason}" if reason else ""

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Return the best move, the value of the move, and the number of nodes visited (0 for a cached answer)."""
        known = self.answers.get(state)
        if known is not None:
            return known
        found, tally = think(self.look, state, self.limits, budget_ms, self.search_of(state).node_limit)
        choice = self.choice(state, found, tally)
        if found.complete:
            if len(self.answers) >= REMEMBERED:
                self.answers.clear()
            self.answers[state] = replace(choice, nodes=0)
        return choice

    def solve(self, state: State, on_depth: Progress) -> Choice:
        """Choose a move by a search to the end of the game, without limits.

        After each depth, `on_depth` is called with the result so far and the tally. Raises CannotPlay.
        """
        if reason := self.obstacle(state):
            raise CannotPlay(reason)
        self.searches[type(state)] = SEARCHES[self.search or "strong"]()
        return self.choice(state, *solve(self.look, state, on_depth))

    def choice(self, state: State, found: Found, tally: Tally) -> Choice:
        line = self.search_of(state).line(state, found.code)
        return Choice(line[0], found.value, tally.nodes, self.remark(found), tally.depth, line if line[1:] else ())

    def look(self, state: State, depth: float, tally: Tally) -> Found:
        return self.search_of(state).best(state, depth, tally)

    def remark(self, found: Found) -> str:
        return "" if found.complete else "the value is an estimate"

    def search_of(self, state: State) -> Search:
        """Return the search for the game of `state`.

        Each game has its own search, because the table of a search has positions of a single game.
        """
        kind = type(state)
        if kind not in self.searches:
            self.searches[kind] = SEARCHES[self.search or ("cached" if is_small(state) else "strong")]()
        return self.searches[kind]
