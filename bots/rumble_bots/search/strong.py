"""The search that bots use in play: alpha-beta with a table of positions. The most promising moves are tried first.

The order of moves:
- first the best move of an earlier search of the position (from the table);
- then the two moves that last refuted a position at the same ply (killer moves: S. G. Akl, M. M. Newborn: The principal
  continuation and the killer heuristic, 1977);
- then the other moves, the greatest weight in `Strong.history` first (J. Schaeffer: The history heuristic, 1983).

The order changes only the number of nodes: values and chosen moves are the same as plain minimax's at the same depth.
"""

import math
from collections.abc import Hashable, Sequence

from rumble_engine import State

from rumble_bots.search.base import END, Found, OutOfTime, Search, Tally
from rumble_bots.search.memory import Memory

POSITIONS = 250_000
"""Default maximum number of positions in a table (about 70 MB in connect four)."""
NONE = -(1 << 62)
"""A code that no game uses for a move."""
LONGEST_LINE = 20
"""Maximum number of expected moves that `line` returns."""
NO_KILLERS = (NONE, NONE)

FAR = 8.0
"""Depth in plies at which a refutation gets the greatest weight in `history`. Deeper searches give the same weight."""
Entry = tuple[float, float, float, int]
"""An entry of the table: depth of the search, lower and upper bound of the value, and best move."""
UNKNOWN: Entry = (-1.0, -1.0, 1.0, NONE)


class Strong(Search):
    """Alpha-beta with a table of bounds and best moves, killer moves, and history. An instance serves a single game."""

    prunes = True

    def __init__(self, positions: int = POSITIONS) -> None:
        self.table: Memory[Hashable, Entry] = Memory(positions)
        self.killers: dict[int, tuple[int, int]] = {}
        """The last two moves that refuted a position, the later move first. The key is the ply from the root."""
        self.history: tuple[dict[int, float], ...] = ({}, {})
        """Weights of moves that refuted positions, by seat and move. Deep searches give more weight."""
        self.root: State | None = None
        self.folds = False
        """True if symmetric positions share an entry of the table.

        Finding the common entry takes time, so `folds` is true only if the root has a symmetry.
        """
        self.ply = 0
        self.chosen = NONE
        """The best move of the position that was searched last."""

    def best(self, state: State, depth: float, tally: Tally) -> Found:
        """Return the best move. Of equally good moves, return the first in the order of `State.codes`.

        Raises OutOfTime if time runs out before a winning move is found.
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
            # An equal move earlier in the order is preferred, so the bound must be low enough to tell equal from worse.
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
        """Return the value of `state`, from the table or by a search.

        An entry of the table is used if both of these conditions hold:
        - the search for the entry had the depth `depth`, or went to the end of the game;
        - the entry's bounds are equal, or show that the value is not between `alpha` and `beta`.
        """
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

    def line(self, state: State, code: int) -> list[str]:
        """Return the expected moves from `state` on, beginning with `code`, as far as the table knows them."""
        moves: list[str] = []
        while code in state.codes() and len(moves) < LONGEST_LINE:
            moves.append(state.text_of(code))
            state = state.after(code)
            code = self.table.get(self.key(state), UNKNOWN)[3] if not self.folds else NONE
        return moves

    def key(self, state: State) -> Hashable:
        return state.canonical() if self.folds else state

    def ordered(self, state: State, hint: int) -> Sequence[int]:
        """Return the moves, the most promising first.

        `hint` is the best move in the position's entry of the table. The move may be illegal in `state`.
        """
        weight = self.history[state.to_move].get
        codes = sorted(state.codes(), key=lambda code: weight(code, 0.0), reverse=True)
        last, before = self.killers.get(self.ply, NO_KILLERS)
        for code in (before, last, hint):
            if code in codes:
                codes.remove(code)
                codes.insert(0, code)
        return codes

    def refuted(self, seat: int, code: int, depth: float) -> None:
        """Store in `killers` and `history` that the move `code` of `seat` refuted a position."""
        last, _ = self.killers.get(self.ply, NO_KILLERS)
        if code != last:
            self.killers[self.ply] = code, last
        history = self.history[seat]
        history[code] = history.get(code, 0.0) + min(depth, FAR) ** 2


def is_symmetric(state: State) -> bool:
    """Return true if two different moves in `state` lead to positions that are equal by symmetry."""
    codes = state.codes()
    return len({state.after(code).canonical() for code in codes}) < len(codes)
