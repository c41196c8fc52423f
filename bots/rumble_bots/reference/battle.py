"""Thousands of matches between two bots in one process, without a network or a clock.

from rumble_bots.reference.battle import battle
print(battle("perfect", "random", get_game("tictactoe"), 10_000, seed=1).describe())
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Any

from rumble_engine import Game, Outcome, State

from rumble_bots.reference import ReferenceBot, make_reference_bot

Maker = str | Callable[[Random], ReferenceBot]
"""A reference bot's name, or a function that makes a bot from random numbers (such as a subclass of `ReferenceBot`)."""
Interval = tuple[float, float]
Pair = tuple[float, float]
"""What the first bot scored in the two matches of a pair: 1, 1/2 or 0 in each."""
Z95 = 1.959964
"""The standard deviations around its mean within which a normal variable is in 95% of cases."""
MOST_REPEATED = 0.05
"""The share of matches that may repeat a game although the bots leave nothing to chance: some openings come twice."""
COUNTED: dict[str, Callable[[float], float]] = {
    "wins": lambda score: score == 1,
    "draws": lambda score: score == 0.5,
    "losses": lambda score: score == 0,
    "score": lambda score: score,
}
"""The rates that are told, and what a match with this score of the first bot adds to each."""


@dataclass(frozen=True, slots=True)
class BattleResult:
    """How often the first bot won, drew and lost, and how sure that is."""

    wins: int
    draws: int
    losses: int
    pairs: Mapping[Pair, int] = field(default_factory=dict)
    """How often a pair of matches, with each bot in either seat, had these scores. The last match may have no pair."""
    games: int = 0
    """The number of different games that were played."""
    by_chance: bool = True
    """Whether some start, played again, led to another game: the bots leave something to chance."""

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The points of the first bot; a draw is half a point."""
        return self.wins + self.draws / 2

    @property
    def doubt(self) -> str:
        """Why there are no intervals; empty where there are."""
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
        """95% intervals of the first bot's rates of `wins`, `draws` and `losses` and its `score`; None: see `doubt`."""
        if self.doubt:
            return None
        return {name: interval(_rates(self.pairs, counted)) for name, counted in COUNTED.items()}

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """How often a pair scored 0, 1/2, 1, 3/2 and 2."""
        scores = _rates(self.pairs, COUNTED["score"])
        return tuple(scores[points / 4] for points in range(5))

    def describe(self) -> str:
        """Return the result for a person: a line for each of wins, draws, losses and score, and the different games."""
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
    """Play `matches` matches, in which the bots alternate in moving first; `first` moves first in the first match.

    Matches begin with `opening` random plies, the same for both matches of a pair; otherwise bots without chance
    would repeat the same two matches. The result depends on the arguments alone, for bots that read no clock.
    Raises the errors of the bots and of the game: an illegal move of a bot is a MoveError.
    """
    if matches < 1:
        raise ValueError(f"a battle has at least one match, not {matches}")
    seeds = Random(seed)
    bots = [_make(maker, seeds.getrandbits(64)) for maker in (first, second)]
    scores: list[float] = []
    games: set[int] = set()
    known: dict[int, int] = {}
    by_chance = False
    for number in range(matches):
        swapped = number % 2
        start = begun(game, seed + number // 2, settings, opening)
        outcome, moves = _played(bots[::-1] if swapped else bots, start)
        scores.append(outcome.scores[swapped])
        begins = hash((swapped, start))
        played = hash((begins, moves))
        games.add(played)
        by_chance |= known.setdefault(begins, played) != played
    wins, draws = scores.count(1), scores.count(0.5)
    pairs = Counter(zip(scores[::2], scores[1::2], strict=False))
    return BattleResult(wins, draws, matches - wins - draws, pairs, len(games), by_chance)


def play(
    bots: list[ReferenceBot], game: Game, seed: int = 0, settings: Mapping[str, Any] | None = None, opening: int = 0
) -> Outcome:
    """Play one match of `bots`, by seat, without a clock, after `opening` random plies."""
    return _played(bots, begun(game, seed, settings, opening))[0]


def _played(bots: list[ReferenceBot], state: State) -> tuple[Outcome, tuple[str, ...]]:
    moves = []
    while (outcome := state.outcome) is None:
        move = bots[state.to_move].choose(state).move
        moves.append(move)
        state = state.play(move)
    return outcome, tuple(moves)


def begun(game: Game, seed: int, settings: Mapping[str, Any] | None, opening: int) -> State:
    """Return the state after the random opening that this seed gives."""
    return opened(game.initial(settings, seed), opening, Random(seed))


def opened(state: State, plies: int, random: Random) -> State:
    """Return the state after at most `plies` random plies, none of which ends the game."""
    for _ in range(plies):
        later = state.after(random.choice(state.codes()))
        state = state if later.outcome is not None else later
    return state


def interval(pairs: Mapping[float, int]) -> Interval:
    """Return the 95% interval of a rate, from how often pairs of matches had which rate (0, 1/4, ... 1).

    The matches of a pair share an opening and are played in both seats, so they are not independent; pairs are. The
    interval is Wilson's, for as many pairs as would, if each were all or nothing, vary as these do (an effective size,
    as in surveys: L. Kish, Survey Sampling, 1965). One pair more of the largest variance, 1/4, keeps it honest where
    few pairs differ.
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
    """Return the confidence interval (95% by default) of a rate seen `count` times in `total`.

    Edwin B. Wilson: Probable inference, the law of succession, and statistical inference. Journal of the American
    Statistical Association 22 (1927), 209-212. Unlike the textbook interval it is valid near 0 and 1.
    """
    rate, spread = count / total, z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    margin = z / (1 + spread) * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    return (centre - margin if count else 0.0), (centre + margin if count < total else 1.0)


def _make(maker: Maker, seed: int) -> ReferenceBot:
    return make_reference_bot(maker, seed=seed) if isinstance(maker, str) else maker(Random(seed))
