"""The search to play by: alpha-beta that remembers, and that looks at the likeliest move first.

Likely are, in this order: the move that was best here in an earlier look (from the table); the two moves that last
refuted a position of the same ply (killers: S. G. Akl, M. M. Newborn: The principal continuation and the killer
heuristic, 1977); the moves that refuted most elsewhere (J. Schaeffer: The history heuristic, 1983). The order
changes the work alone: values and chosen moves are plain minimax's at the same depth.
"""

import math
from collections.abc import Hashable, Sequence

from rumble_engine import State

from rumble_bots.search.base import END, Found, OutOfTime, Search, Tally
from rumble_bots.search.memory import Memory

POSITIONS = 250_000
"""Positions that a table holds unless told otherwise: some 70 MB in connect four."""

NONE = -(1 << 62)
"""No move of any game."""

NO_KILLERS = (NONE, NONE)

FAR = 8.0
"""Refutations at this depth or more count the same in the history."""

Entry = tuple[float, float, float, int]
"""Of a position: the depth it was searched to, at least this value, at most this value, its best move."""

UNKNOWN: Entry = (-1.0, -1.0, 1.0, NONE)


class Strong(Search):
    """Alpha-beta with a table of bounds and best moves, killers and history. One serves one game."""

    prunes = True

    def __init__(self, positions: int = POSITIONS) -> None:
        self.table: Memory[Hashable, Entry] = Memory(positions)
        self.killers: dict[int, tuple[int, int]] = {}
        """By ply from the root: the moves that refuted a position there, the last first."""
        self.history: tuple[dict[int, float], ...] = ({}, {})
        """By seat and move: how often it refuted a position, deep looks counted more."""
        self.root: State | None = None
        self.folds = False
        """Whether the table takes symmetric positions as one: it pays where the root has a symmetry."""
        self.ply = 0
        self.chosen = NONE
        """The best move of the position that was looked at last."""

    def best(self, state: State, depth: float, tally: Tally) -> Found:
        """The first move of the highest value, whatever order they are looked at. Raises OutOfTime.

        A win that was seen before the time was over is given all the same.
        """
        tally.visit()
        if state != self.root:
            self.root, self.folds = state, is_symmetric(state)
        self.killers.clear()
        self.ply = 0
        key, codes, guesses = self.key(state), list(state.codes()), tally.guesses
        chosen, best = NONE, -math.inf
        for code in self.ordered(state, self.table.get(key, UNKNOWN)[3]):
            earlier = chosen != NONE and codes.index(code) < codes.index(chosen)
            if best >= 1 and not earlier:
                continue
            # A move that comes earlier is preferred if it is only as good, which must then be told from worse.
            floor = math.nextafter(best, -math.inf) if earlier else best
            try:
                value = self.after(state, code, depth, tally, max(floor, -1.0))
            except OutOfTime:
                if best < 1:
                    raise
                break
            if value > best or (earlier and value == best):
                chosen, best = code, value
        complete = tally.guesses == guesses
        self.table[key] = (END if complete else depth, best, best, chosen)
        return Found(chosen, best + 0.0, complete=complete)

    def value(self, state: State, depth: float, tally: Tally, alpha: float = -1.0, beta: float = 1.0) -> float:
        """The value from the table, if it holds for just this depth or to the end, or worked out and put there."""
        if depth <= 0 or state.outcome is not None:
            return super().value(state, depth, tally)
        key = self.key(state)
        searched, low, high, self.chosen = self.table.get(key, UNKNOWN)
        known = searched in (depth, END)
        if known and (low >= beta or high <= alpha or low == high):
            tally.guesses += searched < END
            return low if low >= beta else high
        tally.visit()
        guesses = tally.guesses
        value = self.beyond(state, depth, tally, alpha, beta)
        reached = END if tally.guesses == guesses else depth
        if reached != searched:
            low, high = -1.0, 1.0
        if reached >= searched or searched < END:
            self.table[key] = (reached, value if value > alpha else low, value if value < beta else high, self.chosen)
        return value

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """The highest value among the moves, as far as it matters between `alpha` and `beta`."""
        best, chosen = -math.inf, NONE
        codes = self.ordered(state, self.chosen)
        self.ply += 1
        try:
            for code in codes:
                value = self.after(state, code, depth, tally, max(alpha, best), beta)
                if value > best:
                    best, chosen = value, code
                    if best >= beta:
                        break
        finally:
            self.ply -= 1
        if best >= beta:
            self.refuted(state.to_move, chosen, depth)
        self.chosen = chosen
        return best

    def key(self, state: State) -> Hashable:
        """What the table knows the position by."""
        return state.canonical() if self.folds else state

    def ordered(self, state: State, hint: int) -> Sequence[int]:
        """The moves, the likeliest first; `hint` is the table's, if it is a move here at all."""
        weight = self.history[state.to_move].get
        codes = sorted(state.codes(), key=lambda code: weight(code, 0.0), reverse=True)
        last, before = self.killers.get(self.ply, NO_KILLERS)
        for code in (before, last, hint):
            if code in codes:
                codes.remove(code)
                codes.insert(0, code)
        return codes

    def refuted(self, seat: int, code: int, depth: float) -> None:
        """Remember that `code` was good enough here."""
        last, _ = self.killers.get(self.ply, NO_KILLERS)
        if code != last:
            self.killers[self.ply] = code, last
        history = self.history[seat]
        history[code] = history.get(code, 0.0) + min(depth, FAR) ** 2


def is_symmetric(state: State) -> bool:
    """Whether two moves lead to the same position but for symmetry."""
    codes = state.codes()
    return len({state.after(code).canonical() for code in codes}) < len(codes)
