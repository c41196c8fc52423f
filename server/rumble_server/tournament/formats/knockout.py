"""Knockout: who wins a pairing goes on, in a seeded bracket. The numbers of the bots are their seeds, 0 the best.

The tie rule: a pairing without a winner after its legs is played again with the seats swapped (as the next cycle, so
that ids stay unique), `replays` times at most; if it is still tied, the better seed goes on. The bracket is the usual
one (1 and 2 can meet only in the final), byes in the first round go to the best seeds, and a pairing is open as soon as
both its bots are known. In a pairing with an odd number of legs, first is who was first less often, else the better
seed.
A result that is voided later does not take back who went on.
"""

from collections.abc import Collection

from rumble_server.tournament.formats.schedule import Plan, Results, Round, Schedule, pairing_results
from rumble_server.tournament.schedule import Pairing

Place = tuple[int, int]
"""A pairing's place in the bracket: round and board, from 1."""


def bracket(size: int) -> list[int]:
    """The seeds of a full bracket of 2, 4, 8, ... from top to bottom: each pair of neighbours meets."""
    seeds = [0]
    while len(seeds) < size:
        last = 2 * len(seeds) - 1
        seeds = [place for seed in seeds for place in (seed, last - seed)]
    return seeds


class Knockout(Schedule):
    """One bracket. Round 1 has board numbers for its byes too, which are not played."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.number_of_rounds = (plan.bots - 1).bit_length()
        self.winners: dict[Place, int] = {}
        """Who goes on from each place of the bracket."""
        self._open: dict[Place, Pairing] = {}
        """The pairing being played at a place: the last of its replays."""
        self._ready: list[tuple[Place, int, int]] = []
        self._firsts = [0] * plan.bots
        """How much more often each was first than second, over pairings."""
        self._seeds = bracket(1 << self.number_of_rounds)
        for board in range(1, len(self._seeds) // 2 + 1):
            one, other = sorted(self._seeds[2 * board - 2 : 2 * board])
            if other < plan.bots:
                self._ready.append(((1, board), one, other))
            else:
                self._advance((1, board), one)

    @property
    def champion(self) -> int | None:
        """Who won the final."""
        return self.winners.get((self.number_of_rounds, 1))

    @property
    def matches_total(self) -> int:
        """Without replays."""
        return (self.plan.bots - 1) * self.plan.legs

    def pull(self, results: Results, gone: Collection[int] = ()) -> Round | None:
        """All pairings that are open now: newly known ones, and replays."""
        pulled = []
        for place, pairing in list(self._open.items()):
            tied = self._settle(place, pairing, results)
            if tied:
                pulled.append(Pairing(pairing.cycle + 1, pairing.round, pairing.board, pairing.second, pairing.first))
        ready, self._ready = sorted(self._ready), []
        for place, one, other in ready:
            if self._firsts[other] < self._firsts[one]:
                one, other = other, one
            pulled.append(Pairing(1, *place, one, other))
        for pairing in pulled:
            self._put(pairing)
        return Round(tuple(pulled)) if pulled else None

    def _settle(self, place: Place, pairing: Pairing, results: Results) -> bool:
        """Let the winner go on, if there is one. True if the pairing is to be played again."""
        legs = pairing_results(pairing, self.plan.legs, results)
        if legs is None:
            return False
        first, second = (sum(played.scores[side] for played in legs) for side in range(2))
        if first == second and pairing.cycle <= self.plan.replays:
            return True
        better_seed = min(pairing.first, pairing.second)
        winner = better_seed if first == second else pairing.first if first > second else pairing.second
        self._advance(place, winner)
        return False

    def _advance(self, place: Place, winner: int) -> None:
        self.winners[place] = winner
        self._open.pop(place, None)
        number, board = place
        if number == self.number_of_rounds:
            self.finished = True
            return
        neighbour = self.winners.get((number, board + 1 if board % 2 else board - 1))
        if neighbour is not None:
            one, other = sorted((winner, neighbour))
            self._ready.append(((number + 1, (board + 1) // 2), one, other))

    def _put(self, pairing: Pairing) -> None:
        self._open[pairing.round, pairing.board] = pairing
        if self.plan.legs % 2:
            self._firsts[pairing.first] += 1
            self._firsts[pairing.second] -= 1

    def restore(self, pulled: Round) -> None:
        """Put the pairings in their places; who plays in a later round went on from the one before."""
        for pairing in pulled.pairings:
            place = (pairing.round, pairing.board)
            if pairing.cycle == 1 and pairing.round > 1:
                for board in (2 * pairing.board - 1, 2 * pairing.board):
                    before = self._open.get((pairing.round - 1, board))
                    if before is not None:
                        on = {before.first, before.second} & {pairing.first, pairing.second}
                        if len(on) != 1:
                            raise ValueError(f"nobody went on from board {board} of round {pairing.round - 1}")
                        self._advance((pairing.round - 1, board), on.pop())
            if pairing.cycle == 1 and not any(ready[0] == place for ready in self._ready):
                raise ValueError(f"board {pairing.board} of round {pairing.round} is not to be played yet")
            self._ready = [ready for ready in self._ready if ready[0] != place]
            self._put(pairing)

    def places(self) -> dict[int, int]:
        """The rank of each bot by how far it came: 1, 2, 3 for both who lost a semi-final, 5 for four, and so on.

        Bots still in it share the best rank that nobody holds yet.
        """
        lost_in: dict[int, int] = {}
        for (number, board), winner in self.winners.items():
            for bot in self._pair(number, board):
                if bot != winner:
                    lost_in[bot] = number
        ranks = {bot: (1 << self.number_of_rounds - number) + 1 for bot, number in lost_in.items()}
        return {bot: ranks.get(bot, 1) for bot in range(self.plan.bots)}

    def _pair(self, number: int, board: int) -> tuple[int, ...]:
        """Who met at a place of the bracket that has a winner; one bot where it had a bye."""
        if number == 1:
            return tuple(bot for bot in self._seeds[2 * board - 2 : 2 * board] if bot < self.plan.bots)
        return self.winners[number - 1, 2 * board - 1], self.winners[number - 1, 2 * board]
