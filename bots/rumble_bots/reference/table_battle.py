"""Many matches between three bots or more at one table, in one process, without a network or a clock."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_engine import Game

from rumble_bots.reference.battle import Interval, Maker, interval, make, played_out


@dataclass(frozen=True, slots=True)
class BotResult:
    """The results of a bot of a battle."""

    firsts: int
    """Number of matches in which the bot alone was first."""
    scores: Mapping[float, int]
    """Numbers of rounds by the mean score in the matches of the round, in which the bot has every seat once.

    A score is the share of the other seats that finished behind. A round that is not complete is left out.
    """
    mean_score: float
    mean_payoff: float | None
    """Mean payoff; None in a game without payoffs."""

    @property
    def score_interval(self) -> Interval | None:
        """95% interval of the mean score; None with fewer than two complete rounds."""
        return interval(self.scores) if sum(self.scores.values()) > 1 else None


def table_battle(
    makers: Sequence[Maker], game: Game, matches: int, seed: int = 0, *, settings: Mapping[str, Any] | None = None
) -> list[BotResult]:
    """Play `matches` matches of all bots at one table. Return the result of each bot, in the order of `makers`.

    In a round of as many matches as seats, all matches have the same first state and the same random numbers, and each
    bot has each seat once. The results depend on the arguments alone, for bots that read no clock. Raises BadSettings
    for a number of bots that the game has no seats for, and the errors of the bots and of the game.
    """
    game.check_seats(len(makers))
    seeds, seats = Random(seed), len(makers)
    bots = [make(maker, seeds.getrandbits(64)) for maker in makers]
    scores: list[list[float]] = [[] for _ in bots]
    payoffs: list[float] = [0.0] * seats
    firsts, pays = [0] * seats, game.pays
    for number in range(matches):
        of_round, turned = seed + number // seats, number % seats
        order = [(seat + turned) % seats for seat in range(seats)]
        start = game.initial_for(seats, settings, of_round)
        outcome, _ = played_out([bots[bot] for bot in order], game, start, Random(of_round))
        for seat, bot in enumerate(order):
            scores[bot].append(outcome.scores[seat])
            firsts[bot] += outcome.winner == seat
            payoffs[bot] += 0.0 if outcome.payoffs is None else outcome.payoffs[seat]
    return [
        BotResult(first, _rounds(own, seats), sum(own) / matches, paid / matches if pays else None)
        for first, own, paid in zip(firsts, scores, payoffs, strict=True)
    ]


def _rounds(scores: Sequence[float], seats: int) -> Counter[float]:
    """Return the numbers of complete rounds by the mean score of the round."""
    complete = len(scores) // seats * seats
    return Counter(sum(scores[first : first + seats]) / seats for first in range(0, complete, seats))
