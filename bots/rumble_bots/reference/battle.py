"""Thousands of matches between two bots in one process, without a network or a clock.

from rumble_bots.reference.battle import battle
print(battle("perfect", "random", get_game("tictactoe"), 10_000, seed=1).describe())
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Any

from rumble_engine import Game, JointState, Outcome, State
from rumble_engine.chance import BITS

from rumble_bots.reference import ReferenceBot, make_reference_bot
from rumble_bots.search.plies import random_ply

Maker = str | Callable[[Random], ReferenceBot]
"""The name of a reference bot, or a function that makes a bot from a `Random`. A class of bots is such a function."""
Interval = tuple[float, float]
Pair = tuple[float, float]
"""The first bot's scores in the two matches of a pair: 1, 1/2 or 0 for each."""
Z95 = 1.959964
"""Half of the width of the 95% interval of a normal distribution, in standard deviations."""
MOST_REPEATED = 0.05
"""Maximum share of matches that repeat an earlier match.

Above this share, a battle without chance (see `BattleResult.by_chance`) has no intervals.
"""
COUNTED: dict[str, Callable[[float], float]] = {
    "wins": lambda score: score == 1,
    "draws": lambda score: score == 0.5,
    "losses": lambda score: score == 0,
    "score": lambda score: score,
}
"""Functions for the rates of a battle, by the name of the rate. Each function gets the first bot's score in a match,
and returns how much the match counts for the rate."""


