"""The agenda of a running tournament: which matches are pulled from the schedule and still to be played, per bot.

Pulling is lazy: a bot that finds nothing to play has the next round pulled, until it has `LOOK_AHEAD` matches in
sight. So memory follows the bots and not the pairings, and no round is a barrier.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver
from rumble_server.tournament.formats import Played, Round, Schedule
from rumble_server.tournament.formats.knockout import Knockout
from rumble_server.tournament.formats.schedule import match_key
from rumble_server.tournament.formats.swiss import Swiss, Task
from rumble_server.tournament.pairing import Pairing, berger_leads

LOOK_AHEAD = 16
"""A bot that has so many matches to choose from waits for an opponent rather than having more pulled."""


@dataclass(slots=True)
class Slot:
    """One match of the schedule that has no result yet. `seats` are bot names; `attempt` is the next to be played."""

    match: str
    pairing: Pairing
    leg: int
    seats: tuple[str, str]
    attempt: int = 1

    def opponent(self, bot: str) -> str:
        """The other bot."""
        return self.seats[1] if self.seats[0] == bot else self.seats[0]


def pairing_and_leg(match: str) -> tuple[Pairing, int]:
    """The pairing (without its bots) and the leg that a match's id tells."""
    cycle, number, board, leg = (int(part) for part in match.split(".")[-4:])
    return Pairing(cycle, number, board, 0, 0), leg


class Agenda:
    """Slots by bot, in schedule order, pulled from a schedule."""

    def __init__(self, tournament: str, bots: tuple[str, ...], schedule: Schedule) -> None:
        self._tournament = tournament
        self._by_bot: dict[str, dict[str, Slot]] = {bot: {} for bot in bots}
        self._played: dict[str, Played] = {}
        self._late: set[str] = set()
        self._late_matches = 0
        self._leads = berger_leads(len(bots)) if schedule.plan.cycles * schedule.plan.legs % 2 else [0] * len(bots)
        """By number: how much more often it moves first than second in the whole schedule."""
        self.bots = list(bots)
        """By number; who came late stands at the end."""
        self.schedule = schedule
        self.open: dict[str, Slot] = {}
        """Pulled, without a result: waiting or running."""

    @property
    def exhausted(self) -> bool:
        """Whether every round was pulled."""
        return self.schedule.finished

    @property
    def matches_total(self) -> int | None:
        """How many matches there are when all is played, as far as is known now."""
        total = self.schedule.matches_total
        return None if total is None else total + self._late_matches

    def numbers_of(self, bots: Iterable[str]) -> set[int]:
        """The numbers of bots in the schedule."""
        return {self.bots.index(bot) for bot in bots}

    def pull(self, gone: Collection[str] = ()) -> Round | None:
        """The next round of the schedule, which the caller is to `add`; None: not now, or never if `exhausted`."""
        return self.schedule.pull(self._played, self.numbers_of(gone))

    def prepare(self, gone: Collection[str] = ()) -> Task | None:
        """What pairing the next round of a Swiss takes; None if it is not its time."""
        if not isinstance(self.schedule, Swiss):
            return None
        return self.schedule.prepare(self._played, self.numbers_of(gone))

    def add(self, pulled: Round) -> None:
        """The round's matches are to be played."""
        for pairing in pulled.pairings:
            first, second = self.bots[pairing.first], self.bots[pairing.second]
            for leg in range(1, self.schedule.plan.legs + 1):
                match = f"{self._tournament}.{match_key(pairing, leg)}"
                self.put(Slot(match, pairing, leg, (first, second) if leg % 2 else (second, first)))

    def enter_late(self, bot: str) -> None:
        """A newcomer meets everyone who came before, in rounds of their own after the schedule's.

        Who had one seat more often gets the other, so that for everyone first moves and second moves stay within one.
        """
        plan = self.schedule.plan
        swing = plan.cycles % 2 * plan.legs % 2
        newcomer = len(self.bots)
        own_rounds = plan.bots - 1 + plan.bots % 2
        earlier = sum(range(plan.bots, newcomer))
        self.bots.append(bot)
        self._late.add(bot)
        self._by_bot[bot] = {}
        own_lead = 0
        firsts = []
        for other, lead in enumerate(self._leads):
            newcomer_first = lead > 0 or (lead == 0 and own_lead <= 0)
            firsts.append(newcomer_first)
            own_lead += 1 if newcomer_first else -1
            self._leads[other] -= swing if newcomer_first else -swing
        self._leads.append(own_lead * swing)
        for cycle in range(1, plan.cycles + 1):
            for other, newcomer_first in enumerate(firsts):
                pair = (newcomer, other) if newcomer_first == bool(cycle % 2) else (other, newcomer)
                self.add(Round((Pairing(cycle, own_rounds + earlier + other + 1, 1, *pair),)))
        self._late_matches += newcomer * plan.cycles * plan.legs

    def put(self, slot: Slot) -> None:
        """A match is to be played."""
        self.open[slot.match] = slot
        self.wait(slot)

    def wait(self, slot: Slot) -> None:
        """The slot's match is not running (any more): it may be started."""
        for bot in slot.seats:
            self._by_bot[bot][slot.match] = slot

    def start(self, slot: Slot) -> None:
        """The slot's match runs now."""
        for bot in slot.seats:
            self._by_bot[bot].pop(slot.match, None)

    def close(self, over: MatchOver) -> None:
        """The match has a result."""
        slot = self.find(over.match)
        del self.open[over.match]
        self.start(slot)
        if self.schedule.follows_results and over.scores is not None:
            first, second = over.scores
            key = match_key(slot.pairing, slot.leg)
            self._played[key] = Played((first, second), over.termination is Termination.NO_SHOW)

    def reopen(self, match: str, seats: Sequence[str]) -> Slot:
        """A match that had a result is to be played again."""
        pairing, leg = pairing_and_leg(match)
        first, second = (self.bots.index(bot) for bot in (seats if leg % 2 else reversed(seats)))
        pairing = Pairing(pairing.cycle, pairing.round, pairing.board, first, second)
        slot = Slot(match, pairing, leg, (seats[0], seats[1]))
        self._played.pop(match_key(pairing, leg), None)
        self.schedule.reopen(pairing.round)
        self.put(slot)
        return slot

    def find(self, match: str) -> Slot:
        """The open slot of a match id, pulling until it comes. Raises KeyError if the schedule has no such match."""
        while match not in self.open and not self.schedule.follows_results:
            pulled = self.pull()
            if pulled is None:
                break
            self.add(pulled)
        return self.open[match]

    def waiting(self, bot: str) -> list[Slot]:
        """What the bot has in sight, oldest first."""
        return list(self._by_bot[bot].values())

    def has_more(self, bot: str) -> bool:
        """Whether matches of the bot are due or will be; where they follow from results, whether any are due."""
        return bool(self._by_bot[bot]) or not (self.exhausted or self.schedule.follows_results)

    def may_pull_for(self, bot: str) -> bool:
        """Whether another round should be pulled for a bot that found nobody to play; what came late is no part."""
        if self.exhausted or self.schedule.follows_results or bot in self._late:
            return False
        in_sight = self._by_bot[bot].values()
        if len(in_sight) < LOOK_AHEAD or not self._late:
            return len(in_sight) < LOOK_AHEAD
        return sum(self._late.isdisjoint(slot.seats) for slot in in_sight) < LOOK_AHEAD

    def places(self) -> dict[str, int]:
        """The ranks that a knockout gives."""
        if not isinstance(self.schedule, Knockout):
            return {}
        return {self.bots[number]: place for number, place in self.schedule.places(self._played).items()}
