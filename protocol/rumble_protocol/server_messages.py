"""The messages that the server sends to a bot."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field
from rumble_engine import Termination

from rumble_protocol.clubs import MAIN, ClubName
from rumble_protocol.codes import ErrorCode, NoticeCode, Rejection
from rumble_protocol.fields import AwayClock, Count, Milliseconds, Seat, ServerMessageModel, Settings, ToldTimeControl
from rumble_protocol.limits import Limits as Limits

TournamentStatus = Literal["lobby", "running", "paused", "finished", "cancelled"]
OVER: tuple[TournamentStatus, ...] = ("finished", "cancelled")
"""Statuses of a tournament that goes on no more."""

_Open = Field(union_mode="left_to_right", description="A later server of version 1 may send others.")


def _absent() -> Any:
    """Return the definition of a field that a frame leaves out if the field is None."""
    return Field(default=None, exclude_if=lambda value: value is None)


ToldRejection = Annotated[Rejection | str, _Open]
ToldErrorCode = Annotated[ErrorCode | str, _Open]
ToldNoticeCode = Annotated[NoticeCode | str, _Open]
ToldTermination = Annotated[Termination | str, _Open]
"""A termination in a message: a known code, or any other text, because a later server may send new codes."""


class Welcome(ServerMessageModel):
    """The first frame of a connection.

    `features` lists additions since version 1.0. `identity` is a random text, different for each club.
    """

    type: Literal["welcome"] = "welcome"
    protocol: int = 1
    server: str
    features: list[str] = Field(default_factory=list)
    limits: Limits
    games: list[str]
    identity: str = ""
    club: ClubName = MAIN


class TournamentSummary(ServerMessageModel):
    """A tournament in which the bot is an entrant."""

    id: str
    game: str
    status: TournamentStatus


class Session(ServerMessageModel):
    """Answers `login`. `open` is true where no key protects the name; `matches` are the bot's open matches.

    `made_key` is a secret made by Rumble, valid beside the key of the login; only a login with `exchange_key` gets a
    `made_key`.
    """

    type: Literal["session"] = "session"
    name: str
    open: bool
    max_matches: Count
    matches: list[str]
    tournaments: list[TournamentSummary]
    made_key: str | None = _absent()


class Joined(ServerMessageModel):
    """The bot is in the tournament."""

    type: Literal["joined"] = "joined"
    tournament: str
    game: str
    settings: Settings
    time_control: ToldTimeControl
    status: TournamentStatus
    away_clock: AwayClock = "stands"


class Left(ServerMessageModel):
    """The bot is no longer in the tournament."""

    type: Literal["left"] = "left"
    tournament: str
    game: str
    settings: Settings
    time_control: ToldTimeControl
    status: TournamentStatus
    away_clock: AwayClock = "stands"


class MatchStart(ServerMessageModel):
    """A match begins, or (`resumed`) goes on. `moves` are the opening, or all moves so far."""

    type: Literal["match_start"] = "match_start"
    match: str
    attempt: Count
    tournament: str
    game: str
    settings: Settings
    seat: Seat
    seats: list[str]
    time_control: ToldTimeControl
    moves: list[str]
    resumed: bool
    away_clock: AwayClock = "stands"
    seed_commitment: str | None = _absent()


class TurnClock(ServerMessageModel):
    """Times in ms at the moment when the turn is asked. `remaining_ms` is the bot's move time and bank together."""

    remaining_ms: Milliseconds
    seats_ms: list[Milliseconds]
    lag_ms: Milliseconds


class Turn(ServerMessageModel):
    """The bot's move is due. The message is a full snapshot.

    `legal` or `moves` is absent if the login's field `omit` names it.
    """

    type: Literal["turn"] = "turn"
    match: str
    attempt: Count
    turn_id: str
    game: str
    ply: Count
    seat: Seat
    state: dict[str, Any]
    legal: list[str] = Field(default_factory=list)
    moves: list[str] = Field(default_factory=list)
    clock: TurnClock
    legal_complete: bool = Field(default=True, exclude_if=bool)
    since: list[tuple[Seat | None, str]] | None = _absent()


class Rejected(ServerMessageModel):
    """Answers a `move` that does not count."""

    type: Literal["rejected"] = "rejected"
    match: str
    turn_id: str
    code: ToldRejection
    message: str
    your_turn: bool
    remaining_ms: Milliseconds | None


class Fall(ServerMessageModel):
    """A seat that fell out of a match: it was not asked from `ply` on, and finished behind the seats that stayed."""

    seat: Seat
    ply: Count
    termination: ToldTermination


class MatchOver(ServerMessageModel):
    """The match has an outcome. `scores` is null if the match is void (a void match is played again)."""

    type: Literal["match_over"] = "match_over"
    match: str
    attempt: Count
    scores: list[float] | None
    winner: Seat | None
    termination: ToldTermination
    reason: str
    moves: list[str]
    state: dict[str, Any]
    places: list[Count] | None = _absent()
    payoffs: list[float] | None = _absent()
    falls: list[Fall] | None = _absent()
    seed: str | None = _absent()


class TournamentOver(ServerMessageModel):
    """The tournament has ended. `rank` is the bot's rank among `bots` bots."""

    type: Literal["tournament_over"] = "tournament_over"
    tournament: str
    status: TournamentStatus
    rank: Count
    bots: Count
    points: float


class Notice(ServerMessageModel):
    """News for the bot or its owner. A notice needs no answer."""

    type: Literal["notice"] = "notice"
    code: ToldNoticeCode
    tournament: str | None = None
    match: str | None = None
    message: str
    seat: Seat | None = _absent()


class FieldProblem(ServerMessageModel):
    """A field of a refused message, and the problem with its value."""

    field: str
    problem: str


class Error(ServerMessageModel):
    """A message was refused. After a `fatal` error the server closes the connection."""

    type: Literal["error"] = "error"
    code: ToldErrorCode
    message: str
    detail: list[FieldProblem] = Field(default_factory=list)
    fatal: bool = False


ServerMessage = Annotated[
    Welcome | Session | Joined | Left | MatchStart | Turn | Rejected | MatchOver | TournamentOver | Notice | Error,
    Field(discriminator="type"),
]
"""Any message of the server. The field `type` names the kind of message."""
SERVER_MESSAGES: tuple[type[ServerMessageModel], ...] = get_args(get_args(ServerMessage)[0])
