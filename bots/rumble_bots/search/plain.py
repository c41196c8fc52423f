"""Plain minimax: the whole tree, every node of it."""

from rumble_engine import State

from rumble_bots.search.base import Search, Tally


class Plain(Search):
    """Minimax as in the textbooks: a position is worth its best move, and that is worth what it leaves the other."""

    def beyond(self, state: State, depth: float, tally: Tally, alpha: float, beta: float) -> float:
        """The highest value among all moves; `alpha` and `beta` are not looked at."""
        return max(self.after(state, code, depth, tally) for code in state.codes())
