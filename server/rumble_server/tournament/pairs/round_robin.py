"""Round-robin: each bot meets each other bot once a cycle, by Berger tables; seats are swapped from cycle to cycle."""

from collections.abc import Collection, Iterator

from rumble_server.tournament.pairs.berger import berger_leads, berger_round
from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.schedule import FixedSchedule, Results


class RoundRobin(FixedSchedule):
    """Berger tables. A bot has the first seat about as often as the second: the two numbers differ by one at most.

    With one leg and two cycles the last two rounds of the first cycle are swapped (FIDE Handbook C.05, Annex 1), so
    that no bot has the same seat more than twice in a row. A round's number is its place in the order of play.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.number_of_rounds = self._rounds_a_cycle * plan.cycles
        self._leads = berger_leads(plan.bots) if plan.cycles * plan.legs % 2 else [0] * plan.bots
        """For each bot, also for late joiners: number of first moves minus number of second moves in all rounds."""

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds one at a time. In each round of an odd field, a bot has a bye, which gives no points."""
        bots, plan = self.plan.bots, self.plan
        number_of_rounds = self._rounds_a_cycle
        swapped = plan.legs == 1 and plan.cycles == 2 and number_of_rounds > 1
        for cycle in range(1, plan.cycles + 1):
            for number in range(1, number_of_rounds + 1):
                berger_number = number
                if swapped and cycle == 1 and number >= number_of_rounds - 1:
                    berger_number = 2 * number_of_rounds - 1 - number
                pairs = berger_round(bots, berger_number)
                if cycle % 2 == 0:
                    pairs = [(second, first) for first, second in pairs]
                pairings = tuple(
                    [Pairing(cycle, number, board, first, second) for board, (first, second) in enumerate(pairs, 1)]
                )
                yield Round(pairings, tuple(set(range(bots)).difference(*pairs)) if bots % 2 else ())

    def late_round(self) -> Round:
        """Return matches of a late joiner with all earlier bots, in further rounds after the rounds of the schedule.

        A bot with more first than second moves gets the second move against the late joiner. A bot with more second
        than first moves gets the first move. So each bot's numbers of first and second moves differ by one at most.
        """
        plan, leads = self.plan, self._leads
        late_bot, own_lead, firsts = len(leads), 0, []
        swing = plan.cycles % 2 * plan.legs % 2
        for other, lead in enumerate(leads):
            is_late_bot_first = lead > 0 or (lead == 0 and own_lead <= 0)
            firsts.append(is_late_bot_first)
            own_lead += 1 if is_late_bot_first else -1
            leads[other] -= swing if is_late_bot_first else -swing
        leads.append(own_lead * swing)
        last = self._rounds_a_cycle + sum(range(plan.bots, late_bot))  # an earlier late joiner had a round for each bot
        pairings = []
        for cycle in range(1, plan.cycles + 1):
            for other, is_late_bot_first in enumerate(firsts):
                pair = (late_bot, other) if is_late_bot_first == bool(cycle % 2) else (other, late_bot)
                pairings.append(Pairing(cycle, last + other + 1, 1, *pair))
        return Round(tuple(pairings))

    @property
    def _rounds_a_cycle(self) -> int:
        return self.plan.bots - 1 + self.plan.bots % 2

    def matches_total(self, results: Results, withdrawn: Collection[int] = ()) -> int:
        bots = len(self._leads)
        return bots * (bots - 1) // 2 * self.plan.cycles * self.plan.legs
