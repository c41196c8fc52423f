"""Limits of a search in depth and time, and iterative deepening within these limits."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from random import Random

from rumble_engine import State

from rumble_bots.search.base import END, Clock, Found, OutOfTime, Tally

Look = Callable[[State, float, Tally], Found]
"""Function that searches a position to a depth. It may raise OutOfTime."""
Progress = Callable[[Found, Tally], object]
"""Function that is called during a search, with the newest result and the tally."""
TIME_MS = 50
"""Default time in ms for a move, in a game too big for a search to the end."""
SHARE = 0.5
"""Share of the time budget that a search uses. A busy machine may need the rest."""
SMALL = 1_000_000
"""Maximum number of nodes of a tree that is searched to the end. Tic-tac-toe has 549,946."""
MOST_NODES = 1_000_000
"""Maximum number of nodes of a search for which `Limits` has a depth but no time. Visiting them takes about 10 s."""
PROBES = 4
"""Number of random games that are played to estimate the size of a tree. Each game gives an estimate. If all estimates
are small, the tree counts as small."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search: a depth in plies, and a time in ms. None means no limit."""

    depth: int | None = None
    time_ms: float | None = None
    clock: Clock = time.monotonic

    def __post_init__(self) -> None:
        for name, value in (("depth", self.depth), ("time_ms", self.time_ms)):
            if value is not None and (type(value) not in (int, float) or not 1 <= value < END):
                raise ValueError(f"{name} must be a number from 1 up, not {value!r}")


def think(
    look: Look, state: State, limits: Limits, budget_ms: int | None, node_limit: int = MOST_NODES
) -> tuple[Found, Tally]:
    """Search `state` within `limits`. Return the result of `look`, and the tally.

    `budget_ms` is the maximum time for this move. The time limit is the lesser of `limits.time_ms` and half of
    `budget_ms`; there is no time limit if both are None. Without a time limit, `look` is called once: for the depth in
    `limits`, or to the end of the game. With a time limit, `look` is called for depth 1, 2 and so on. The result of the
    last completed depth is returned. Depth 1 is always completed, even if the search takes longer than the time limit.

    A budget may be a day, and a game may be bigger than estimated. Therefore, without `limits.time_ms`, the number of
    nodes is limited, too: to `MOST_NODES` if `limits` has a depth, otherwise to `node_limit`.

    Two kinds of searches become quick searches:
    - searches without a depth in `limits`, if the game is too big for a search to the end;
    - searches without a time limit, if the single call of `look` has reached the maximum number of nodes.

    In a quick search, the number of nodes is not limited, and `TIME_MS` takes the place of a missing `limits.time_ms`.
    A quick search ends as soon as it finds a win or a loss. For a loss, the result has the value of the loss,
    together with the move found at the previous depth.
    """
    deepest, most_nodes = (END, node_limit) if limits.depth is None else (limits.depth, MOST_NODES)
    quick = limits.depth is None and not is_small(state)
    allowed = None if budget_ms is None else budget_ms * SHARE
    if not quick and limits.time_ms is None and allowed is None:
        tally = Tally(most_nodes=most_nodes)
        try:
            found = look(state, deepest, tally)
        except OutOfTime:
            quick = True
        else:
            tally.depth = limits.depth
            return found, tally
    time_ms = limits.time_ms or (TIME_MS if quick else None)
    limit_ms = min(each for each in (time_ms, allowed) if each is not None)
    return _deepen(look, state, deepest, quick, Tally(limit_ms, limits.clock, most_nodes if time_ms is None else END))


def _deepen(look: Look, state: State, deepest: float, quick: bool, tally: Tally) -> tuple[Found, Tally]:
    found: Found | None = None
    for depth in count(1):
        try:
            later = look(state, depth, tally)
        except OutOfTime:
            break
        found = replace(later, code=found.code, second=found.second) if found and quick and later.value <= -1 else later
        tally.depth = depth
        if found.complete or depth >= deepest or (quick and abs(found.value) >= 1):
            break
    if found is None:
        tally.deadline, tally.most_nodes, tally.depth = None, END, 1
        found = look(state, 1, tally)
    return found, tally


def solve(look: Look, state: State, on_depth: Progress = lambda found, tally: None) -> tuple[Found, Tally]:
    """Search deeper and deeper until the value is certain, without a time limit. Return the result and the tally.

    `on_depth` is called after each depth.
    """
    tally = Tally()
    for depth in count(1):
        found = look(state, depth, tally)
        tally.depth = depth
        on_depth(found, tally)
        if found.complete or abs(found.value) >= 1:
            break
    return found, tally


def is_small(state: State) -> bool:
    """Return true if the game tree below `state` has an estimated size of at most `SMALL` nodes.

    After Donald E. Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975): the
    size of a tree is estimated from the numbers of moves along random games. The random games are the same in each
    call.
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
