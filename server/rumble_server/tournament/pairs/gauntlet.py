"""Gauntlet: the first bots of the field are challengers. Each challenger meets the rest of the field once a cycle.

No two challengers meet.
"""

from collections.abc import Collection, Iterator

from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.schedule import FixedSchedule, Results


class Gauntlet(FixedSchedule):
    """Challengers against the rest of the field.

    A bot has the first seat about as often as the second seat: its numbers of first and second seats differ by one at
    most. Seats are swapped from cycle to cycle.
    """

    def __init__(self, plan: Plan) -> None:
        if not 1 <= plan.challengers < plan.bots:
            raise ValueError(f"a gauntlet of {plan.bots} has 1 to {plan.bots - 1} challengers, not {plan.challengers}")
        super().__init__(plan)
        self.number_of_rounds = max(plan.challengers, plan.bots - plan.challengers) * plan.cycles

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds. The challengers are one side, and the rest of the field is the other side.

        In each round, every bot of the smaller side meets a bot of the larger side. No two bots meet twice in a cycle.
        """
        plan = self.plan
        challengers, others = plan.challengers, plan.bots - plan.challengers
        fewer, more = sorted((challengers, others))
        for cycle in range(1, plan.cycles + 1):
            for number in range(1, more + 1):
                pairings = []
                for board in range(1, fewer + 1):
                    small, large = board - 1, (number + board - 2) % more
                    challenger, other = (small, large) if challengers <= others else (large, small)
                    pair = (challenger, challengers + other)
                    # Odd and even sums of numbers alternate along the opponents of any bot, and so do its seats.
                    ahead = (challenger + other + cycle) % 2
                    pairings.append(Pairing(cycle, number, board, *(pair if ahead else pair[::-1])))
                yield Round(tuple(pairings))

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        plan = self.plan
        return plan.challengers * (plan.bots - plan.challengers) * plan.cycles * plan.legs
