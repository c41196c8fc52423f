"""The agenda of a running tournament: the matches still to be played by each bot, pulled from the schedule.

A schedule that does not depend on results is pulled lazily: the next round is pulled when a bot finds no match to play.
No round is pulled for a bot that has waiting matches with `LOOK_AHEAD` opponents, or `MOST_IN_SIGHT` waiting matches.
So memory grows with the number of bots, not of pairings. No bot has to wait for the end of a round, and a bot plays on
while its matches with a few slow opponents pile up.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rumble_server.match.facts import MatchOver
from rumble_server.match.match_id import MatchId, MatchKey, match_id_of
from rumble_server.tournament.formats import AnyRound, PairingTask
from rumble_server.tournament.schedule import Schedule
from rumble_server.tournament.slot import Slot

NO_HALF_BYES: Mapping[int, Collection[str]] = {}


class Agenda:
    """The schedule of a running tournament, and the queue of its waiting matches."""

    def __init__(
        self,
        tournament_id: str,
        bots: tuple[str, ...],
        schedule: Schedule[Any, Any],
        half_byes: Mapping[int, Collection[str]] = NO_HALF_BYES,
    ) -> None:
        """`half_byes` has the bots with a half-point bye, by round. The tournament may change them at any time."""
        self._tournament_id = tournament_id
        self._half_byes = half_byes
        self.queue = schedule.queue(bots)
        self._last_order = 0
        self._played: dict[MatchKey, Any] = {}
        """Results by match, as the schedule reads them; empty if the schedule has no logged rounds."""
        self._withdrawn: set[int] = set()
        """Numbers of the withdrawn bots."""
        self.bots = list(bots)
        """Bots by number, late joiners at the end."""
        self.schedule = schedule
        self.open: dict[str, Slot] = {}
        """Waiting and running matches of the rounds added so far, by match id."""

    @property
    def is_finished(self) -> bool:
        return self.schedule.is_finished(self._played, self._withdrawn)

    @property
    def stop_reason(self) -> str:
        return self.schedule.stop_reason(self._played, self._withdrawn)

    @property
    def matches_total(self) -> int:
        return self.schedule.matches_total(self._played, self._withdrawn)

    def prepare(self) -> PairingTask | None:
        """Return the task that pairs the next round: all bots without a half-point bye in the round.

        Return None while no round can be paired yet, and once the schedule is finished.
        """
        number = len(self.schedule.rounds_added) + 1
        bots = self._half_byes.get(number)
        numbers = {at for at, bot in enumerate(self.bots) if bot in bots} if bots else set[int]()
        self.schedule.half_byes = {number: numbers}
        return self.schedule.prepare(self._played, self._withdrawn)

    def add(self, new_round: AnyRound) -> None:
        """Add the schedule's next round; its matches wait to be played."""
        self.schedule.add(new_round)
        self._put_matches(self.schedule.matches(new_round))

    def add_next_round(self) -> AnyRound | None:
        """Pair and add the next round of a schedule without logged rounds; return None after the last round."""
        task = self.prepare()
        if task is None:
            return None
        new_round = task()
        self.add(new_round)
        return new_round

    def names(self, numbers: Iterable[int]) -> list[str]:
        """Return the names of bots by their numbers."""
        return [self.bots[number] for number in numbers]

    def _put_matches(self, matches: Iterable[tuple[MatchKey, tuple[int, ...]]]) -> None:
        tournament_id, bots = self._tournament_id, self.bots
        for key, numbers in matches:
            self.open_slot(Slot(match_id_of(tournament_id, key), key, tuple(map(bots.__getitem__, numbers))))

    def add_late_bot(self, bot: str) -> None:
        """Add a late joiner, with its matches. Raises ValueError if the schedule takes no late joiner."""
        matches = self.schedule.matches(self.schedule.late_round())
        self.bots.append(bot)
        self._put_matches(matches)

    def withdraw(self, bot: str) -> None:
        """Mark a bot as withdrawn. A schedule that depends on results does not pair the bot any more."""
        self._withdrawn.add(self.bots.index(bot))

    def open_slot(self, slot: Slot) -> None:
        self.open[slot.match_id] = slot
        self.enqueue(slot)

    def enqueue(self, slot: Slot) -> None:
        """Put a match that does not run into the queue of waiting matches."""
        if not slot.order:
            self._last_order += 1
            slot.order = self._last_order
            self.queue.add(slot)

    def dequeue(self, slot: Slot) -> None:
        """Remove a match from the waiting matches, because it starts, or is lost before its start."""
        if slot.order:
            slot.order = 0
            self.queue.remove(slot)

    def close(self, over: MatchOver) -> None:
        slot = self.find(over.match)
        self.dequeue(slot)
        del self.open[over.match]
        if self.schedule.has_logged_rounds and over.scores is not None:
            self._played[slot.key] = self.schedule.read_result(over, slot.seats)

    def reopen(self, over: MatchOver) -> Slot:
        """Void the result `over` of a match, and let the match wait to be played again. Return the match's new slot."""
        key = MatchId.parse(over.match).key
        slot = Slot(over.match, key, self.schedule.scheduled_seats(over, self._played.pop(key, None)))
        self.open_slot(slot)
        return slot

    def find(self, match_id: str) -> Slot:
        """Return the open slot of a match. If necessary, pull rounds up to the round of the match.

        Raises KeyError for a match that is not open.
        """
        while match_id not in self.open and not self.schedule.has_logged_rounds:
            if self.add_next_round() is None:
                break
        return self.open[match_id]

    def has_more_for(self, bot: str) -> bool:
        """Return true if the bot has waiting matches, or may get matches from a schedule without logged rounds."""
        return self.queue.has_waiting(bot) or self.may_add_round_for(bot)

    def may_add_round_for(self, bot: str) -> bool:
        """Return true if `add_next_round` should be called for a bot that found no match to play."""
        return not (self.schedule.has_logged_rounds or self.is_finished) and self.queue.may_add_round_for(bot)

    def places(self) -> dict[str, int]:
        return {
            self.bots[number]: place for number, place in self.schedule.places(self._played, self._withdrawn).items()
        }
