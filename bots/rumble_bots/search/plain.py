"""Plain minimax: the whole tree, every node of it."""

from rumble_engine import State

from rumble_bots.search.base import Search, Tally


class Plain(Search):
    """Minimax as in the textbooks: the value of a position is that of its best move for the seat to move."""

    patience = 2_000_000  # they are cheap; tic-tac-toe has 549,946, and a streetwise bot looks at them twice

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """Return the highest value among all moves; `alpha` and `beta` are ignored."""
        return max(self.after(state, code, depth, tally) for code in state.codes())
