"""Knockout: who wins a pairing goes on, in a seeded bracket. The numbers of the bots are their seeds, 0 the best.

The tie rule: a pairing without a winner after its legs is played again with the seats swapped (as the next cycle, so
that ids stay unique), `replays` times at most; if it is still tied, the better seed goes on. The bracket is the usual
one (1 and 2 can meet only in the final), byes in the first round go to the best seeds, and a pairing is open as soon as
both its bots are known. In a pairing with an odd number of legs, first is who was first less often, else the better
seed.
Who goes on is settled when the next pairing is made: a result that is voided before counts anew, one that is voided
later does not take back who went on.
"""

from collections.abc import Collection

from rumble_server.tournament.formats.schedule import Plan, Results, Round, Schedule, pairing_results
from rumble_server.tournament.pairing import Pairing

TIED = -1
"""What a pairing without a winner gives instead of one."""

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
        """Who went on from each place of the bracket."""
        self._open: dict[Place, Pairing] = {}
        """The pairing being played at a place: the last of its replays."""
        self._ready: list[tuple[Place, int, int]] = []
        self._replays = 0
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
        """With the replays so far."""
        return (self.plan.bots - 1 + self._replays) * self.plan.legs

    def pull(self, results: Results, gone: Collection[int] = ()) -> Round | None:
        """All pairings that are open now: newly known ones, and replays."""
        pulled = []
        decided = self._decided(results)
        for place, winner in decided.items():
            if winner == TIED:
                pairing = self._open[place]
                pulled.append(Pairing(pairing.cycle + 1, pairing.round, pairing.board, pairing.second, pairing.first))
            elif place[0] == self.number_of_rounds or self._has_winner(_neighbour(place), decided):
                self._advance(place, winner)
        ready, self._ready = sorted(self._ready), []
        for place, one, other in ready:
            if self._firsts[other] < self._firsts[one]:
                one, other = other, one
            pulled.append(Pairing(1, *place, one, other))
        for pairing in pulled:
            self._put(pairing)
        return Round(tuple(pulled)) if pulled else None

    def _decided(self, results: Results) -> dict[Place, int]:
        """Who won each open pairing that is played to its end, or `TIED` where it is to be played again.

        The final stays open: nothing follows from it.
        """
        decided = {}
        for place, pairing in self._open.items():
            legs = pairing_results(pairing, self.plan.legs, results)
            if legs is None:
                continue
            first, second = (sum(played.scores[side] for played in legs) for side in range(2))
            if first == second:
                better_seed = min(pairing.first, pairing.second)
                decided[place] = TIED if pairing.cycle <= self.plan.replays else better_seed
            else:
                decided[place] = pairing.first if first > second else pairing.second
        return decided

    def _has_winner(self, place: Place, decided: dict[Place, int]) -> bool:
        return place in self.winners or decided.get(place, TIED) != TIED

    def _advance(self, place: Place, winner: int) -> None:
        self.winners[place] = winner
        number, board = place
        if number == self.number_of_rounds:
            self.finished = True
            return
        self._open.pop(place, None)
        neighbour = self.winners.get(_neighbour(place))
        if neighbour is not None:
            one, other = sorted((winner, neighbour))
            self._ready.append(((number + 1, (board + 1) // 2), one, other))

    def _put(self, pairing: Pairing) -> None:
        self._open[pairing.round, pairing.board] = pairing
        self._replays += pairing.cycle > 1
        if self.plan.legs % 2:
            self._firsts[pairing.first] += 1
            self._firsts[pairing.second] -= 1

    def reopen(self, number: int) -> None:
        """Without its result the final is open again."""
        if number == self.number_of_rounds:
            self.winners.pop((number, 1), None)
            self.finished = False

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

    def places(self, results: Results) -> dict[int, int]:
        """The rank of each bot by how far it came: 1, 2, 3 for both who lost a semi-final, 5 for four, and so on.

        Bots still in it share the first rank.
        """
        lost_in: dict[int, int] = {}
        for (number, board), winner in (self.winners | self._decided(results)).items():
            for bot in self._pair(number, board):
                if winner not in (TIED, bot):
                    lost_in[bot] = number
        ranks = {bot: (1 << self.number_of_rounds - number) + 1 for bot, number in lost_in.items()}
        return {bot: ranks.get(bot, 1) for bot in range(self.plan.bots)}

    def _pair(self, number: int, board: int) -> tuple[int, ...]:
        """Who met at a place of the bracket that has a winner; one bot where it had a bye."""
        if number == 1:
            return tuple(bot for bot in self._seeds[2 * board - 2 : 2 * board] if bot < self.plan.bots)
        return self.winners[number - 1, 2 * board - 1], self.winners[number - 1, 2 * board]


def _neighbour(place: Place) -> Place:
    """The place whose winner meets the winner of this one."""
    number, board = place
    return number, board + 1 if board % 2 else board - 1
