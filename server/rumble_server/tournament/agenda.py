"""The agenda of a running tournament: the matches still to be played by each bot, pulled from the schedule.

A schedule that does not depend on results is pulled lazily. When a bot finds no match to play, the next round is
pulled, unless the bot has waiting matches with `LOOK_AHEAD` opponents, or `MOST_IN_SIGHT` waiting matches. So memory
grows with the number of bots, not of pairings. No bot has to wait for the end of a round, and a bot plays on while its
matches with a few slow opponents pile up.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchId, MatchKey, match_id_of
from rumble_server.tournament.formats import Played, Round, Schedule, Task
from rumble_server.tournament.pairing import Pairing, berger_leads

LOOK_AHEAD = 16
"""Number of opponents with waiting matches at which no further round is pulled for a bot. Late joiners do not count."""
MOST_IN_SIGHT = 256
"""Number of waiting matches at which no further round is pulled for a bot. Matches of late joiners do not count."""


@dataclass(slots=True, eq=False)
class Slot:
    """A match of the schedule without a result. `seats` are bot names; `attempt` is the next attempt to be played."""

    match_id: str
    key: MatchKey
    seats: tuple[str, str]
    attempt: int = 1
    order: int = 0
    """Position in the queue of waiting slots, lowest first; 0 for a slot that does not wait."""

    def opponent(self, bot: str) -> str:
        return self.seats[1] if self.seats[0] == bot else self.seats[0]


class Agenda:
    """Slots by bot and opponent. So finding a bot's next match costs the same in a field of any size."""

    def __init__(self, tournament_id: str, bots: tuple[str, ...], schedule: Schedule) -> None:
        self._tournament_id = tournament_id
        self._waiting: dict[str, dict[str, list[Slot]]] = {bot: {} for bot in bots}
        """Waiting slots by bot and opponent, oldest first. Both bots share the list."""
        self._in_sight = dict.fromkeys(bots, 0)
        """Number of waiting slots by bot, without those of late joiners."""
        self._put = 0
        self._played: dict[MatchKey, Played] = {}
        """Results by match, if the schedule follows results."""
        self._gone: set[int] = set()
        """Numbers of the withdrawn bots."""
        self._late: set[str] = set()
        self._late_matches = 0
        self._leads = berger_leads(len(bots)) if schedule.plan.cycles * schedule.plan.legs % 2 else [0] * len(bots)
        """Surplus of first over second moves in the whole schedule, by bot number."""
        self.bots = list(bots)
        """Bots by number, late joiners at the end."""
        self.schedule = schedule
        self.open: dict[str, Slot] = {}
        """Matches of the added rounds without a result, waiting or running, by match id."""

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
        """Return the task that pairs the next round. This call changes no state.

        Return None while no round can be paired yet, and always once the schedule is `exhausted`.
        """
        return self.schedule.prepare(self._played, self._gone)

    def add(self, paired: Round) -> None:
        """Add the schedule's next round; its matches wait to be played."""
        self.schedule.add(paired)
        self._put_pairings(paired.pairings)

    def pull(self) -> Round | None:
        """Pair and add the next round of a schedule that follows no results; return None after the last round."""
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
        """Add matches of a late joiner with all earlier bots, in further rounds after the rounds of the schedule.

        A bot with more first than second moves gets the second move against the late joiner, and the other way round.
        So the numbers of first and second moves of each bot differ by one at most.
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
        """Mark a bot as withdrawn. A schedule that depends on results does not pair the bot any more."""
        self._gone.add(self.bots.index(bot))

    def give_half_bye(self, bot: str, number: int) -> None:
        """Give a bot a half-point bye in a round of a Swiss."""
        if bot in self.bots:
            self.schedule.half_byes.setdefault(number, set()).add(self.bots.index(bot))

    def take_half_bye(self, bot: str, number: int) -> None:
        """Take back a bot's half-point bye in a round of a Swiss, so that the bot is paired in the round."""
        if bot in self.bots:
            self.schedule.half_byes.get(number, set()).discard(self.bots.index(bot))

    def put(self, slot: Slot) -> None:
        self.open[slot.match_id] = slot
        self.wait(slot)

    def wait(self, slot: Slot) -> None:
        """Let a match that does not run wait to be started."""
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
        """Remove a match from the waiting matches, because it starts, or is lost before its start."""
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
        """Void a match's result, so that the match waits to be played again."""
        slot = Slot(match_id, MatchId.parse(match_id).key, (seats[0], seats[1]))
        self._played.pop(slot.key, None)
        self.put(slot)
        return slot

    def find(self, match_id: str) -> Slot:
        """Return the open slot of a match; pull rounds until the match comes. Raises KeyError for a match that is not
        open.
        """
        while match_id not in self.open and not self.schedule.follows_results:
            if self.pull() is None:
                break
        return self.open[match_id]

    def waiting(self, bot: str) -> list[Slot]:
        """Return the bot's waiting slots, oldest first."""
        return sorted((slot for slots in self._waiting[bot].values() for slot in slots), key=lambda slot: slot.order)

    def has_waiting(self, bot: str) -> bool:
        return bool(self._waiting[bot])

    def heads(self, bot: str) -> list[Slot]:
        """Return the bot's oldest waiting match with each of its opponents."""
        return [slots[0] for slots in self._waiting[bot].values()]

    def oldest(self, bot: str, free: Set[str], gone: Set[str]) -> Slot | None:
        """Return the match to start next because `bot` is free or gone; None without such a match.

        The search begins with the oldest match of `bot`. If the opponent has an older match with another free or gone
        bot, the older match comes first, and so on. So no bot is passed over again and again. The found match may be
        one of other bots.
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
        """Return the oldest waiting match of a bot with an opponent that is free or gone."""
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
        """Return true if the bot has waiting matches, or may get more from a schedule that follows no results."""
        return bool(self._waiting[bot]) or not (self.schedule.follows_results or self.exhausted)

    def may_pull_for(self, bot: str) -> bool:
        """Return true if another round should be pulled for a bot that found no match to play."""
        if bot in self._late or self.schedule.follows_results or self.exhausted:
            return False
        return self._in_sight[bot] < MOST_IN_SIGHT and len(self._waiting[bot].keys() - self._late) < LOOK_AHEAD

    def places(self) -> dict[str, int]:
        return {self.bots[number]: place for number, place in self.schedule.places(self._played).items()}
