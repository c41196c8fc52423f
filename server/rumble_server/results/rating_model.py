"""The arithmetic of ratings on matrices: the fit, its covariance, and tests whether a fit is finite. Needs numpy.

The model is that of Bradley and Terry (1952), with a draw as half a point. Let a bot of strength t[i] sit in the first
seat against a bot of strength t[j]. Its average score in a match is `p = 1 / (1 + exp(-(t[i] - t[j] + h)))`, where h is
the advantage of the first seat (first-move term), the same in the whole field.

Matrices have the index (first seat, second seat). Strengths are in natural units; Elo points are 400 / ln 10 times as
many. `ratings` imports this module only when ratings are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_STEPS = 100
"""Maximum number of Newton steps of a fit. The values after the last step are returned, converged or not."""
DRAW_PRIOR = 2.0
"""Number of virtual matches with the expected share of draws.

A pair's share of draws is estimated from the matches of the pair and these virtual matches.
"""


@dataclass(frozen=True, slots=True)
class Fit:
    """The result of a fit: strengths (mean 0), the first-move term, and the covariance.

    In the covariance, the last row and the last column belong to the first-move term.
    """

    strengths: Matrix
    first_move: float
    covariance: Matrix


def islands(met: Mask) -> list[list[int]]:
    """Return the groups of bots that are connected by matches, each as a sorted list of the bots' indexes."""
    linked = met | met.T
    left = np.ones(len(met), dtype=np.bool_)
    groups = []
    while left.any():
        group = _reach(linked, int(np.argmax(left)))
        groups.append([int(index) for index in np.flatnonzero(group)])
        left &= ~group
    return groups


def is_strongly_connected(scored: Mask) -> bool:
    """Return true if each bot scored against each other bot, directly or through third bots: Ford's condition (1957).

    `scored[i, j]` is true if bot i took at least half a point from bot j, in either seat. If the condition is false,
    the likelihood has no maximum at finite strengths: the likelihood keeps growing as a certain group of bots is rated
    higher above the other bots.
    """
    return bool(_reach(scored, 0).all() and _reach(scored.T, 0).all())


def _reach(edges: Mask, start: int) -> Mask:
    reached = np.zeros(len(edges), dtype=np.bool_)
    reached[start] = True
    fresh = reached.copy()
    while fresh.any():
        fresh = edges[fresh].any(axis=0) & ~reached
        reached |= fresh
    return reached


def can_separate_first_move(count: Matrix, groups: list[list[int]]) -> bool:
    """Return true if the bots changed seats often enough to separate the first-move term from the strengths."""
    information, _ = _information(count / 4)
    size = len(count)
    strengths = information[:size, :size].copy()
    for group in groups:  # only differences inside a group count, so without this sum the matrix is singular
        strengths[np.ix_(group, group)] += 1 / len(group)
    across = information[:size, size]
    left = information[size, size] - across @ np.linalg.solve(strengths, across)
    return bool(left > 1e-9 * information[size, size])


def first_move_is_finite(score: Matrix, count: Matrix) -> bool:
    """Return true if the most likely first-move term is finite. The term is infinite if the seat explains every result.

    The term is infinite if some strengths t meet two conditions for each pair of bots:
    - if bot i in the first seat scored against bot j, then t[i] - t[j] >= -1;
    - if bot j in the second seat scored against bot i, then t[i] - t[j] <= -1.

    The term is also infinite if some strengths meet the same conditions with the seats exchanged. Otherwise the term is
    finite. Strengths that meet the conditions exist exactly if the graph of the conditions has no negative cycle
    (Bellman and Ford).
    """
    first, second = score > 0, score < count
    # The first test finds the common negative cycle at once: a pair in which both bots scored from the same seat.
    return all(
        bool((there & there.T).any()) or _has_negative_cycle(back, there)
        for back, there in ((first, second), (second, first))
    )


def _has_negative_cycle(up: Mask, down: Mask) -> bool:
    """Return true if a graph has a negative cycle.

    Edges of the graph go from i to j with weight 1 where `up[i, j]`, and from j to i with weight -1 where `down[i, j]`.
    """
    up_from, up_to = np.nonzero(up)
    down_to, down_from = np.nonzero(down)
    start = np.concatenate([up_from, down_from])
    end = np.concatenate([up_to, down_to])
    weight = np.concatenate([np.ones(len(up_from)), -np.ones(len(down_from))])
    height = np.zeros(len(up))
    # Without a negative cycle no path is shorter than -(len(up) - 1): a path visits each node at most once.
    while height.min() > -len(up):
        lower = height.copy()
        np.minimum.at(lower, end, height[start] + weight)
        if np.array_equal(lower, height):
            return False
        height = lower
    return True


def fit(score: Matrix, count: Matrix, drawn: Matrix, prior: Matrix, with_first_move: bool) -> Fit:
    """Return the most likely strengths, found by damped Newton steps.

    The likelihood is concave, so every start converges.

    `score[i, j]` is the total score of i in the first seat against j, in `count[i, j]` matches, of which `drawn[i, j]`
    were drawn. `prior[i, j]` is a number of virtual drawn matches.
    """
    size = len(score)
    total, points = count + prior, score + prior / 2
    free = size + 1 if with_first_move else size

    def newton(at: Matrix) -> Matrix:
        expected = _expected(at)
        misfit = points - total * expected
        gradient = np.append(misfit.sum(axis=1) - misfit.sum(axis=0), misfit.sum())
        curvature, gauge = _information(total * expected * (1 - expected))
        step = np.zeros(size + 1)
        step[:free] = np.linalg.solve((curvature + gauge)[:free, :free], gradient[:free])
        return step

    at = climb(np.zeros(size + 1), lambda at: _likelihood(at, points, total), newton)
    at[:size] -= at[:size].mean()
    return Fit(at[:size], float(at[size]), _covariance(at, count, drawn, prior, free))


