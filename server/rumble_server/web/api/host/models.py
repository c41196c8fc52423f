"""The models of the HTTP API for hosts: bodies of commands, and answers that only hosts see."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints
from rumble_engine import Termination
from rumble_protocol.feed_messages import TournamentSummary
from rumble_protocol.fields import NAME_PATTERN, Count, DisplayName, Key, Milliseconds, ServerMessageModel

from rumble_server.arena.house import MOST_ADDED
from rumble_server.tournament.config import MOST_BOTS, TournamentConfig
from rumble_server.web.api.models import RequestModel

MOST_MINUTES = 10 * 366 * 24 * 60
"""Length in minutes of the longest ban that has an end: ten years."""


class AddHouseBots(RequestModel):
    """House bots to add: the reference bot that plays, and the number of house bots.

    `name` is the name of the house bot. Several house bots are `name-1`, `name-2` and so on. If `name` is left out, the
    server makes names.
    """

    bot: Annotated[str, Field(min_length=1, max_length=64)]
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    count: Annotated[int, Field(ge=1, le=MOST_ADDED)] = 1


class ChangeInvite(RequestModel):
    """A new invitation code. If `code` is left out, the server makes a code; if `code` is null, bots need no code."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None


class Start(RequestModel):
    """A start. With `without_absent`, bots that are not connected are taken out first, as if they had left."""

    without_absent: bool = False


class Again(RequestModel):
    """The next tournament of the same pupils: of all of them, or of the best `top` of the standings.

    All other fields change the configuration, which is copied from the last tournament.
    """

    model_config = ConfigDict(extra="allow")

    top: Annotated[int, Field(ge=2, le=MOST_BOTS)] | None = None


class Roster(RequestModel):
    """The names of the pupils who should come, as the host writes them; at most 500."""

    names: Annotated[list[Annotated[str, StringConstraints(min_length=1, max_length=64)]], Field(max_length=500)]


class SlipAnswer(ServerMessageModel):
    """A new slip of a pupil. `code` can be used once, before `until_ms`; no other answer shows the code."""

    name: str
    display_name: DisplayName = None
    code: str
    until_ms: Milliseconds


class HostMessage(RequestModel):
    """A message of the host to every bot of a tournament."""

    message: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class HalfBye(RequestModel):
    """A half-point bye in a Swiss: the bot, and the round, counted from 1. With `take_back` the bye is taken back."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    round: Annotated[int, Field(ge=1, le=1000)]
    take_back: bool = False


class NewKey(RequestModel):
    """The key that protects a name from now on. If `key` is left out, the next login claims the name."""

    key: Key | None = None


class BanSubject(RequestModel):
    """The subject of a ban: an address or network, or the name of a bot."""

    address: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None


class NewBan(BanSubject):
    """A new ban. If `minutes` is left out, the ban has no end. The server sends `reason` to the bot."""

    minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] | None = None
    reason: Annotated[str, StringConstraints(max_length=200)] = ""


class BanView(ServerMessageModel):
    """A ban in force: of an address or a network (`address`), or of a bot (`name`).

    If `until_ms` is null, the ban lasts until a host lifts it.
    """

    address: str | None
    name: str | None
    until_ms: Milliseconds | None
    reason: str
    at_ms: Milliseconds


class BanList(ServerMessageModel):
    """The bans in force, the newest first."""

    bans: list[BanView]


class RefusedBot(ServerMessageModel):
    """A bot whose login or `join` was refused; `times` is the number of refusals for the same reason.

    `at_ms` and `message` are from the newest refusal. `tournament` is the tournament that the bot asked for, or null.
    A refusal with another `address`, `tournament` or `code` belongs to another entry.
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
    """A reference bot that can be added to a tournament as a house bot."""

    bot: str
    about: str


class ReferenceBots(ServerMessageModel):
    """The reference bots that play a tournament's game; `room` is the number of house bots that may still be added."""

    bots: list[ReferenceBot]
    room: Count


class InviteAnswer(ServerMessageModel):
    """An invitation: the code (null if bots need no code), a link to the page, and the command that starts a bot.

    The command has a new made-up name for the bot in each answer. `only_here` is true if the link can be opened only on
    the server's own machine. While the door is open, `door` has the join code and the link for pupils, else null.
    """

    code: str | None
    link: str
    command: str
    only_here: bool = False
    door: "DoorAnswer | None" = None


class ChangeDoor(RequestModel):
    """The choice whether pupils may join by a join code. With `open`, the server makes a new code."""

    open: bool


class DoorAnswer(ServerMessageModel):
    """The join code, null while the door is closed, and the link to the page on which pupils join."""

    code: str | None
    link: str


class LastFault(ServerMessageModel):
    """The newest match that a bot lost by its own fault. `failure` is the error of a bot that crashed, else empty."""

    match: str
    termination: Termination
    reason: str
    failure: str
    at_ms: Milliseconds


class OrganiserEntrant(ServerMessageModel):
    """A bot of the field, as the host sees it. `house` is the reference bot that plays, if the bot is a house bot.

    `open` is true if no key protects the name. `version` and `client` are from the bot's login. `bye_rounds` are the
    coming rounds of a Swiss in which the bot has a half-point bye. `by_code` is true for a pupil, who came by a join
    code. `display_name` is absent for a bot that people know by its name.
    """

    name: str
    display_name: DisplayName = None
    by_code: bool = False
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
    """A tournament in a list, with the title of its game."""

    game_title: str


class OrganiserView(OrganiserTournament):
    """A tournament as its host sees it: the configuration (without the invitation code), and every bot."""

    reason: str
    by_invitation: bool
    config: TournamentConfig
    field: list[OrganiserEntrant]
    roster: list[str]


class OrganiserTournaments(ServerMessageModel):
    """The listed tournaments, and the newest unlisted tournaments; newest first."""

    tournaments: list[OrganiserTournament]


class ForecastAnswer(ServerMessageModel):
    """The forecast of a tournament, if every bot plays one match at a time; `text` is the forecast in words.

    `most_matches` is the number of matches if every tie of a knockout is played again as often as allowed. `in_a_row`
    is the number of steps in which all matches can be played, with at most one match of each bot in a step. `plies` is
    the length of a match in random play. `quick_ms` is the time if bots use a tenth of their clocks and no tie is
    played again. `longest_ms` is the time if bots use all of their clocks and every tie is played again.
    """

    matches: Count
    most_matches: Count
    in_a_row: Count
    plies: Count
    quick_ms: Milliseconds
    longest_ms: Milliseconds
    text: str


class OrganiserAnswer(ServerMessageModel):
    """The answer to a check of a host token.

    `version` is the server's version. `connected` bots are logged in to the club, and play `matches` matches now.
    `house_room` is the number of house bots that may still be added. `reached` is true if another machine has reached
    this server since its start.
    """

    version: str
    connected: Count
    matches: Count
    house_room: Count
    reached: bool


class NewHostToken(RequestModel):
    """The name of a new token, such as the name of its holder."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]


class MadeHostToken(ServerMessageModel):
    """A new token. No other answer shows the token."""

    name: str
    token: str


class HostTokenAnswer(ServerMessageModel):
    """A valid host token: its name, the time at which it was made, and `own`, true for the token of this request."""

    name: str
    since_ms: Milliseconds
    own: bool


class HostTokensAnswer(ServerMessageModel):
    """The valid host tokens."""

    tokens: list[HostTokenAnswer]
