"""Gauntlet: the first bots, the challengers, each meet all bots that are none, once a cycle; no others meet."""

from collections.abc import Collection, Iterator

from rumble_server.tournament.formats.schedule import FixedSchedule, Plan, Results, Round
from rumble_server.tournament.pairing import Pairing


class Gauntlet(FixedSchedule):
    """Challengers against the rest of the field. A bot's seats differ by one at most; they swap each cycle."""

    def __init__(self, plan: Plan) -> None:
        if not 1 <= plan.challengers < plan.bots:
            raise ValueError(f"a gauntlet of {plan.bots} has 1 to {plan.bots - 1} challengers, not {plan.challengers}")
        super().__init__(plan)

    def rounds(self) -> Iterator[Round]:
        """Pair in each round every bot of the smaller side, with another of the larger side each time."""
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
                    # By the sum of their numbers: the seats alternate along the opponents of either.
                    ahead = (challenger + other + cycle) % 2
                    pairings.append(Pairing(cycle, number, board, *(pair if ahead else pair[::-1])))
                yield Round(tuple(pairings))

    @property
    def rounds_in_all(self) -> int:
        plan = self.plan
        return max(plan.challengers, plan.bots - plan.challengers) * plan.cycles

    def matches_total(self, results: Results, gone: Collection[int] = ()) -> int:
        plan = self.plan
        return plan.challengers * (plan.bots - plan.challengers) * plan.cycles * plan.legs
