"""What a `Conversation` wants done, in order; `Client` does it."""

from dataclasses import dataclass
from typing import Literal

from rumble_protocol.fields import BotMessageModel
from rumble_protocol.server_messages import TournamentStatus

from rumble_bots.sdk.bot import Told, Turn
from rumble_bots.sdk.errors import SdkError


@dataclass(frozen=True, slots=True)
class Summary:
    """How it ended for a bot: the tournament is over, or the bot left it or was removed from it."""

    tournament: str
    reason: Literal["over", "left", "removed"]
    status: TournamentStatus | None = None
    """The tournament's; this and the rest are known only when it is over."""
    rank: int | None = None
    bots: int | None = None
    points: float | None = None

    def __str__(self) -> str:
        match self.reason:
            case "left":
                return f"left {self.tournament}"
            case "removed":
                return f"removed from {self.tournament} by its host"
            case _:
                return f"{self.tournament} is {self.status}: rank {self.rank} of {self.bots}, {self.points:g} points"


@dataclass(frozen=True, slots=True)
class Send:
    """Send this to the server."""

    message: BotMessageModel


@dataclass(frozen=True, slots=True)
class Think:
    """Let the bot choose; then call `answered` or `resigned` with the same turn."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the bot of this."""

    message: Told


@dataclass(frozen=True, slots=True)
class Say:
    """Something for the bot's owner, at a level of `logging`."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Close this connection; a new one, a little later, may go better."""


@dataclass(frozen=True, slots=True)
class Finish:
    """All is done."""

    summary: Summary


@dataclass(frozen=True, slots=True)
class Fail:
    """It cannot go on."""

    error: SdkError


Action = Send | Think | Tell | Say | Drop | Finish | Fail
