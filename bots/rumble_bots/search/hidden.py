"""Monte Carlo tree search for hidden games.

Information set MCTS with a single observer. Peter I. Cowling, Edward J. Powley, Daniel Whitehouse: Information set
Monte Carlo tree search. IEEE Transactions on Computational Intelligence and AI in Games 4 (2012), 120-143. Each round
begins with a fresh sample: a state that agrees with the seat's knowledge. Plies that look alike to the seat lead to the
same node of the tree, and the results of a move are counted for all states of the node together. Thus the seat's choice
does not depend on secrets that the seat does not know.

A move may be legal in only some states of a node. Therefore the bonus for few rounds counts only the rounds of the node
in which the move was legal.

As in `decoupled`, each seat maximizes its own score, and several seats may move at once. Rules of thumb judge
positions, and give the moves to try. The number of moves to try grows with the number of rounds. The order of the moves
to try depends on the mover's own secrets.

Unlike in `decoupled`, means are not scaled. By an unlucky guess of the secrets, the best move may lose its first round.
The mean of the best move is then the lowest, and scaling would lower this mean to 0. The search would rarely try the
move again.
"""

from collections.abc import Callable
from math import isqrt, log, sqrt
from random import Random

from rumble_engine import State
from rumble_engine.chance import BITS

from rumble_bots.knowledge import KNOWLEDGE
from rumble_bots.search.base import Tally, play_rounds
from rumble_bots.search.decoupled import FIRST
from rumble_bots.search.plies import scores_of

EXPLORATION = 0.7
"""Weight of the bonus for moves with few rounds, as in the paper of Cowling, Powley and Whitehouse.

The bonus is added to means from 0 to 1.
"""
Sample = Callable[[], State]
"""Function that draws, at each call, a new random state that agrees with the knowledge of a seat."""


class Arm:
    """The results of a seat's move in the rounds that used the move."""

    __slots__ = ("available", "mean", "visits")

    def __init__(self) -> None:
        self.available = 0
        """Number of rounds in which the move was legal at this node."""
        self.visits = 0
        self.mean = 0.0


class Node:
    """A node of the search tree, with the results of the moves at this node.

    A node stands for several positions. The plies that lead to these positions look the same to the observing seat.
    """

    __slots__ = ("arms", "children", "visits")

    def __init__(self) -> None:
        self.arms: dict[tuple[int, str], Arm] = {}
        """Results of the moves at this node. The key is the seat and the move's text."""
        self.children: dict[str, Node] = {}
        """Child nodes. The key is the ply that leads to the child, as the observing seat sees the ply."""
        self.visits = 0

    def chosen(self, state: State, seat: int, random: Random) -> tuple[int, Arm]:
        """Choose a move for `seat`, which is to move. Return the move's code and the move's results."""
        known, tries = KNOWLEDGE.get(type(state)), state.codes_for(seat)
        if known is None:
            tries = random.sample(tries, len(tries))
        else:
            tries = known.tries(state, seat)[: max(FIRST, isqrt(self.visits))]
        arms = [self.arms.setdefault((seat, state.text_for(seat, code)), Arm()) for code in tries]
        for arm in arms:
            arm.available += 1
        for code, arm in zip(tries, arms, strict=True):
            if not arm.visits:
                return code, arm
        worths = [arm.mean + EXPLORATION * sqrt(log(arm.available) / arm.visits) for arm in arms]
        place = worths.index(max(worths))
        return tries[place], arms[place]


def information_set_mcts(sample: Sample, seat: int, rounds: float, tally: Tally, random: Random) -> tuple[str, float]:
    """Play `rounds` rounds, or fewer if time runs out.

    Return the move of `seat` with the most rounds, and the move's value, from -1 (lost) to 1 (won).
    """
    root = Node()
    play_rounds(rounds, tally, lambda: _round(root, sample(), seat, random))
    (_, move), arm = max(
        ((key, arm) for key, arm in root.arms.items() if key[0] == seat), key=lambda each: each[1].visits
    )
    return move, 2 * arm.mean - 1


def _round(root: Node, state: State, observer: int, random: Random) -> None:
    node, path, goes_on = root, list[tuple[int, Arm]](), True
    while state.outcome is None and (node.visits or goes_on):
        node.visits += 1
        goes_on = state.is_chance
        if goes_on:
            code = state.draw(random.getrandbits(BITS))
            text, later = state.text_of(code), state.after(code)
        else:
            chosen = {seat: node.chosen(state, seat, random) for seat in state.movers}
            path += [(seat, arm) for seat, (_, arm) in chosen.items()]
            moves = {seat: code for seat, (code, _) in chosen.items()}
            text, later = state.joint_text(moves), state.after_all(moves)
        node = node.children.setdefault(state.seen(text, observer), Node())
        state = later
    node.visits += 1
    scores = scores_of(state, state.outcome, random)
    for seat, arm in path:
        arm.visits += 1
        arm.mean += (scores[seat] - arm.mean) / arm.visits
