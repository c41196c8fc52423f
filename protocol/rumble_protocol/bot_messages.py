"""The messages that a bot sends."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from rumble_protocol.fields import (
    BotMessageModel,
    Count,
    Key,
    MatchId,
    MoveInfo,
    Name,
    Note,
    Reason,
    Seat,
    Settings,
    ShortText,
    TimeControl,
    TournamentId,
    TurnId,
    WantedName,
)


class Login(BotMessageModel):
    """First message of a connection: the bot's name, key and wishes. Answered by `session`, or by `error`.

    The server answers `bad_name` to a `name` that breaks the rule for names. `exchange_key` asks for the `made_key`
    of `session`. With `follow` the bot stays after a tournament's end, to be moved to the host's next tournament.
    """

    type: Literal["login"] = "login"
    name: WantedName
    key: Key | None = None
    version: ShortText | None = None
    client: ShortText | None = None
    games: list[ShortText] | None = Field(default=None, max_length=256, fail_fast=True)
    max_matches: Annotated[Count, Field(ge=1)] = 1
    join: TournamentId | None = None
    invite: ShortText | None = None
    challenges: bool = False
    omit: list[Literal["legal", "moves"]] = Field(default_factory=list, max_length=2)
    worker: Name | None = None
    exchange_key: bool | None = None
    follow: bool | None = None


class Join(BotMessageModel):
    """Enter a tournament. Idempotent. Answered by `joined`, or by `error`."""

    type: Literal["join"] = "join"
    tournament: TournamentId
    invite: ShortText | None = None


class Leave(BotMessageModel):
    """Leave a tournament for good. Answered by `left`, or by `error`."""

    type: Literal["leave"] = "leave"
    tournament: TournamentId
    invite: ShortText | None = None


class Move(BotMessageModel):
    """Answers a `turn`. `move` is text in the game's notation; `note` and `info` are public after the match."""

    type: Literal["move"] = "move"
    match: MatchId
    turn_id: TurnId
    move: str
    note: Note | None = None
    info: MoveInfo | None = None


class Resign(BotMessageModel):
    """Give a match up, at any time. Answered by `match_over`, or by `error`.

    `failed` means that the bot's program raised an error, so the match is lost as `crashed`, by the bot's own fault.
    `reason` is for the bot's owner and the host.
    """

    type: Literal["resign"] = "resign"
    match: MatchId
    reason: Reason | None = None
    failed: bool | None = None


class Challenge(BotMessageModel):
    """Ask for an unlisted, unrated match. Answered by `joined`, or by `error`. Without `seat`, seats are drawn by lot.

    `others` are further opponents at a table; None stands for a house bot.
    """

    type: Literal["challenge"] = "challenge"
    against: WantedName
    game: ShortText
    settings: Settings | None = None
    seat: Seat | None = None
    time_control: TimeControl | None = None
    others: Annotated[list[WantedName | None], Field(max_length=14)] | None = None


BotMessage = Annotated[Login | Join | Leave | Move | Resign | Challenge, Field(discriminator="type")]
"""Any message of a bot, told apart by `type`."""
BOT_MESSAGES: tuple[type[BotMessageModel], ...] = get_args(get_args(BotMessage)[0])
