"""Strength of the reference bots in games of many seats, joint moves and chance: round-robins in one process.

python benchmarks/strength.py [FIELD ...] [--seconds 180] [--iterations 100]

Each pairing of a field plays matches in pairs, in which the two bots change seats and chance is the same. At a table of
four, two seats are one bot's and two the other's. Printed is how often a seat of the row's bot finished before a seat
of the column's, a tie counting half, with the 95% interval and the number of matches. In the dilemma the last column is
the mean payoff of a round.

Quick pairings play 200 matches, and pairings of `mcts` 20 where few show the difference. The other pairings of `mcts`
share the rest of the time, up to 200 matches; a pair of matches that has begun is played to its end. `mcts` plays so
many rounds for a move, and no clock runs, so equal matches have equal results on any machine.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from options import options_of
from rumble_bots.reference import ReferenceBot, make_reference_bot
from rumble_bots.reference.battle import interval, play
from rumble_engine import Game
from rumble_engine.games import backgammon, dilemma, snakes

MATCHES, FEW = 200, 20
ROUNDS = 100
"""Rounds of the dilemma."""
LADDER = ("random", "heuristic", "mcts")
AXELROD = ("tit-for-tat", "tit-for-two-tats", "friedman", "grofman", "joss")


@dataclass(frozen=True, slots=True)
class Field:
    """The bots of a round-robin and their game."""

    game: Game
    bots: tuple[str, ...]
    settings: Mapping[str, Any]
    seats: int = 2


FIELDS = {
    "dilemma": Field(dilemma.GAME, ("random", *AXELROD, "mcts"), {"noise": 5, "rounds": ROUNDS}),
    "backgammon": Field(backgammon.GAME, LADDER, {}),
    "snakes": Field(snakes.GAME, LADDER, {"turns": 300}),
    "tables": Field(snakes.GAME, LADDER, {"turns": 300}, seats=4),
}
Pairing = tuple[str, str, str]
"""A field and its two bots."""


class Results:
    """The matches of all pairings."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self.rates: dict[Pairing, Counter[float]] = {}
        """The number of pairs of matches by the share of the first bot."""
        self.payoffs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        """The payoffs of a round, by field and bot."""

    def play(self, pairing: Pairing, seconds: float) -> None:
        """Play pairs of matches for so long, but one at least."""
        field, end = FIELDS[pairing[0]], time.monotonic() + seconds
        rates = self.rates[pairing] = Counter()
        most = FEW if "mcts" in pairing and {"dilemma", "random"} & {*pairing} else MATCHES
        bots = [self.make(name, seed) for seed in range(field.seats // 2) for name in pairing[1:]]
        while rates.total() < most // 2 and not (rates and time.monotonic() > end):
            seed = rates.total()
            rates[(self.match(pairing, bots, 0, seed) + self.match(pairing, bots, 1, seed)) / 2] += 1

    def make(self, name: str, seed: int) -> ReferenceBot:
        options = {"iterations": self.iterations} if name == "mcts" else {}
        return make_reference_bot(name, seed=seed, **options)

    def match(self, pairing: Pairing, bots: list[ReferenceBot], first: int, seed: int) -> float:
        """Return the share of the first bot; the bot has every second seat from `first` on."""
        name, *names = pairing
        field = FIELDS[name]
        turned = bots[first:] + bots[:first]
        outcome = play(turned, field.game, seed, field.settings)
        ours, theirs = outcome.scores[first::2], outcome.scores[1 - first :: 2]
        for seat, payoff in enumerate(outcome.payoffs or ()):
            self.payoffs[name, names[(seat + first) % 2]].append(payoff / ROUNDS)
        return sum((own > other) + (own == other) / 2 for own in ours for other in theirs) / len(ours) ** 2

    def cell(self, field: str, bot: str, other: str) -> str:
        """Return the share of a bot against another, for the table."""
        if bot == other:
            return ""
        is_first = (field, bot, other) in self.rates
        rates = self.rates[(field, bot, other) if is_first else (field, other, bot)]
        shares = rates if is_first else Counter({1 - share: count for share, count in rates.items()})
        mean = sum(share * count for share, count in shares.items()) / shares.total()
        low, high = interval(shares)
        return f"{mean:.0%} ({low:.0%} to {high:.0%}), {2 * shares.total()}"

    def table(self, name: str) -> str:
        bots = FIELDS[name].bots
        titles = ["payoff"] if (name, bots[0]) in self.payoffs else []
        rows = [[name, *bots, *titles], ["---"] * (1 + len(bots) + len(titles))]
        for bot in bots:
            gains = self.payoffs[name, bot] if titles else []
            means = [f"{sum(gains) / len(gains):.2f}"] if gains else []
            rows.append([f"`{bot}`", *(self.cell(name, bot, other) for other in bots), *means])
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = options_of(__doc__, seconds=180.0, iterations=100)
    parser.add_argument("fields", nargs="*", metavar="FIELD", help=f"some of: {', '.join(FIELDS)}")
    options = parser.parse_args()
    if unknown := set(options.fields) - FIELDS.keys():
        parser.error(f"no field is called {', '.join(sorted(unknown))}")
    names, end = options.fields or list(FIELDS), time.monotonic() + options.seconds
    results = Results(options.iterations)
    pairings = [(name, *pair) for name in names for pair in combinations(FIELDS[name].bots, 2)]
    pairings.sort(key=lambda pairing: ("mcts" in pairing, "random" not in pairing))
    for left, pairing in zip(range(len(pairings), 0, -1), pairings, strict=True):
        results.play(pairing, max(0, end - time.monotonic()) / left)
    print("\n\n".join(map(results.table, names)))


if __name__ == "__main__":
    main()
