"""Round-robin: each bot meets each other bot once a cycle, by Berger tables; seats are swapped from cycle to cycle."""

from collections.abc import Collection, Iterator

from rumble_server.tournament.formats.schedule import FixedSchedule, Results, Round
from rumble_server.tournament.pairing import Pairing, berger_round, round_robin_matches


class RoundRobin(FixedSchedule):
    """Berger tables. A bot has the first seat about as often as the second: the two numbers differ by one at most.

    With one leg and two cycles the last two rounds of the first cycle are swapped (FIDE Handbook C.05, Annex 1), so
    that no bot has the same seat more than twice in a row. A round's number is its place in the order of play.
    """

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds one at a time. In each round of an odd field, a bot has a bye, which gives no points."""
        bots, plan = self.plan.bots, self.plan
        number_of_rounds = bots - 1 + bots % 2
        swapped = plan.legs == 1 and plan.cycles == 2 and number_of_rounds > 1
        for cycle in range(1, plan.cycles + 1):
            for number in range(1, number_of_rounds + 1):
                table = number
                if swapped and cycle == 1 and number >= number_of_rounds - 1:
                    table = 2 * number_of_rounds - 1 - number
                pairs = berger_round(bots, table)
                if cycle % 2 == 0:
                    pairs = [(second, first) for first, second in pairs]
                pairings = tuple(
                    [Pairing(cycle, number, board, first, second) for board, (first, second) in enumerate(pairs, 1)]
                )
                yield Round(pairings, _left_out(pairings, bots) if bots % 2 else ())

    @property
    def rounds_in_all(self) -> int:
        return (self.plan.bots - 1 + self.plan.bots % 2) * self.plan.cycles

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        return round_robin_matches(self.plan.bots, self.plan.cycles, self.plan.legs)


def _left_out(pairings: tuple[Pairing, ...], bots: int) -> tuple[int, ...]:
    paired = {bot for pairing in pairings for bot in (pairing.first, pairing.second)}
    return tuple(bot for bot in range(bots) if bot not in paired)
