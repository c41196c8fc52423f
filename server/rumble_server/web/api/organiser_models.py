"""What only the organiser asks and is told."""

from typing import Annotated

from pydantic import Field, StringConstraints
from rumble_engine import Termination
from rumble_protocol.feed_messages import TournamentSummary
from rumble_protocol.fields import NAME_PATTERN, Count, Key, Milliseconds, ServerMessageModel

from rumble_server.arena.house import MOST_ADDED
from rumble_server.tournament.config import TournamentConfig
from rumble_server.web.api.models import RequestModel

MOST_MINUTES = 10 * 366 * 24 * 60
"""Longest ban with an end, in minutes: ten years."""


class AddHouseBots(RequestModel):
    """The reference bot to add to the field, its name (if left out, the server makes one), and how many of it."""

    bot: Annotated[str, Field(min_length=1, max_length=64)]
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    count: Annotated[int, Field(ge=1, le=MOST_ADDED)] = 1


class ChangeInvite(RequestModel):
    """The new code; if left out, the server makes one; if null, bots need none."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None


class HalfBye(RequestModel):
    """A bot, and the round of a Swiss that it misses for half a point, counted from 1; or (`take_back`) does not."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    round: Annotated[int, Field(ge=1, le=1000)]
    take_back: bool = False


class NewKey(RequestModel):
    """The key that protects the name from now on; if left out, the next login claims the name."""

    key: Key | None = None


class Banned(RequestModel):
    """Who is meant: an address or network, or the name of a bot."""

    address: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None


class NewBan(Banned):
    """For how long (if left out, until the ban is lifted), and why: the banned are told."""

    minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] | None = None
    reason: Annotated[str, StringConstraints(max_length=200)] = ""


class BanView(ServerMessageModel):
    """A ban in force: of an address (a network) or of a name; without `until_ms` until it is lifted."""

    address: str | None
    name: str | None
    until_ms: Milliseconds | None
    reason: str
    at_ms: Milliseconds


class BanList(ServerMessageModel):
    """The bans that are in force, the newest first."""

    bans: list[BanView]


class RefusedBot(ServerMessageModel):
    """A bot whose login or `join` was refused `times` times for one reason, last at `at_ms` with this `message`.

    `tournament` is the one that it asked for, null if it named none; `address` is where it came from.
    """

    name: str
    address: str
    tournament: str | None
    code: str
    message: str
    at_ms: Milliseconds
    times: Count


class RefusedList(ServerMessageModel):
    """The refused bots, the latest first."""

    refused: list[RefusedBot]


class ReferenceBot(ServerMessageModel):
    """A reference bot that can be added."""

    bot: str
    about: str


class ReferenceBots(ServerMessageModel):
    """The reference bots that play a tournament's game, and how many house bots this server has room for."""

    bots: list[ReferenceBot]
    room: Count


class InviteAnswer(ServerMessageModel):
    """The code (null if none is needed), a link to the page, and the command of a bot that joins.

    The command has a name for the bot, another one each time. `only_here` is whether nobody but those at the server's
    own machine can open the link.
    """

    code: str | None
    link: str
    command: str
    only_here: bool = False


class LastFault(ServerMessageModel):
    """The newest match that a bot lost by its own fault."""

    match: str
    termination: Termination
    reason: str
    at_ms: Milliseconds


class OrganiserEntrant(ServerMessageModel):
    """One bot of the field, as its host sees it. `house` is the reference bot that plays, if it is a house bot.

    `open`: no key protects its name. `version` and `client` are what its login said. `bye_rounds` are the rounds of a
    Swiss to come in which it has a half-point bye.
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
    bye_rounds: list[Count]


class OrganiserTournament(TournamentSummary):
    """A tournament in a list, with what people call its game."""

    game_title: str


class OrganiserView(OrganiserTournament):
    """A tournament as its host sees it: every choice, and every bot. The code of an invitation is not in it."""

    reason: str
    by_invitation: bool
    config: TournamentConfig
    field: list[OrganiserEntrant]


class OrganiserTournaments(ServerMessageModel):
    """The listed tournaments, and the unlisted ones that are not over; newest first."""

    tournaments: list[OrganiserTournament]


class ForecastAnswer(ServerMessageModel):
    """What a tournament would come to if every bot plays one match at a time; `text` says it to people.

    `most_matches` with every tie of a knockout played again; `in_a_row`: how many matches are one after another;
    `plies`: of a match, as in random play. `quick_ms` if bots use a tenth of their time, `longest_ms` if all of it.
    """

    matches: Count
    most_matches: Count
    in_a_row: Count
    plies: Count
    quick_ms: Milliseconds
    longest_ms: Milliseconds
    text: str


class OrganiserAnswer(ServerMessageModel):
    """The server that the token is for."""

    version: str
    connected: Count
    matches: Count
    house_room: Count


class NewHostToken(RequestModel):
    """The name of a new token: whose it is."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]


class MadeHostToken(ServerMessageModel):
    """A new token, which is shown this once."""

    name: str
    token: str


class HostToken(ServerMessageModel):
    """A token by its name, and when it was made."""

    name: str
    since_ms: Milliseconds
    own: bool


class HostTokens(ServerMessageModel):
    """The tokens that are valid."""

    tokens: list[HostToken]
