"""Plain minimax, which visits every node of the tree."""

from rumble_engine import State

from rumble_bots.search.base import Search, Tally


class Plain(Search):
    """Minimax as in textbooks: a position has the value of its best move, for the seat to move."""

    patience = 2_000_000  # nodes are cheap; tic-tac-toe has 549,946, and a streetwise bot visits them twice

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """Return the highest value of all moves. `alpha` and `beta` are not used."""
        return max(self.after(state, code, depth, tally) for code in state.codes())
