"""How far and how long a search may look, and looking deeper and deeper until it must stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from random import Random

from rumble_engine import State

from rumble_bots.search.base import END, Clock, Found, OutOfTime, Tally

Look = Callable[[State, float, Tally], Found]
"""A search of one position to one depth; it may raise OutOfTime."""

TIME_MS = 50
"""Thinking time for a move in a game too big to search to its end, unless told otherwise."""

SHARE = 0.5
"""The part of its budget that a search plans to use: a busy machine may need the rest."""

SMALL = 1_000_000
"""Nodes of a game tree that is searched to its end without a second thought; tic-tac-toe's is 549,946."""

PROBES = 4
"""Random games that must all look small."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search is allowed: a depth in plies, a time in milliseconds; None is no limit of that kind."""

    depth: int | None = None
    time_ms: float | None = None
    clock: Clock = time.monotonic

    def __post_init__(self) -> None:
        for name, value in (("depth", self.depth), ("time_ms", self.time_ms)):
            if value is not None and (type(value) not in (int, float) or not 1 <= value < END):
                raise ValueError(f"{name} must be a number from 1 up, not {value!r}")


def think(look: Look, state: State, limits: Limits, budget_ms: int | None) -> tuple[Found, Tally]:
    """The answer of `look` for `state` within `limits`, and what it took.

    Without a clock it looks once, at full depth. Under a clock, which is `limits.time_ms` or half of `budget_ms`
    (the most that this move may take), whichever is less, it looks one ply deep, then two, and so on, and the last
    depth that was finished counts. A game too big to end gets `TIME_MS` if nothing else limits it; there a win is
    taken as soon as it is seen, and in a lost position the move counts that held out to the depth before.
    There is always an answer: where the clock does not allow even one ply, one ply is looked at all the same.
    """
    deepest = END if limits.depth is None else limits.depth
    patient = deepest < END or is_small(state)
    time_ms = limits.time_ms if limits.time_ms is not None or patient else TIME_MS
    given = [limit for limit in (time_ms, None if budget_ms is None else budget_ms * SHARE) if limit is not None]
    if not given:
        tally = Tally()
        return look(state, deepest, tally), tally
    tally = Tally(min(given), limits.clock)
    found = None
    for depth in count(1):
        try:
            later = look(state, depth, tally)
        except OutOfTime:
            break
        hopeless = not patient and later.value <= -1
        found = replace(later, code=found.code, second=found.second) if found and hopeless else later
        if found.complete or depth >= deepest or (not patient and abs(found.value) >= 1):
            break
    if found is None:
        tally.deadline = None
        found = look(state, 1, tally)
    return found, tally


def solve(look: Look, state: State) -> tuple[Found, Tally]:
    """The answer of `look` that no deeper look would change in value, and what it took: as long as it takes."""
    tally, depth = Tally(), 1
    found = look(state, depth, tally)
    while not found.complete and abs(found.value) < 1:
        depth += 1
        found = look(state, depth, tally)
    return found, tally


def is_small(state: State) -> bool:
    """Whether the game tree below `state` seems to have at most `SMALL` nodes.

    After Donald E. Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975):
    the nodes of a tree are guessed from the branches met on random ways down, the same ones each time.
    """
    random = Random(0)
    return all(_probe(state, random) <= SMALL for _ in range(PROBES))


def _probe(state: State, random: Random) -> float:
    nodes = level = 1
    while nodes <= SMALL and (codes := state.codes()):
        level *= len(codes)
        nodes += level
        state = state.after(random.choice(codes))
    return nodes
