"""Rules of thumb for backgammon: the race in pips, made points, primes, and the danger of blots.

All values are in pips. The values were set by hand. Blots count by the probability of a hit.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, prod, sqrt

from rumble_engine.games.backgammon import BAR, CHECKERS, OFF, BackgammonState, Side

HITS = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3, 15: 1, 16: 1, 18: 1, 20: 1,
        24: 1}  # fmt: skip
"""Number of rolls, out of 36, that hit a blot on an open board, keyed by the distance from hitter to blot in pips."""
POINTS = {3: 2.0, 4: 5.0, 5: 7.0, 6: 5.0, 7: 5.0, 8: 3.0, 18: 3.0, 20: 5.0, 21: 5.0}
"""Value of a made point (two or more own checkers), by the number of the point. `POINT` is the value of made points
that have no entry here."""
POINT = 1.0
PRIMES = (0.0, 0.0, 0.0, 2.0, 6.0, 12.0, 20.0)
"""Value of the longest row of made points, by the number of points in the row. Longer rows count as rows of 6."""
SHUT_OUT = 2.5
"""Deduction for each pair of a checker on the bar and a point that the opponent has made in the opponent's home."""
CALM = 0.25
"""Factor by which the deduction for blots is multiplied if their owner rolls next.

The owner can then bring the blots to safety.
"""
CONTACT = 22.0
"""Lead in pips at which the probability of a win is 73% (1 / (1 + 1/e)), while checkers can still be hit."""
RACE = 1.0
"""Factor for races. With a lead of 1 + `RACE` * sqrt(n) pips, the probability of a win is 73% (1 / (1 + 1/e)). n is the
number of pips that both seats together have left."""
ROLL = 4.0
"""Value in pips of having the next roll: half of an average roll."""
REMEMBERED = 32_768
"""Maximum number of positions with cached values."""


def best(state: BackgammonState, seat: int) -> Sequence[int]:
    """Return the move with the highest `worth`."""
    return tries(state, seat)[:1]


def tries(state: BackgammonState, seat: int) -> Sequence[int]:
    """Return all moves in order of `worth`, the best first."""
    codes = state.codes()
    if len(codes) == 1:
        return codes
    return sorted(codes, key=lambda code: worth(*_sides(state.after(code), seat)), reverse=True)


def judge(state: BackgammonState) -> Sequence[float]:
    """Return the estimated probability of a win, for each seat.

    In `state`, the seat `state.to_move` is about to roll.
    """
    waits = 1 - state.to_move
    sides = _sides(state, waits)
    scale = CONTACT if _touch(*sides) else 1 + RACE * sqrt(pips(sides[0]) + pips(sides[1]))
    win = 1 / (1 + exp((ROLL - worth(*sides)) / scale))
    return (1 - win, win) if waits else (win, 1 - win)


def _sides(state: BackgammonState, seat: int) -> tuple[Side, Side]:
    return state.sides[seat], state.sides[1 - seat]


def pips(side: Side) -> int:
    """Return the number of pips left until every checker of a seat is borne off."""
    return sum([point * count for point, count in enumerate(side)])


def _touch(own: Side, other: Side) -> bool:
    """Return true if some checkers of the two seats still have to pass each other."""
    return max(point for point in range(26) if own[point]) + max(point for point in range(26) if other[point]) > BAR


@lru_cache(REMEMBERED)
def worth(own: Side, other: Side) -> float:
    """Return the lead of the seat with the side `own`, in pips. The seat with the side `other` rolls next."""
    lead = pips(other) - pips(own)
    if own[OFF] == CHECKERS or not _touch(own, other):
        return lead + _stacked(other) - _stacked(own)
    return lead + _form(own, other, 1.0) - _form(other, own, CALM)


def _stacked(side: Side) -> float:
    """Return the pips to add to a seat's `pips` in a race.

    Checkers stacked on the points 1 to 3 waste pips, and increase the result. Each checker borne off reduces the result
    by 2 pips.
    """
    return sum([count * count for count in side[1:4]]) / 10 - 2 * side[OFF]


def _form(own: Side, other: Side, danger: float) -> float:
    """Return the value of the points and blots of `own`. `danger` is a factor for the deduction for blots."""
    hitters = [BAR - point for point in range(1, 26) if other[point]]
    closed = sum([count > 1 for count in other[1:7]])
    value, row, longest = -SHUT_OUT * own[BAR] * closed, 0, 0
    for point in range(1, 25):
        count = own[point]
        row = row + 1 if count > 1 else 0
        longest = max(longest, row)
        if count > 1:
            value += POINTS.get(point, POINT)
        elif count:
            missed = prod([1 - HITS.get(point - hitter, 0) / 36 for hitter in hitters if hitter < point])
            value -= danger * (1 - missed) * (BAR - point + 2 * closed + 4)
    return value + PRIMES[min(longest, 6)]
