"""The base class of the queues of waiting matches. A tournament's schedule makes the queue, and its agenda uses it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Set

from rumble_server.tournament.slot import Slot


class Queue(ABC):
    """The waiting matches of each bot."""

    @abstractmethod
    def add(self, slot: Slot) -> None:
        """Add a match to the waiting matches, as the newest."""

    @abstractmethod
    def remove(self, slot: Slot) -> None:
        """Remove a match, because it starts, or is lost before its start."""

    @abstractmethod
    def waiting(self, bot: str) -> list[Slot]:
        """Return the bot's waiting matches, oldest first."""

    @abstractmethod
    def has_waiting(self, bot: str) -> bool: ...

    @abstractmethod
    def next_slots(self, bot: str) -> list[Slot]:
        """Return the bot's waiting matches that may be the next to start, such as the oldest with each opponent."""

    @abstractmethod
    def oldest(self, bot: str, free: Set[str], gone: Set[str], room_of: Callable[[str], int]) -> Slot | None:
        """Return a match that can start now, or is lost now because a bot is gone; None if there is no such match.

        The match may be a match of other bots. `bot` is free or gone. `free` and `gone` have the names of all free and
        gone bots. `room_of` returns the number of matches that a bot can take.
        """

    def may_add_round_for(self, bot: str) -> bool:
        """Return true if another round may be pulled from a fixed schedule for a bot that found no match to play."""
        return False
