"""The queue of waiting tables, which finds the tables that can start now. Synchronous, without I/O or a clock.

A bot keeps its room for its oldest waiting tables, for as many as it can take. A table starts if each of its bots that
is not gone keeps room for the table. So no bot starts a newer table with the room that an older one needs, and no table
starves: at the latest, the oldest table starts when the running matches of its bots have ended. A search looks only at
the waiting tables of one bot. So the cost of a search does not depend on the number of bots.
"""

from collections.abc import Callable, Iterable, Set
from itertools import islice

from rumble_server.tournament.queue import Queue
from rumble_server.tournament.slot import Slot


class TableQueue(Queue):
    """The waiting tables of each bot. `least` is the minimum number of bots for a match."""

    def __init__(self, bots: Iterable[str], least: int) -> None:
        self._least = least
        self._waiting: dict[str, dict[str, Slot]] = {bot: {} for bot in bots}
        """Waiting tables by bot and by match id; the oldest table comes first."""

    def add(self, slot: Slot) -> None:
        for bot in slot.seats:
            self._waiting[bot][slot.match_id] = slot

    def remove(self, slot: Slot) -> None:
        for bot in slot.seats:
            del self._waiting[bot][slot.match_id]

    def waiting(self, bot: str) -> list[Slot]:
        return list(self._waiting[bot].values())

    next_slots = waiting

    def has_waiting(self, bot: str) -> bool:
        return bool(self._waiting[bot])

    def oldest(self, bot: str, free: Set[str], gone: Set[str], room_of: Callable[[str], int]) -> Slot | None:
        """Return the oldest table of `bot` that can start now, or is lost now; None without such a table.

        The caller takes a returned table, lowers the room of the bots that play, and calls again, until the result is
        None. Call the method for a bot when it gets room, when it becomes gone, and when one of its tables is lost.
        """
        for slot in self.waiting(bot) if bot in gone else self._with_room(bot, room_of):
            there = [each for each in slot.seats if each not in gone]
            if len(there) < self._least or all(slot in self._with_room(each, room_of) for each in there):
                return slot
        return None

    def _with_room(self, bot: str, room_of: Callable[[str], int]) -> list[Slot]:
        """Return the waiting tables for which a bot keeps its room."""
        return list(islice(self._waiting[bot].values(), room_of(bot)))
