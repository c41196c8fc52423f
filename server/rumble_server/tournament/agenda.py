"""The agenda of a running tournament: which matches are still to be played, per bot, and what the schedule gives next.

A schedule that follows no results is pulled lazily: a bot that finds nothing to play has the next round pulled, until
it has `LOOK_AHEAD` opponents or `MOST_IN_SIGHT` matches in sight. So memory follows the bots and not the pairings, no
round is a barrier, and a bot plays on while its matches with a few slow opponents pile up.
"""

from collections.abc import Sequence, Set

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchId, MatchKey, match_id_of
from rumble_server.tournament.formats import Played, Round, Schedule, Task
from rumble_server.tournament.pairing import Pairing, berger_leads

LOOK_AHEAD = 16
"""Number of opponents in sight with which a bot waits: no further round is pulled. Late joiners do not count."""
MOST_IN_SIGHT = 256
"""Number of matches in sight with which a bot waits, however few its opponents are. Late joiners do not count."""


class Slot:
    """One match of the schedule that has no result yet. `seats` are bot names; `attempt` is the next to be played."""

    __slots__ = ("attempt", "key", "match_id", "order", "seats")

    def __init__(self, match_id: str, key: MatchKey, seats: tuple[str, str], attempt: int = 1) -> None:
        self.match_id = match_id
        self.key = key
        self.seats = seats
        self.attempt = attempt
        self.order = 0
        """Of two slots that wait, the one that has waited longer has the lower number; 0: it does not wait."""

    def opponent(self, bot: str) -> str:
        return self.seats[1] if self.seats[0] == bot else self.seats[0]


