"""The queue of waiting matches of two bots. Finding a bot's next match costs the same in a field of any size."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Set

from rumble_server.tournament.queue import Queue
from rumble_server.tournament.slot import Slot

LOOK_AHEAD = 16
"""Limit of looking ahead: if a bot has waiting matches with this many opponents, no further round is pulled from the
schedule for the bot. Late joiners do not count as opponents."""
MOST_IN_SIGHT = 256
"""Limit of looking ahead: if a bot has this many waiting matches, no further round is pulled from the schedule for the
bot. Matches of late joiners do not count."""


class PairQueue(Queue):
    """Waiting slots by bot and opponent. A bot that is not in `bots` is a late joiner."""

    def __init__(self, bots: Iterable[str]) -> None:
        self._waiting: defaultdict[str, dict[str, list[Slot]]] = defaultdict(dict)
        """Waiting slots by bot and opponent, oldest first. Two bots share one list of the slots in which they meet."""
        self._in_sight = dict.fromkeys(bots, 0)
        """Number of waiting slots by bot, without late joiners and the slots in which a late joiner plays."""

    def add(self, slot: Slot) -> None:
        first, second = slot.seats
        waiting = self._waiting
        slots = waiting[first].get(second)
        if slots is None:
            waiting[first][second] = waiting[second][first] = [slot]
        else:
            slots.append(slot)
        self._count_in_sight(first, second, 1)

    def remove(self, slot: Slot) -> None:
        first, second = slot.seats
        waiting = self._waiting
        slots = waiting[first][second]
        if len(slots) > 1:
            slots.remove(slot)
        else:
            del waiting[first][second], waiting[second][first]
        self._count_in_sight(first, second, -1)

    def _count_in_sight(self, first: str, second: str, matches: int) -> None:
        in_sight = self._in_sight
        if first in in_sight and second in in_sight:
            in_sight[first] += matches
            in_sight[second] += matches

    def waiting(self, bot: str) -> list[Slot]:
        return sorted((slot for slots in self._waiting[bot].values() for slot in slots), key=lambda slot: slot.order)

    def has_waiting(self, bot: str) -> bool:
        return bool(self._waiting[bot])

    def next_slots(self, bot: str) -> list[Slot]:
        """Return the bot's oldest waiting match with each of its opponents."""
        return [slots[0] for slots in self._waiting[bot].values()]

    def may_add_round_for(self, bot: str) -> bool:
        """Return true if the limits of looking ahead allow another round for a bot that found no match to play.

        Return false for a late joiner.
        """
        in_sight = self._in_sight
        if bot not in in_sight:
            return False
        return in_sight[bot] < MOST_IN_SIGHT and len(self._waiting[bot].keys() & in_sight.keys()) < LOOK_AHEAD

    def oldest(self, bot: str, free: Set[str], gone: Set[str], room_of: Callable[[str], int]) -> Slot | None:
        """Return a match that can start now, or is lost now because a bot is gone; None if there is no such match.

        The search begins with the oldest match of `bot` against a free or gone opponent. If the opponent has an older
        match with a third free or gone bot, the older match is taken instead, and so on. So no bot is passed over again
        and again. The returned match may be a match of two other bots.
        """
        oldest = self._oldest_of(bot, free, gone)
        while oldest is not None:
            opponent = oldest.opponent(bot)
            older = self._oldest_of(opponent, free, gone)
            if older is None or older.order >= oldest.order:
                break
            bot, oldest = opponent, older
        return oldest

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
