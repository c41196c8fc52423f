"""The agenda of a running tournament: which matches are pulled from the schedule and still to be played, per bot.

Pulling is lazy: a bot that finds nothing to play has the next round pulled, until it has `LOOK_AHEAD` matches in
sight. So memory follows the bots and not the pairings, and no round is a barrier.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rumble_server.tournament.schedule import Pairing

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


class Agenda:
    """Slots by bot, in schedule order, pulled from an iterator of rounds."""

    def __init__(self, tournament: str, bots: tuple[str, ...], legs: int, rounds: Iterator[list[Pairing]]) -> None:
        self._tournament = tournament
        self.bots = bots
        self._legs = legs
        self._rounds = rounds
        self._by_bot: dict[str, dict[str, Slot]] = {bot: {} for bot in bots}
        self.open: dict[str, Slot] = {}
        """Pulled, without a result: waiting or running."""
        self.exhausted = False
        """Every round was pulled."""

    def pull(self) -> bool:
        """Take the next round from the schedule; False at its end."""
        pairings = next(self._rounds, None)
        if pairings is None:
            self.exhausted = True
            return False
        for pairing in pairings:
            first, second = self.bots[pairing.first], self.bots[pairing.second]
            for leg in range(1, self._legs + 1):
                match = f"{self._tournament}.{pairing.cycle}.{pairing.round}.{pairing.board}.{leg}"
                self.put(Slot(match, pairing, leg, (first, second) if leg % 2 else (second, first)))
        return True

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

    def close(self, match: str) -> Slot | None:
        """The match has a result. None if it was not open."""
        slot = self.open.pop(match, None)
        if slot is not None:
            self.start(slot)
        return slot

    def reopen(self, match: str, seats: Sequence[str]) -> Slot:
        """A match that had a result is to be played again."""
        cycle, number, board, leg = (int(part) for part in match.split(".")[-4:])
        first, second = (self.bots.index(bot) for bot in (seats if leg % 2 else reversed(seats)))
        slot = Slot(match, Pairing(cycle, number, board, first, second), leg, (seats[0], seats[1]))
        self.put(slot)
        return slot

    def find(self, match: str) -> Slot:
        """The open slot of a match id, pulling until it comes. Raises KeyError if the schedule has no such match."""
        while match not in self.open and self.pull():
            pass
        return self.open[match]

    def waiting(self, bot: str) -> list[Slot]:
        """What the bot has in sight, oldest first."""
        return list(self._by_bot[bot].values())

    def has_more(self, bot: str) -> bool:
        """Whether the bot may still have matches to start."""
        return bool(self._by_bot[bot]) or not self.exhausted

    def may_pull_for(self, bot: str) -> bool:
        """Whether another round should be pulled for a bot that found nobody to play."""
        return not self.exhausted and len(self._by_bot[bot]) < LOOK_AHEAD
