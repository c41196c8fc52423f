"""The actions that a `Conversation` returns. `Client` carries out the actions in their order."""

from dataclasses import dataclass
from typing import Literal

from rumble_protocol.fields import BotMessageModel
from rumble_protocol.server_messages import TournamentStatus

from rumble_bots.sdk.bot import Told, Turn
from rumble_bots.sdk.errors import SdkError


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of a tournament for a bot: the tournament is over, or the bot left, or the host removed the bot."""

    tournament: str
    """The tournament's id."""
    reason: Literal["over", "left", "removed"]
    """The reason why the bot plays no more: the tournament is over, the bot left, or the host removed the bot."""
    status: TournamentStatus | None = None
    """The tournament's status; None if the bot left or was removed."""
    rank: int | None = None
    """The bot's rank, from 1; None if the bot left or was removed."""
    bots: int | None = None
    """The number of bots in the tournament; None if the bot left or was removed."""
    points: float | None = None
    """The bot's points; None if the bot left or was removed."""

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
    """Send a message to the server."""

    message: BotMessageModel


@dataclass(frozen=True, slots=True)
class Think:
    """Let the bot choose a move. Then call the conversation's `on_move` or `on_no_move` with `turn`."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Tell:
    """Call the bot's method for a message."""

    message: Told


@dataclass(frozen=True, slots=True)
class Say:
    """Show a text to the bot's owner. `level` is a level of `logging`."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """The server accepted the key. `identity` is the club's identity from `welcome`, empty if unknown."""

    identity: str
    made_key: str | None = None
    """The secret that the server made in exchange for the key; None without an exchange."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Close this connection, and connect again a little later."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Return from `Client.run`: the tournament is over for the bot."""

    summary: Summary


@dataclass(frozen=True, slots=True)
class Fail:
    """Raise an error from `Client.run`: the bot cannot play on."""

    error: SdkError


Action = Send | Think | Tell | Say | Admitted | Drop | Finish | Fail