class Agenda:
    """Slots by bot and opponent, so that the next match of a bot is found at the same cost in any field."""

    def __init__(self, tournament_id: str, bots: tuple[str, ...], schedule: Schedule) -> None:
        self._tournament_id = tournament_id
        self._waiting: dict[str, dict[str, list[Slot]]] = {bot: {} for bot in bots}
        """By bot and opponent: the matches that they have in sight, the oldest first. Both have the same list."""
        self._in_sight = dict.fromkeys(bots, 0)
        """By bot: how many of these are of the schedule's own rounds, and not with one that came late."""
        self._put = 0
        self._played: dict[MatchKey, Played] = {}
        """The results, where the schedule follows them."""
        self._gone: set[int] = set()
        """The numbers of the bots that have withdrawn."""
        self._late: set[str] = set()
        self._late_matches = 0
        self._leads = berger_leads(len(bots)) if schedule.plan.cycles * schedule.plan.legs % 2 else [0] * len(bots)
        """By number: how much more often it moves first than second in the whole schedule."""
        self.bots = list(bots)
        """By number; those that came late stand at the end."""
        self.schedule = schedule
        self.open: dict[str, Slot] = {}
        """Matches without a result, waiting or running, of the rounds that were added."""

    @property
    def exhausted(self) -> bool:
        return self.schedule.is_finished(self._played, self._gone)

    @property
    def stopped(self) -> str:
        return self.schedule.stopped(self._played, self._gone)

    @property
    def matches_total(self) -> int:
        return self.schedule.matches_total(self._played, self._gone) + self._late_matches

    def prepare(self) -> Task | None:
        """Return the task that pairs the next round; None: not now, or never if `exhausted`. Changes nothing."""
        return self.schedule.prepare(self._played, self._gone)

    def add(self, paired: Round) -> None:
        """Take in the schedule's next round. Its matches wait to be played."""
        self.schedule.add(paired)
        self._put_pairings(paired.pairings)

    def pull(self) -> Round | None:
        """Pair and add the next round, of a schedule that follows no results; None if there is none."""
        task = self.prepare()
        if task is None:
            return None
        pulled = task()
        self.add(pulled)
        return pulled

    def _put_pairings(self, pairings: Sequence[Pairing]) -> None:
        tournament_id, bots, legs = self._tournament_id, self.bots, range(1, self.schedule.plan.legs + 1)
        for pairing in pairings:
            first, second = bots[pairing.first], bots[pairing.second]
            for leg in legs:
                key = pairing.match_key(leg)
                seats = (first, second) if leg % 2 else (second, first)
                self.put(Slot(match_id_of(tournament_id, key), key, seats))

    def enter_late(self, bot: str) -> None:
        """Have a newcomer meet all earlier bots, in rounds of their own after the schedule's.

        An opponent that had one seat more often gets the other, so that first moves and second moves of any bot differ
        by one at most.
        """
        plan = self.schedule.plan
        swing = plan.cycles % 2 * plan.legs % 2
        newcomer = len(self.bots)
        own_rounds = plan.bots - 1 + plan.bots % 2
        earlier = sum(range(plan.bots, newcomer))
        self.bots.append(bot)
        self._late.add(bot)
        self._waiting[bot] = {}
        self._in_sight[bot] = 0
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
                self._put_pairings([Pairing(cycle, own_rounds + earlier + other + 1, 1, *pair)])
        self._late_matches += newcomer * plan.cycles * plan.legs

    def withdraw(self, bot: str) -> None:
        """Take out a bot that has left: a schedule that follows results pairs it no more."""
        self._gone.add(self.bots.index(bot))

    def give_half_bye(self, bot: str, number: int) -> None:
        """Leave a bot out of a round of a Swiss."""
        if bot in self.bots:
            self.schedule.half_byes.setdefault(number, set()).add(self.bots.index(bot))

    def take_half_bye(self, bot: str, number: int) -> None:
        """Have a bot paired in a round of a Swiss in which it was to have a half-point bye."""
        if bot in self.bots:
            self.schedule.half_byes.get(number, set()).discard(self.bots.index(bot))

    def put(self, slot: Slot) -> None:
        self.open[slot.match_id] = slot
        self.wait(slot)

    def wait(self, slot: Slot) -> None:
        """Have a match that does not run (any more) wait to be started."""
        if slot.order:
            return
        self._put += 1
        slot.order = self._put
        first, second = slot.seats
        waiting = self._waiting
        slots = waiting[first].get(second)
        if slots is None:
            waiting[first][second] = waiting[second][first] = [slot]
        else:
            slots.append(slot)
        self._see(first, second, 1)

    def start(self, slot: Slot) -> None:
        """Take a match that runs, or is lost before it began, out of the sight of its bots."""
        if not slot.order:
            return
        slot.order = 0
        first, second = slot.seats
        waiting = self._waiting
        slots = waiting[first][second]
        if len(slots) > 1:
            slots.remove(slot)
        else:
            del waiting[first][second], waiting[second][first]
        self._see(first, second, -1)

    def _see(self, first: str, second: str, matches: int) -> None:
        late = self._late
        if not late or not (first in late or second in late):
            self._in_sight[first] += matches
            self._in_sight[second] += matches

    def close(self, over: MatchOver) -> None:
        slot = self.find(over.match)
        self.start(slot)
        del self.open[over.match]
        if self.schedule.follows_results and over.scores is not None:
            first, second = over.scores
            self._played[slot.key] = Played((first, second), over.termination is Termination.NO_SHOW)

    def reopen(self, match_id: str, seats: Sequence[str]) -> Slot:
        """Have a match that had a result wait to be played again."""
        slot = Slot(match_id, MatchId.parse(match_id).key, (seats[0], seats[1]))
        self._played.pop(slot.key, None)
        self.put(slot)
        return slot

    def find(self, match_id: str) -> Slot:
        """Return the open slot of a match, pulling until it comes. Raises KeyError if the schedule has none."""
        while match_id not in self.open and not self.schedule.follows_results:
            if self.pull() is None:
                break
        return self.open[match_id]

    def waiting(self, bot: str) -> list[Slot]:
        """Return what the bot has in sight, oldest first."""
        return sorted((slot for slots in self._waiting[bot].values() for slot in slots), key=lambda slot: slot.order)

    def has_waiting(self, bot: str) -> bool:
        return bool(self._waiting[bot])

    def heads(self, bot: str) -> list[Slot]:
        """Return the oldest match that the bot has in sight with each of its opponents."""
        return [slots[0] for slots in self._waiting[bot].values()]

    def oldest(self, bot: str, free: Set[str], gone: Set[str]) -> Slot | None:
        """Return the match to start because a bot is free or gone: the oldest of both its bots. None: there is none.

        The bot's own oldest match can be with an opponent that owes an older one to another bot that waits. That older
        match comes first, so that no bot is passed over again and again.
        """
        found = self._oldest_of(bot, free, gone)
        while found is not None:
            opponent = found.opponent(bot)
            older = self._oldest_of(opponent, free, gone)
            if older is None or older.order >= found.order:
                break
            bot, found = opponent, older
        return found

    def _oldest_of(self, bot: str, free: Set[str], gone: Set[str]) -> Slot | None:
        """Return the oldest match that the bot has in sight with an opponent that is free or gone."""
        waiting = self._waiting[bot]
        near = waiting.keys() & free
        if gone:
            near |= waiting.keys() & gone
        oldest: Slot | None = None
        for opponent in near:
            slot = waiting[opponent][0]
            if oldest is None or slot.order < oldest.order:
                oldest = slot
        return oldest

    def has_more(self, bot: str) -> bool:
        """Whether matches of the bot are due or will be; where they follow from results, whether any are due."""
        return bool(self._waiting[bot]) or not (self.schedule.follows_results or self.exhausted)

    def may_pull_for(self, bot: str) -> bool:
        """Whether another round should be pulled for a bot that found nobody to play."""
        if bot in self._late or self.schedule.follows_results or self.exhausted:
            return False
        return self._in_sight[bot] < MOST_IN_SIGHT and len(self._waiting[bot].keys() - self._late) < LOOK_AHEAD

    def places(self) -> dict[str, int]:
        return {self.bots[number]: place for number, place in self.schedule.places(self._played).items()}
