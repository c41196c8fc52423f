"""Plain minimax, which visits every node of the tree."""

from rumble_engine import State

from rumble_bots.search.base import Search, Tally


class Plain(Search):
    """Minimax as in textbooks: the value of a position for the seat to move is the value of the seat's best move."""

    node_limit = 2_000_000  # nodes are cheap; tic-tac-toe has 549,946, and a streetwise bot visits them twice

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """Return the value of `state`: the highest value of a move. `alpha` and `beta` are not used."""
        return max(self.after(state, code, depth, tally) for code in state.codes())
