"""Monte Carlo tree search for games with joint moves, with chance, or with more than two seats.

Decoupled UCT: each mover of a position has statistics of its own moves, and chooses as if it moved alone; each seat
maximizes its own score. Marc Lanctot, Christopher Wittlinger, Mark H. M. Winands, Niek G. P. Den Teuling: Monte Carlo
tree search for simultaneous move games: a case study in the game of Tron. BNAIC 2013, 104-111.

The means of a position's moves are scaled: the worst mean becomes 0, and the best mean becomes 1. Then even small
differences count. Now and then a mover tries a random move. Without random moves, seats in similar positions would
always make similar moves, and never learn the value of a move against a different move.

Outcomes of chance are drawn by a fixed sequence of numbers, the same at each position. Each number is the previous
number plus `GOLDEN`, modulo `NUMBERS`. Even the first few numbers are spread evenly. Therefore the frequencies of
outcomes are soon close to their probabilities, and different moves are compared under the same outcomes of chance.

A round is a path from the root to the first position that is new to the tree. If an outcome of chance leads to this
position, the round goes on by one more move, because the value of a roll depends on the move made with the roll.
"""

from collections.abc import Hashable, Sequence
from math import log, sqrt
from random import Random

from rumble_engine import State
from rumble_engine.chance import NUMBERS

from rumble_bots.knowledge import KNOWLEDGE
from rumble_bots.search.base import Found, Tally, play_rounds
from rumble_bots.search.plies import scores_of

EXPLORATION = 0.3
"""Weight of the bonus for moves with few rounds. The bonus is added to scaled means from 0 to 1."""
FIRST = 4
"""Number of a seat's most promising moves that are tried first. Further moves are tried after more rounds."""
LOT = 0.1
"""Probability that a mover makes a random move in a position with several movers."""
GOLDEN = int(NUMBERS * (sqrt(5) - 1) / 2)
"""Difference of successive numbers in the sequence by which outcomes of chance are drawn at a position."""


class Arm:
    """A move of a seat, with the mean result of the rounds that used the move."""

    __slots__ = ("code", "mean", "visits")

    def __init__(self, code: int) -> None:
        self.code = code
        self.visits = 0
        self.mean = 0.0


class Node:
    """A position in the tree, with the moves of each seat to move."""

    __slots__ = ("arms", "children", "outcome", "state", "visits")

    def __init__(self, state: State) -> None:
        self.state = state
        self.outcome = state.outcome
        self.arms: dict[int, list[Arm]] = {}
        """Moves by seat, in the order in which they are tried; empty until a round makes moves from this position."""
        self.children: dict[Hashable, Node] = {}
        self.visits = 0

    def drawn(self) -> "Node":
        """Draw an outcome of chance, and return the child after this outcome."""
        code = self.state.draw(self.visits * GOLDEN % NUMBERS)
        if code not in self.children:
            self.children[code] = Node(self.state.after(code))
        return self.children[code]

    def chosen(self, random: Random) -> dict[int, Arm]:
        """Choose a move for each seat to move."""
        known = KNOWLEDGE.get(type(self.state))
        if not self.arms:
            for seat in self.state.movers:
                codes = self.state.codes_for(seat)
                tries = known.tries(self.state, seat) if known else random.sample(codes, len(codes))
                self.arms[seat] = [Arm(code) for code in tries]
        lots = LOT if len(self.arms) > 1 else 0
        return {
            seat: random.choice(arms) if random.random() < lots else self._promising(arms, known is not None)
            for seat, arms in self.arms.items()
        }

    def _promising(self, arms: Sequence[Arm], is_ordered: bool) -> Arm:
        tried = [arm for arm in arms if arm.visits]
        count = len(tried)
        if count < len(arms) and (not is_ordered or count < FIRST or count * count <= self.visits):
            return next(arm for arm in arms if not arm.visits)
        if count == 1:
            return tried[0]
        means = [arm.mean for arm in tried]
        low, known = min(means), EXPLORATION * sqrt(log(self.visits))
        scale = 1 / ((max(means) - low) or 1)
        return max(tried, key=lambda arm: (arm.mean - low) * scale + known / sqrt(arm.visits))

    def after(self, chosen: dict[int, Arm]) -> "Node":
        key = tuple([arm.code for arm in chosen.values()])
        if key not in self.children:
            self.children[key] = Node(self.state.after_all({seat: arm.code for seat, arm in chosen.items()}))
        return self.children[key]


def decoupled_uct(state: State, seat: int, rounds: float, tally: Tally, random: Random) -> Found:
    """Play `rounds` rounds, or fewer if time runs out.

    Return the move of `seat` with the most rounds, and the move's value, from -1 (lost) to 1 (won).
    """
    root = Node(state)
    play_rounds(rounds, tally, lambda: _round(root, random))
    arm = max(root.arms[seat], key=lambda arm: arm.visits)
    return Found(arm.code, 2 * arm.mean - 1, complete=False)


def _round(root: Node, random: Random) -> None:
    node, path, goes_on = root, list[tuple[int, Arm]](), True
    while node.outcome is None and (node.visits or goes_on):
        node.visits += 1
        goes_on = node.state.is_chance
        if goes_on:
            node = node.drawn()
        else:
            chosen = node.chosen(random)
            path += chosen.items()
            node = node.after(chosen)
    node.visits += 1
    scores = scores_of(node.state, node.outcome, random)
    for seat, arm in path:
        arm.visits += 1
        arm.mean += (scores[seat] - arm.mean) / arm.visits