@dataclass(frozen=True, slots=True)
class BattleResult:
    """The first bot's wins, draws and losses in a battle, with intervals of their rates."""

    wins: int
    draws: int
    losses: int
    pairs: Mapping[Pair, int] = field(default_factory=dict)
    """Number of pairs of matches, by the first bot's scores in the two matches.

    Between the matches of a pair, the bots swap seats. If the number of matches is odd, the last match belongs to no
    pair.
    """
    games: int = 0
    """Number of different matches: matches with the same seats, first position and plies count once."""
    by_chance: bool = True
    """True if two matches with the same seats and first position had different plies.

    In this case, the course of a match depends on chance.
    """

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points of the first bot; a draw gives half a point."""
        return self.wins + self.draws / 2

    @property
    def doubt(self) -> str:
        """Reason for missing intervals; empty if none are missing."""
        if not self.by_chance and self.matches - self.games > MOST_REPEATED * self.matches:
            return (
                f"these bots leave nothing to chance, and {self.matches} matches were {self.games} different games;"
                " the others repeat them. Longer random openings (--opening) make more of them"
            )
        if sum(self.pairs.values()) < 2:
            return "they need at least two pairs of matches"
        return ""

    @property
    def intervals(self) -> dict[str, Interval] | None:
        """The 95% intervals of the first bot's rates, by the names in `COUNTED`; None if `doubt` has a reason."""
        if self.doubt:
            return None
        return {name: interval(_rates(self.pairs, counted)) for name, counted in COUNTED.items()}

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Numbers of pairs of matches in which the first bot scored 0, 1/2, 1, 3/2 and 2 points."""
        scores = _rates(self.pairs, COUNTED["score"])
        return tuple(scores[points / 4] for points in range(5))

    def describe(self) -> str:
        """Return the result as lines for people: wins, draws, losses, score, and the number of different games."""
        counts = {"wins": self.wins, "draws": self.draws, "losses": self.losses, "score": self.score}
        intervals, lines = self.intervals or {}, []
        for name, count in counts.items():
            line = f"{name:<6} {count:>8g} {count / self.matches:>7.2%}"
            if name in intervals:
                low, high = intervals[name]
                line += f"  (95%: {low:.2%} to {high:.2%})"
            lines.append(line)
        lines.append(f"{self.games} different games")
        if self.doubt:
            lines.append(f"no intervals: {self.doubt}")
        return "\n".join(lines)


def battle(
    first: Maker,
    second: Maker,
    game: Game,
    matches: int,
    seed: int = 0,
    *,
    settings: Mapping[str, Any] | None = None,
    opening: int = 0,
) -> BattleResult:
    """Play `matches` matches between two bots.

    The bot `first` has seat 0 in the first match. After each match, the bots swap seats.

    Matches begin with `opening` random plies. Without random plies, deterministic bots repeat the same two matches.
    Both matches of a pair have the same opening, and the same random numbers for chance.

    The result depends only on the arguments, if the bots read no clock. Raises the errors of the bots and of the game;
    an illegal move is a MoveError, and a game that is not for two seats raises BadSettings.
    """
    if matches < 1:
        raise ValueError(f"a battle has at least one match, not {matches}")
    seeds = Random(seed)
    bots = [make(maker, seeds.getrandbits(64)) for maker in (first, second)]
    scores: list[float] = []
    games: set[int] = set()
    known: dict[int, int] = {}
    by_chance = False
    for number in range(matches):
        swapped = number % 2
        random = Random(seed + number // 2)
        start = opened(game.initial_for(2, settings, seed + number // 2), opening, random)
        outcome, moves = played_out(bots[::-1] if swapped else bots, game, start, random)
        scores.append(outcome.scores[swapped])
        begins = hash((swapped, start))
        played = hash((begins, moves))
        games.add(played)
        by_chance |= known.setdefault(begins, played) != played
    wins, draws = scores.count(1), scores.count(0.5)
    pairs = Counter(zip(scores[::2], scores[1::2], strict=False))
    return BattleResult(wins, draws, matches - wins - draws, pairs, len(games), by_chance)


def play(
    bots: Sequence[ReferenceBot], game: Game, seed: int = 0, settings: Mapping[str, Any] | None = None, opening: int = 0
) -> Outcome:
    """Play a match of `bots`, given by seat, without a clock. The match begins with `opening` random plies."""
    random = Random(seed)
    return played_out(bots, game, opened(game.initial_for(len(bots), settings, seed), opening, random), random)[0]


def played_out(
    bots: Sequence[ReferenceBot], game: Game, state: State, random: Random
) -> tuple[Outcome, tuple[str, ...]]:
    """Play a match of `bots`, given by seat, from `state` to the end. Return the outcome, and the texts of the plies.

    `random` draws the outcomes of chance.
    """
    plies = []
    while (outcome := state.outcome) is None:
        if state.is_chance:
            ply = state.text_of(state.draw(random.getrandbits(BITS)))
        elif isinstance(state, JointState):
            moves = {seat: state.code_for(seat, bots[seat].choose_in(game, state, seat).move) for seat in state.movers}
            ply = state.joint_text(moves)
        else:
            ply = bots[state.to_move].choose_in(game, state).move
        plies.append(ply)
        state = state.play(ply)
    return outcome, tuple(plies)


def opened(state: State, plies: int, random: Random) -> State:
    """Make `plies` random plies from `state`, and return the last state.

    A random ply that would end the game is left out, and no other ply takes its place.
    """
    for _ in range(plies):
        later = random_ply(state, random)
        state = state if later.outcome is not None else later
    return state


def interval(pairs: Mapping[float, int]) -> Interval:
    """Return the 95% interval of a rate.

    A key of `pairs` is the rate of a pair of matches (0, 1/4, ... 1). The value is the number of pairs with this rate.

    Both matches of a pair have the same opening, with seats swapped. Therefore pairs are independent, but single
    matches are not.

    Wilson's interval is for single results of 0 or 1, but the rate of a pair may also be between 0 and 1. Therefore the
    interval is computed from an effective number of pairs (L. Kish, Survey Sampling, 1965). The effective number is the
    number of results of 0 or 1 whose mean would be as uncertain as the mean of the given pairs. If nearly all pairs
    have the same rate, the interval could be too narrow. Therefore an additional pair is counted, with the largest
    possible variance: 1/4.
    """
    count = sum(pairs.values())
    mean = sum(rate * times for rate, times in pairs.items()) / count
    spread = sum(times * (rate - mean) ** 2 for rate, times in pairs.items()) * count / max(1, count - 1)
    size = count * (count * mean * (1 - mean) + 0.25) / (spread + 0.25)
    return wilson(mean * size, size)


def _rates(pairs: Mapping[Pair, int], counted: Callable[[float], float]) -> Counter[float]:
    rates: Counter[float] = Counter()
    for (one, other), times in pairs.items():
        rates[(counted(one) + counted(other)) / 2] += times
    return rates


def wilson(count: float, total: float, z: float = Z95) -> Interval:
    """Return the confidence interval of the rate of an event that happened in `count` of `total` trials.

    `z` is half of the width of the interval of a normal distribution, in standard deviations; by default for 95%.

    Edwin B. Wilson: Probable inference, the law of succession, and statistical inference. Journal of the American
    Statistical Association 22 (1927), 209-212. Unlike the textbook interval, Wilson's interval is valid near 0 and 1.
    """
    rate, spread = count / total, z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    margin = z / (1 + spread) * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    return (centre - margin if count else 0.0), (centre + margin if count < total else 1.0)


def make(maker: Maker, seed: int) -> ReferenceBot:
    """Make the bot that `maker` names or constructs. The bot's random numbers come from `seed`."""
    return make_reference_bot(maker, seed=seed) if isinstance(maker, str) else maker(Random(seed))
