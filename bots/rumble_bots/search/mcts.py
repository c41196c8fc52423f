"""Monte Carlo tree search: moves are judged by how random games after them end.

UCT: Levente Kocsis, Csaba Szepesvári: Bandit based Monte-Carlo planning. ECML 2006, 282-293. Each round goes down
the tree by the move that promises most (its mean so far, and a bonus for being little known), adds one position,
plays on at random from there, and counts the result for every position on the way.
"""

from math import log, sqrt
from random import Random

from rumble_engine import State

from rumble_bots.search.base import Found, OutOfTime, Tally

EXPLORATION = 1.0
"""How much it counts to be little known; results are from -1 to 1."""

SOON = 6
"""Plies of a random game before it is estimated, where the game has an estimate of its own."""

LATE = 500
"""The same where it has none: to the end, but for games that take very long."""


class Node:
    """A position in the tree, and the results of the rounds that came through it."""

    __slots__ = ("children", "codes", "seat", "state", "total", "visits")

    def __init__(self, state: State) -> None:
        self.state = state
        self.seat = state.to_move
        self.codes: list[int] | None = None
        """The moves, in the order in which they are tried; where one wins at once, it alone. None: not yet asked."""
        self.children: list[Node] = []
        """What the first of the moves led to."""
        self.visits = 0
        self.total = 0.0
        """The sum of the results for seat 0."""

    def moves(self, random: Random) -> list[int]:
        """The moves, found when a round comes through for the second time: most positions never see one."""
        if self.codes is None:
            codes = self.state.codes()
            self.codes = _decisive(self.state) or random.sample(codes, len(codes))
        return self.codes

    def mean(self, seat: int) -> float:
        """The mean result for `seat`, from -1 to 1."""
        return (-self.total if seat else self.total) / self.visits

    def promising(self) -> "Node":
        """The child that promises most to the seat to move."""
        known, seat = EXPLORATION * EXPLORATION * log(self.visits), self.seat
        return max(self.children, key=lambda child: child.mean(seat) + sqrt(known / child.visits))


def look_around(state: State, rounds: float, tally: Tally, random: Random) -> Found:
    """The move that most rounds went through, when `rounds` are done or the time is over, and its mean result."""
    root, plies = Node(state), LATE if type(state).estimate is State.estimate else SOON
    try:
        while root.visits < rounds:
            tally.visit()
            _round(root, plies, random)
    except OutOfTime:
        if not root.children:
            _round(root, plies, random)
    node = max(root.children, key=lambda child: child.visits)
    return Found(root.moves(random)[root.children.index(node)], node.mean(root.seat), complete=False)


def _round(root: Node, plies: int, random: Random) -> None:
    node, path = root, [root]
    while (codes := node.moves(random)) and len(node.children) == len(codes):
        node = node.promising()
        path.append(node)
    if codes:
        child = Node(node.state.after(codes[len(node.children)]))
        node.children.append(child)
        path.append(child)
    result = _playout(path[-1].state, plies, random)
    for node in path:
        node.visits += 1
        node.total += result


def _playout(state: State, plies: int, random: Random) -> float:
    """The result for seat 0 of a random game, estimated if it takes more than `plies`."""
    for _ in range(plies):
        codes = state.codes()
        if not codes:
            break
        state = state.after(codes[int(random.random() * len(codes))])
    if (outcome := state.outcome) is not None:
        return 2 * outcome.scores[0] - 1
    return -state.estimate() if state.to_move else state.estimate()


def _decisive(state: State) -> list[int]:
    """A move that wins at once, if there is one.

    Fabien Teytaud, Olivier Teytaud: On the huge benefit of decisive moves in Monte-Carlo tree search algorithms.
    IEEE Conference on Computational Intelligence and Games 2010, 359-364.
    """
    seat = state.to_move
    for code in state.codes():
        outcome = state.after(code).outcome
        if outcome is not None and outcome.winner == seat:
            return [code]
    return []
