"""The bots that the arena knows: their connection, and what they are playing."""

from dataclasses import dataclass, field

from rumble_server.arena.ports import Contact, TimerHandle
from rumble_server.match.referee import Referee
from rumble_server.tournament.tournament import Tournament


@dataclass(slots=True, eq=False)
class Player:
    """A bot by name; `contact` is None while it is not connected."""

    name: str
    contact: Contact | None = None
    matches: dict[str, "OpenMatch"] = field(default_factory=dict)
    tournaments: dict[str, Tournament] = field(default_factory=dict)
    """The tournaments it is in that are not over."""
    claimed: int = 0
    """The number of the fact of its name, if the name is new in this run."""
    challenge: str | None = None
    """The tournament of its open challenge."""

    @property
    def is_connected(self) -> bool:
        return self.contact is not None

    @property
    def is_free(self) -> bool:
        """Whether it can take one more match."""
        return self.contact is not None and len(self.matches) < self.contact.max_matches

    def plays(self, game: str) -> bool:
        """Whether it is connected, and said nothing against this game."""
        return self.contact is not None and (self.contact.games is None or game in self.contact.games)

    def send(self, frame: bytes, after: int = 0) -> None:
        """Send a frame if it is connected."""
        if self.contact is not None:
            self.contact.send(frame, after)


@dataclass(slots=True, eq=False)
class OpenMatch:
    """A match that is being played: its referee, its players by seat, and its one timer."""

    referee: Referee
    players: tuple[Player, ...]
    timer: TimerHandle | None = None
    timer_at_ms: int = 0

    def seat_of(self, player: Player) -> int:
        """The player's seat."""
        return self.players.index(player)
