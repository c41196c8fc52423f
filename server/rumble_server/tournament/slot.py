"""A scheduled match that has no result yet."""

from dataclasses import dataclass

from rumble_server.match.match_id import MatchKey


@dataclass(slots=True, eq=False)
class Slot:
    """A scheduled match that has no result yet. `seats` are bot names; `attempt` is the next attempt to be played."""

    match_id: str
    key: MatchKey
    seats: tuple[str, ...]
    attempt: int = 1
    order: int = 0
    """Position in the queue of waiting slots, lowest first; 0 for a slot that does not wait."""

    def opponent(self, bot: str) -> str:
        """Return the opponent of `bot` in a match of two bots."""
        return self.seats[1] if self.seats[0] == bot else self.seats[0]
