"""Knockout: the winner of a pairing goes on, in a seeded bracket. A bot's number is its seed, and 0 is the best.

The bracket is the usual bracket: the two best seeds can meet only in the final. Byes in the first round go to the best
seeds. A pairing is open as soon as both its bots are known.

The tie rule: a pairing that is tied after its legs is played again with the seats swapped, `replays` times at most. The
repetition has the next cycle number, so that ids stay unique. If the pairing is still tied, the better seed goes on.

With an odd number of legs, the first bot of a pairing has the first seat once more than the second bot. Therefore a
balance is kept for each bot: the number of its pairings as first bot, minus the number of its pairings as second bot.
The bot with the smaller balance is the first bot of a new pairing. If the balances are equal, the better seed is first.

A bot has gone on when the bot's next pairing is made. Until then a result of the bot's last pairing can be voided. The
last pairing is then decided anew.
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping

from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.schedule import PairSchedule, Results, pairing_results
from rumble_server.tournament.schedule import BoardKey

TIED = -1
"""Value in place of the winner's number, for a tied pairing that is to be played again."""


def bracket(size: int) -> list[int]:
    """Return the seeds of a full bracket, from top to bottom. The number of bots, `size`, is a power of two.

    In round 1 the first two seeds of the list meet, and so do the next two, and so on.
    """
    seeds = [0]
    while len(seeds) < size:
        last = 2 * len(seeds) - 1
        seeds = [each for seed in seeds for each in (seed, last - seed)]
    return seeds


class Knockout(PairSchedule):
    """A bracket. A bye takes a board number in round 1, as a pairing does."""

    has_bracket = True

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.number_of_rounds = (plan.bots - 1).bit_length()
        self._final = (self.number_of_rounds, 1)
        self._open: dict[BoardKey, Pairing] = {}
        """The newest pairing of each board from which no bot has gone on yet."""
        self._repeats = 0
        """Number of pairings made so far to play a tied pairing again."""
        self._firsts = [0] * plan.bots
        """The balance of each bot: the number of its pairings as first bot, minus the number as second bot.

        The pairings are counted only with an odd number of legs.
        """
        self._seeds = bracket(1 << self.number_of_rounds)
        for board in range(1, len(self._seeds) // 2 + 1):
            seeds = self._seeded(board)
            if len(seeds) == 1:
                self.advanced[1, board] = seeds[0]

    def is_finished(self, results: Results, withdrawn: Collection[int] = ()) -> bool:
        return self._final in self._open and self._decided(results).get(self._final, TIED) != TIED

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        return (self.plan.bots - 1 + self._repeats) * self.plan.legs

    def prepare(self, results: Results, withdrawn: Collection[int] = ()) -> Callable[[], Round] | None:
        """Return a task that makes all pairings that can be made now; None if no pairing can be made.

        The task makes a pairing for each tied pairing that is to be played again, and for each board of the bracket
        whose two bots are known.
        """
        pairings = []
        winners: dict[BoardKey, int] = {}
        for key, winner in self._decided(results).items():
            if winner == TIED:
                pairing = self._open[key]
                pairings.append(Pairing(pairing.cycle + 1, *key, pairing.second, pairing.first))
            else:
                winners[key] = winner
        for key, one, other in self._ready(winners):
            if self._firsts[other] < self._firsts[one]:
                one, other = other, one
            pairings.append(Pairing(1, *key, one, other))
        return (lambda: Round(tuple(pairings))) if pairings else None

    def _ready(self, winners: dict[BoardKey, int]) -> Iterator[tuple[BoardKey, int, int]]:
        """Yield the boards that can be paired now, each with its bots, the better seed first.

        At the start the boards of rounds 1 and 2 are tried. A board of round 2 can be paired at the start if both its
        bots have byes. Later, only the next boards of the bots in `winners` are tried.
        """
        boards = {(number + 1, (board + 1) // 2) for number, board in winners if number < self.number_of_rounds}
        if not self._open:
            boards = {(number, board + 1) for number in (1, 2) for board in range(len(self._seeds) >> number)}
        advanced = ChainMap(winners, self.advanced)
        for key in sorted(boards):
            bots = self.bots_at(key, advanced)
            if len(bots) == 2:
                yield key, min(bots), max(bots)

    def _decided(self, results: Results) -> dict[BoardKey, int]:
        """Return the winner of each open pairing that has all its results, by board of the bracket.

        A pairing that has to be played again has `TIED` instead of a winner.
        """
        decided = {}
        for key, pairing in self._open.items():
            legs = pairing_results(pairing, self.plan.legs, results)
            if legs is None:
                continue
            first, second = (sum(played.scores[side] for played in legs) for side in range(2))
            if first == second:
                better_seed = min(pairing.first, pairing.second)
                decided[key] = TIED if pairing.cycle <= self.plan.replays else better_seed
            else:
                decided[key] = pairing.first if first > second else pairing.second
        return decided

    def add(self, new_round: Round) -> None:
        """Put the pairings of a round on their boards of the bracket. Note each bot of a new pairing as the winner of
        the bot's board in the round before.

        Raises ValueError if a pairing cannot be next.
        """
        for pairing in new_round.pairings:
            key = (pairing.round, pairing.board)
            bots = {pairing.first, pairing.second}
            if pairing.cycle == 1:
                for before in _feeders(key) if pairing.round > 1 else ():
                    if before in self._open:
                        last = self._open.pop(before)
                        on = {last.first, last.second} & bots
                        if len(on) != 1:
                            raise ValueError(f"nobody went on from board {before[1]} of round {before[0]}")
                        self.advanced[before] = on.pop()
                if key in self._open or key in self.advanced or set(self.bots_at(key, self.advanced)) != bots:
                    raise ValueError(f"board {pairing.board} of round {pairing.round} is not to be played yet")
            self._open[key] = pairing
            self._repeats += pairing.cycle > 1
            if self.plan.legs % 2:
                self._firsts[pairing.first] += 1
                self._firsts[pairing.second] -= 1

    def places(self, results: Results, withdrawn: Collection[int] = ()) -> dict[int, int]:
        """Return the rank of each bot by the round in which it lost.

        The loser of the final has rank 2, both losers of semi-finals have rank 3, the four losers of the round before
        have rank 5, and so on. Bots that have not lost share rank 1.
        """
        lost_in: dict[int, int] = {}
        for key, winner in (self.advanced | self._decided(results)).items():
            for bot in self.bots_at(key, self.advanced):
                if winner not in (TIED, bot):
                    lost_in[bot] = key[0]
        ranks = {bot: (1 << self.number_of_rounds - number) + 1 for bot, number in lost_in.items()}
        return {bot: ranks.get(bot, 1) for bot in range(self.plan.bots)}

    def bots_at(self, key: BoardKey, winners: Mapping[BoardKey, int]) -> tuple[int, ...]:
        """Return the known bots of a board of the bracket: two, one or none. A bye in round 1 has only one bot."""
        number, board = key
        if number == 1:
            return self._seeded(board)
        return tuple(winners[before] for before in _feeders(key) if before in winners)

    def _seeded(self, board: int) -> tuple[int, ...]:
        """Return the bots at a board of round 1; only the better seed if the board is a bye."""
        return tuple(bot for bot in self._seeds[2 * board - 2 : 2 * board] if bot < self.plan.bots)


def _feeders(key: BoardKey) -> tuple[BoardKey, BoardKey]:
    """Return the two boards whose winners meet at the board `key`."""
    number, board = key
    return (number - 1, 2 * board - 1), (number - 1, 2 * board)
