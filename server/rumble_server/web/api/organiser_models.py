"""What only the host asks and is told."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from rumble_engine import Termination
from rumble_protocol.feed_messages import TournamentSummary
from rumble_protocol.fields import NAME_PATTERN, Count, Milliseconds, ServerMessageModel

from rumble_server.arena.house import MOST_ADDED
from rumble_server.tournament.config import TournamentConfig


class AddHouse(BaseModel):
    """Which reference bot is added to the field, under which name (else one is made), and how many of it."""

    model_config = ConfigDict(strict=True, extra="forbid")

    bot: Annotated[str, Field(min_length=1, max_length=64)]
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    count: Annotated[int, Field(ge=1, le=MOST_ADDED)] = 1


class ChangeInvite(BaseModel):
    """The code from now on: this one, a new one where none is given, or none needed any more where it is null."""

    model_config = ConfigDict(strict=True, extra="forbid")

    code: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None


class HousePlayer(ServerMessageModel):
    """A reference bot that can be added."""

    bot: str
    about: str


class HouseAnswer(ServerMessageModel):
    """The reference bots that play a tournament's game, and for how many there is room on this server."""

    bots: list[HousePlayer]
    room: Count


class InviteAnswer(ServerMessageModel):
    """How to invite: the code (null where none is needed), a link to the page, and a bot's command."""

    code: str | None
    link: str
    command: str


class LastFault(ServerMessageModel):
    """The match that a bot lost last by its own fault."""

    match: str
    termination: Termination
    reason: str
    at_ms: Milliseconds


class HostEntrant(ServerMessageModel):
    """One bot of the field, as the host sees it. `house`: the reference bot that plays, if the host added it.

    `open`: no key protects its name. `version` and `client` are what the login of its connection told.
    """

    name: str
    connected: bool
    withdrawn: bool
    benched: bool
    open: bool
    version: str | None
    client: str | None
    house: str | None
    playing: Count
    faulty_in_a_row: Count
    absent_left_ms: Milliseconds
    last_fault: LastFault | None


class HostView(TournamentSummary):
    """A tournament as its host sees it: every choice, and every bot. The code of an invitation is not in it."""

    reason: str
    by_invitation: bool
    config: TournamentConfig
    field: list[HostEntrant]


class HostTournaments(ServerMessageModel):
    """The tournaments, newest first: those that are listed, and those that are not and are not over."""

    tournaments: list[TournamentSummary]


class HostAnswer(ServerMessageModel):
    """Who the token is good for: this server."""

    version: str
    connected: Count
    matches: Count
    house_room: Count
