"""`streetwise`: minimax that sets the opponent hard questions.

If several moves have the same value, minimax plays the first of these moves. But an opponent may make mistakes.
Therefore `streetwise` gives each of these moves a second value: the share of the opponent's replies that are wrong. The
bot plays the move with the highest second value. Second values are compared only between moves that minimax finds
equal. Therefore the bot plays as safely as minimax.
"""

from rumble_engine import State

from rumble_bots.reference.minimax import Minimax
from rumble_bots.search import Found, Tally


class Streetwise(Minimax):
    """A bot that plays the best move; among equal moves, the move with the largest share of wrong replies."""

    about = "Looks ahead, and sets traps."

    def look(self, state: State, depth: float, tally: Tally) -> Found:
        """Search to `depth`. The tally also counts the nodes that are visited to find `Found.second`."""
        tally.visit()
        search, guesses = self.search_of(state), tally.guesses
        values = {code: search.after(state, code, depth, tally) for code in state.codes()}
        best = max(values.values())
        traps = {code: self.trap(state.after(code), depth - 1, tally) for code in values if values[code] == best}
        code = max(traps, key=traps.__getitem__)
        return Found(code, best + 0.0, traps[code], complete=tally.guesses == guesses)

    def trap(self, state: State, depth: float, tally: Tally) -> float:
        """Return the share of the moves in `state` that are worse than the best move.

        Return 1 after the end of the game, and 0 if no depth is left to search the moves.
        """
        if not state.codes():
            return 1.0
        if depth <= 0:
            return 0.0
        search = self.search_of(state)
        values = [search.after(state, code, depth, tally) for code in state.codes()]
        return 1 - values.count(max(values)) / len(values)

    def remark(self, found: Found) -> str:
        return "it ends the game" if found.second == 1 else f"{found.second:.0%} of the replies are wrong"
