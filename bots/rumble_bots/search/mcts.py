"""Monte Carlo tree search, which judges a move by the results of random games after the move.

UCT: Levente Kocsis, Csaba Szepesvári: Bandit based Monte-Carlo planning. ECML 2006, 282-293. Each round follows the
most promising moves down the tree (mean result so far, plus a bonus for few visits). The round adds a new position to
the tree, plays a random game from there, and counts the result for each position on its path.

If a game estimates its positions, moves are tried in the order of the estimates. The more rounds go through a position,
the more moves are tried there. This is progressive widening (Rémi Coulom: Computing Elo ratings of move patterns in the
game of Go. ICGA Journal 30 (2007), 198-208). Without progressive widening, a board of 225 squares would take 225 rounds
to try each move once.
"""

from collections.abc import Sequence
from math import log, sqrt
from random import Random

from rumble_engine import State

from rumble_bots.search.base import Found, Tally, play_rounds

EXPLORATION = 1.0
"""Weight of the bonus for few visits. The bonus is added to mean results from -1 to 1."""
SOON = 6
"""Maximum number of plies of a random game, in games that estimate positions.

If a random game is not over after these plies, the estimate of its position counts as its result.
"""
LATE = 500
"""Maximum number of plies of a random game, in games that do not estimate positions. Most random games are shorter."""
FIRST = 4
"""Number of moves of a position that are tried even if very few rounds go through the position."""
PATIENCE = 8
"""The moves of a position are ordered after (number of moves) / `PATIENCE` rounds through the position.

The moves are not ordered earlier, because ordering takes time.
"""


class Node:
    """A position in the tree, with the results of the rounds through it."""

    __slots__ = ("children", "codes", "informed", "seat", "state", "total", "visits")

    def __init__(self, state: State, informed: bool) -> None:
        self.state = state
        self.informed = informed
        """True if the game estimates positions (`State.estimate`)."""
        self.seat = state.to_move
        self.codes: Sequence[int] | None = None
        """The moves in the order in which they are tried, or a single move that wins at once; None before `look`."""
        self.children: list[Node] = []
        """Children after the moves tried so far, in the order of `codes`."""
        self.visits = 0
        self.total = 0.0
        """Sum of the results, for seat 0."""

    def look(self, random: Random) -> None:
        """Find the moves and put them in order. Equal moves are in random order."""
        codes = self.state.codes()
        self.codes = _ordered(self.state, random.sample(codes, len(codes)), self.informed)

    def is_ripe(self) -> bool:
        """Return true if a round goes on from this node to a child, false if the random game begins here."""
        return self.codes is not None or self.visits * PATIENCE >= len(self.state.codes())

    def untried(self) -> int | None:
        """Return the next move to try for the first time.

        Return None before `look`, after all moves were tried, and while the node needs more visits for another move.
        """
        tried = len(self.children)
        if self.codes is None or tried >= len(self.codes):
            return None
        return None if self.informed and tried >= FIRST and tried * tried > self.visits else self.codes[tried]

    def grow(self, code: int) -> "Node":
        child = Node(self.state.after(code), self.informed)
        self.children.append(child)
        return child

    def mean(self, seat: int) -> float:
        """Return the mean result for `seat`, from -1 to 1."""
        return (-self.total if seat else self.total) / self.visits

    def promising(self) -> "Node":
        """Return the child with the highest sum of two numbers: the bonus, and the mean result for the seat to move."""
        known, seat = EXPLORATION * EXPLORATION * log(self.visits), self.seat
        return max(self.children, key=lambda child: child.mean(seat) + sqrt(known / child.visits))


def uct(state: State, rounds: float, tally: Tally, random: Random) -> Found:
    """Play `rounds` rounds, or fewer if time runs out. Return the move with the most rounds, and the move's value."""
    informed = type(state).estimate is not State.estimate
    root, plies = Node(state, informed), SOON if informed else LATE
    root.look(random)
    play_rounds(rounds, tally, lambda: _round(root, plies, random))
    place, node = max(enumerate(root.children), key=lambda child: child[1].visits)
    assert root.codes is not None
    return Found(root.codes[place], node.mean(root.seat), complete=False)


def _round(root: Node, plies: int, random: Random) -> None:
    node, path = root, [root]
    while node.is_ripe():
        if node.codes is None:
            node.look(random)
        code = node.untried()
        if code is None and not node.children:
            break
        node = node.promising() if code is None else node.grow(code)
        path.append(node)
    result = _playout(node.state, plies, random)
    for node in path:
        node.visits += 1
        node.total += result


def _playout(state: State, plies: int, random: Random) -> float:
    """Play a random game, and return the result for seat 0. After `plies` plies, return an estimate instead."""
    for _ in range(plies):
        codes = state.codes()
        if not codes:
            break
        state = state.after(codes[int(random.random() * len(codes))])
    if (outcome := state.outcome) is not None:
        return 2 * outcome.scores[0] - 1
    return -state.estimate() if state.to_move else state.estimate()


def _ordered(state: State, codes: Sequence[int], informed: bool) -> Sequence[int]:
    """Return the moves to try. If a move wins at once, return only this move.

    If `informed`, the moves are in the order of the game's estimates of the positions after them, the best first.
    Otherwise the moves keep the order of `codes`.

    Fabien Teytaud, Olivier Teytaud: On the huge benefit of decisive moves in Monte-Carlo tree search algorithms. IEEE
    Conference on Computational Intelligence and Games 2010, 359-364.
    """
    seat, worth = state.to_move, {}
    for code in codes:
        later = state.after(code)
        if (outcome := later.outcome) is not None:
            if outcome.winner == seat:
                return [code]
            worth[code] = 2 * outcome.scores[seat] - 1
        elif informed:
            worth[code] = later.estimate() if later.to_move == seat else -later.estimate()
    return sorted(codes, key=worth.__getitem__, reverse=True) if informed else codes
