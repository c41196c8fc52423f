"""The messages that a bot sends."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from rumble_protocol import fields


class Login(fields.BotMessageModel):
    """First message of a connection: the bot's name, key and wishes. Answered by `session`, or by `error`.

    The server answers `bad_name` to a `name` that breaks the rule for names. `exchange_key` asks for the `made_key`
    of `session`. With `follow` the bot stays after a tournament's end, to be moved to the host's next tournament.
    """

    type: Literal["login"] = "login"
    name: fields.WantedName
    key: fields.Key | None = None
    version: fields.ShortText | None = None
    client: fields.ShortText | None = None
    games: list[fields.ShortText] | None = Field(default=None, max_length=256, fail_fast=True)
    max_matches: Annotated[fields.Count, Field(ge=1)] = 1
    join: fields.TournamentId | None = None
    invite: fields.ShortText | None = None
    challenges: bool = False
    omit: list[Literal["legal", "moves"]] = Field(default_factory=list, max_length=2, fail_fast=True)
    worker: fields.Name | None = None
    exchange_key: bool | None = None
    follow: bool | None = None


class Join(fields.BotMessageModel):
    """Enter a tournament. Idempotent. Answered by `joined`, or by `error`."""

    type: Literal["join"] = "join"
    tournament: fields.TournamentId
    invite: fields.ShortText | None = None


class Leave(fields.BotMessageModel):
    """Leave a tournament for good. Answered by `left`, or by `error`."""

    type: Literal["leave"] = "leave"
    tournament: fields.TournamentId
    invite: fields.ShortText | None = None


class Move(fields.BotMessageModel):
    """Answers a `turn`. `move` is text in the game's notation; `note` and `info` are public after the match."""

    type: Literal["move"] = "move"
    match: fields.MatchId
    turn_id: fields.TurnId
    move: str
    note: fields.Note | None = None
    info: fields.MoveInfo | None = None


class Resign(fields.BotMessageModel):
    """Give a match up, at any time. Answered by `match_over`, or by `error`.

    `failed` means that the bot's program raised an error, so the match is lost as `crashed`, by the bot's own fault.
    `reason` is for the bot's owner and the host.
    """

    type: Literal["resign"] = "resign"
    match: fields.MatchId
    reason: fields.Reason | None = None
    failed: bool | None = None


class Challenge(fields.BotMessageModel):
    """Ask for an unlisted, unrated match. Answered by `joined`, or by `error`. Without `seat`, seats are drawn by lot.

    `others` are further opponents at a table; None stands for a house bot.
    """

    type: Literal["challenge"] = "challenge"
    against: fields.WantedName
    game: fields.ShortText
    settings: fields.Settings | None = None
    seat: fields.Seat | None = None
    time_control: fields.TimeControl | None = None
    others: Annotated[list[fields.WantedName | None], Field(max_length=14)] | None = None


BotMessage = Annotated[Login | Join | Leave | Move | Resign | Challenge, Field(discriminator="type")]
"""Any message of a bot, told apart by `type`."""
BOT_MESSAGES: tuple[type[fields.BotMessageModel], ...] = get_args(get_args(BotMessage)[0])
