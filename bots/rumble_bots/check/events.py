"""Events outside the kit, in the order in which they happened."""

from dataclasses import dataclass

from rumble_bots.check.link import Link


@dataclass(frozen=True, slots=True)
class Connected:
    """A bot opened a WebSocket."""

    link: Link


@dataclass(frozen=True, slots=True)
class Said:
    """A frame came: text, or bytes for a binary frame. `at` is in seconds of the loop's clock."""

    link: Link
    frame: str | bytes
    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A connection is over; the code is 1006 without a closing handshake."""

    link: Link
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """A request could not become a connection of a bot; `why` is the reason."""

    why: str


@dataclass(slots=True)
class Exited:
    """The bot's program ended. `code` is negative after a signal; `said` is the end of its output."""

    code: int
    said: str
    stale: bool = False
    """True if the kit had stopped the program before it read this event."""

    @property
    def how(self) -> str:
        ended = f"was ended by signal {-self.code}" if self.code < 0 else f"ended with exit code {self.code}"
        return f"{ended}; it said last: {self.said}" if self.said else ended


Event = Connected | Said | Ended | TurnedAway | Exited
