"""Many matches between three or more bots at the same table, in one process, without a network or a clock."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from rumble_engine import Game

from rumble_bots.reference.battle import Interval, Maker, interval, make, played_out


@dataclass(frozen=True, slots=True)
class BotResult:
    """The results of a bot in a battle."""

    firsts: int
    """Number of matches in which only this bot was first."""
    scores: Mapping[float, int]
    """For each mean score: the number of complete rounds in which the bot had this mean score.

    In a complete round the bot has each seat once.

    The score in a match is the share of the other seats that are behind the bot; a seat at the same place counts half.
    """
    mean_score: float
    mean_payoff: float | None
    """Mean payoff; None for a game without payoffs."""

    @property
    def score_interval(self) -> Interval | None:
        """The 95% interval of the mean score; None if fewer than two rounds are complete."""
        return interval(self.scores) if sum(self.scores.values()) > 1 else None


def table_battle(
    makers: Sequence[Maker], game: Game, matches: int, seed: int = 0, *, settings: Mapping[str, Any] | None = None
) -> list[BotResult]:
    """Play `matches` matches with all bots at one table. Return the result of each bot, in the order of `makers`.

    A round has as many matches as the table has seats, so that each bot has each seat once. All matches of a round have
    the same first state, and the same random numbers.

    The results depend only on the arguments, if the bots read no clock. Raises BadSettings if the game does not allow
    as many seats as there are bots. Errors of the bots and of the game are raised, too.
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
    """Return, for each mean score, the number of complete rounds in which a bot had this mean score.

    `scores` has the bot's score in each match.
    """
    complete = len(scores) // seats * seats
    return Counter(sum(scores[first : first + seats]) / seats for first in range(0, complete, seats))
