"""Thousands of matches between two bots in one process, without a network or a clock.

from rumble_bots.reference.battle import battle
print(battle("perfect", "random", get_game("tictactoe"), 10_000, seed=1).describe())
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Any

from rumble_engine import Game, Outcome, State

from rumble_bots.reference import ReferenceBot, make_reference_bot

Maker = str | Callable[[Random], ReferenceBot]
"""A reference bot's name, or a function that makes a bot from random numbers (such as a subclass of `ReferenceBot`)."""
Z95 = 1.959964
"""The standard deviations around its mean within which a normal variable is in 95% of cases."""


@dataclass(frozen=True, slots=True)
class BattleResult:
    """How often the first bot won, drew and lost."""

    wins: int
    draws: int
    losses: int

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95% intervals of the first bot's rates of `wins`, `draws` and `losses`."""
        counts = {"wins": self.wins, "draws": self.draws, "losses": self.losses}
        return {name: wilson(count, self.matches) for name, count in counts.items()}

    def describe(self) -> str:
        """Return the result for a person, a line for each of wins, draws and losses."""
        counts = {"wins": self.wins, "draws": self.draws, "losses": self.losses}
        return "\n".join(
            f"{name:<6} {count:>8} {count / self.matches:>7.2%}  (95%: {low:.2%} to {high:.2%})"
            for (name, count), (low, high) in zip(counts.items(), self.intervals.values(), strict=True)
        )


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
    wins = draws = 0
    for number in range(matches):
        swapped = number % 2
        outcome = play(bots[::-1] if swapped else bots, game, seed + number // 2, settings, opening)
        wins += outcome.winner == swapped
        draws += outcome.winner is None
    return BattleResult(wins, draws, matches - wins - draws)


def play(
    bots: list[ReferenceBot], game: Game, seed: int = 0, settings: Mapping[str, Any] | None = None, opening: int = 0
) -> Outcome:
    """Play one match of `bots`, by seat, without a clock, after `opening` random plies."""
    state = opened(game.initial(settings, seed), opening, Random(seed))
    while (outcome := state.outcome) is None:
        state = state.play(bots[state.to_move].choose(state).move)
    return outcome


def opened(state: State, plies: int, random: Random) -> State:
    """Return the state after at most `plies` random plies, none of which ends the game."""
    for _ in range(plies):
        later = state.after(random.choice(state.codes()))
        state = state if later.outcome is not None else later
    return state


def wilson(count: int, total: int, z: float = Z95) -> tuple[float, float]:
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