def climb(at: Matrix, likelihood: Callable[[Matrix], float], newton: Callable[[Matrix], Matrix]) -> Matrix:
    """Return the maximum of a concave likelihood, found by Newton steps from `at`.

    A step that would lower the likelihood is halved until the likelihood does not fall.
    """
    best = likelihood(at)
    for _ in range(MOST_STEPS):
        step = newton(at)
        while (value := likelihood(at + step)) < best - 1e-12 * abs(best):
            step /= 2
        at, best = at + step, value
        if np.abs(step).max() < 1e-10:
            break
    return at


def _expected(at: Matrix) -> Matrix:
    strengths = at[:-1]
    expected: Matrix = 1 / (1 + np.exp(np.clip(strengths[None, :] - strengths[:, None] - at[-1], -700, 700)))
    return expected


def _likelihood(at: Matrix, points: Matrix, total: Matrix) -> float:
    lead = at[:-1][:, None] - at[:-1][None, :] + at[-1]
    # The loss of a lost match is log(1 + exp(lead)) = log(1 + exp(-lead)) + lead. Computing one logarithm is faster.
    return float(-(total * np.logaddexp(0, -lead) + (total - points) * lead).sum())


def _information(weight: Matrix) -> tuple[Matrix, Matrix]:
    """Return the information matrix, and a matrix (gauge) to add before the inversion.

    Let x be the vector of a pair: 1 for the bot in the first seat, -1 for the bot in the second seat, and 1 for the
    first-move term. The information is the sum of `weight` times x x^T over all pairs. The sum is singular, because a
    constant added to all strengths changes nothing. The gauge fixes the mean of the strengths.
    """
    size = len(weight)
    information = np.zeros((size + 1, size + 1))
    mutual = weight + weight.T
    information[:size, :size] = np.diag(mutual.sum(axis=1)) - mutual
    information[:size, size] = information[size, :size] = weight.sum(axis=1) - weight.sum(axis=0)
    information[size, size] = weight.sum()
    gauge = np.zeros_like(information)
    gauge[:size, :size] = 1 / size
    return information, gauge


def _covariance(at: Matrix, count: Matrix, drawn: Matrix, prior: Matrix, free: int) -> Matrix:
    """Return the covariance A^-1 B A^-1.

    A and B are sums over all matches and virtual draws (see `_information`). In A, the Fisher matrix, all weights are
    p (1 - p), where p is the expected score of the first seat. In B, the weight of a match is its score's variance.

    If a match is drawn with the probability d, this variance is p (1 - p) - d / 4. The estimate of d for a pair is the
    pair's share of draws, moved toward an expected share. The expected share follows from all draws of the field, and
    is proportional to p (1 - p) of the pair. The variance has a lower bound, so that no result counts as certain.
    """
    expected = _expected(at)
    binary = expected * (1 - expected)
    fisher, gauge = _information((count + prior) * binary)
    share = (drawn.sum() + 0.5) / (4 * (count * binary).sum() + 1)
    met, draws = count + count.T, drawn + drawn.T
    likely = (draws + DRAW_PRIOR * min(share, 1.0) * 4 * binary) / (met + DRAW_PRIOR)
    likely = np.minimum(likely, 2 * np.minimum(expected, 1 - expected))
    variance = np.maximum(binary - likely / 4, binary / (met + DRAW_PRIOR))
    spread, _ = _information(count * variance + prior * binary)
    inverse = np.linalg.inv((fisher + gauge)[:free, :free])
    covariance = np.zeros_like(fisher)
    covariance[:free, :free] = inverse @ spread[:free, :free] @ inverse
    return covariance


def arrays(cells: list[tuple[int, int, int, int, int]], size: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return the matrices `score`, `count`, `drawn` from rows of (first seat, second seat, won, drawn, lost)."""
    score, count, drawn = (np.zeros((size, size)) for _ in range(3))
    if cells:
        columns: Any = np.array(cells, dtype=np.int64).T
        first, second, won, draws, lost = columns
        score[first, second] = won + draws / 2
        count[first, second] = won + draws + lost
        drawn[first, second] = draws
    return score, count, drawn


def virtual_draws(met: Mask, groups: list[list[int]]) -> Matrix:
    """Return the matrix of virtual draws. Each pair that met has a virtual draw: half a draw for each order of seats.

    If groups of bots have not met, each bot also gets about one virtual draw in total with bots of other groups. These
    virtual draws connect the groups.
    """
    prior = np.where(met | met.T, 0.5, 0.0)
    if len(groups) > 1:
        outside = np.zeros(len(met))
        group_of = np.zeros(len(met), dtype=np.int64)
        for number, group in enumerate(groups):
            outside[group] = len(met) - len(group)
            group_of[group] = number
        apart = group_of[:, None] != group_of[None, :]
        prior += np.where(apart, (1 / outside[:, None] + 1 / outside[None, :]) / 4, 0.0)
    return prior
