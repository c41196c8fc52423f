"""What the HTTP API answers, where the feed has no model for it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rumble_engine import Drawing, Path, Termination
from rumble_protocol.feed_messages import Standing, TournamentSummary
from rumble_protocol.fields import (
    Count,
    Milliseconds,
    Seat,
    ServerMessageModel,
    Settings,
    SettingValue,
    ShortText,
    ToldTimeControl,
)
from rumble_protocol.server_messages import TournamentStatus

MOST_LEGAL = 4096
"""Moves of one position that are asked about."""


class TournamentList(ServerMessageModel):
    """The tournaments that are listed, newest first."""

    tournaments: list[TournamentSummary]


class StandingsAnswer(ServerMessageModel):
    """The standings by rank."""

    status: TournamentStatus
    standings: list[Standing]


class Result(ServerMessageModel):
    """One attempt at a match that is over. `scores` is null if it is void."""

    id: str
    attempt: Count
    seats: list[str]
    scores: list[float] | None
    termination: Termination
    reason: str
    moves: list[str]


class MatchList(ServerMessageModel):
    """Some of the matches that are over, in order of finishing; `total` counts all that were asked for."""

    total: Count
    matches: list[Result]


class ExportDocument(ServerMessageModel):
    """A whole tournament: each finished match with the attempt that counts, and the `voided` ones."""

    tournament: dict[str, Any]
    standings: list[Standing]
    matches: list[Result]
    voided: list[Result]
    byes: dict[str, Count] = Field(default_factory=dict)
    """Of a Swiss: matches given as won, by name."""


class RatingLine(ServerMessageModel):
    """One bot's rating and its 95% interval (low, high); null where there is none to tell (see the `notes`)."""

    name: str
    rating: float | None
    interval: list[float] | None
    matches: Count


class RatingsAnswer(ServerMessageModel):
    """The ratings, highest first. `model` is in words; `prior_reason` is empty where no prior was needed."""

    model: str
    prior: bool
    prior_reason: str
    first_move: float | None
    first_move_interval: list[float] | None
    notes: list[str]
    ratings: list[RatingLine]
    superiority: dict[str, dict[str, float]]


class AuditFlag(ServerMessageModel):
    """Something that a fair tournament does not do."""

    kind: Literal["seats", "needless_wait", "passed_over", "behind"]
    bot: str
    message: str


class AuditedBot(ServerMessageModel):
    """What one bot got. `waits_for`: its opponents to come, and what keeps each (`playing`, `away` or `nothing`)."""

    matches: Count
    seats: list[Count]
    faults: dict[str, Count]
    longest_wait_ms: Milliseconds
    waited_for: str | None
    needless_wait_ms: Milliseconds
    passed_over: Count
    waits_since_ms: Milliseconds | None
    waits_for: dict[str, str]


class AuditAnswer(ServerMessageModel):
    """The fairness audit. `repeated` matches had the seats and moves of an earlier one."""

    fair: bool
    matches: Count
    distinct: Count
    repeated: Count
    flags: list[AuditFlag]
    bots: dict[str, AuditedBot]


class MatchView(ServerMessageModel):
    """One match. While it runs, `seat` is to move and `seats_ms` are the clocks at `at_ms`; that of `seat` runs if
    `ticking`. After it come `notes`, by ply, and `at_fault`, the seats whose fault ended it. The first `opening`
    moves were given. `position` is the game's own text for where it stands.
    """

    id: str
    tournament: str
    attempt: Count
    status: Literal["running", "over"]
    game: str
    settings: Settings
    time_control: ToldTimeControl
    seats: list[str]
    seat: Seat | None
    ply: Count
    opening: Count
    moves: list[str]
    notes: list[str | None]
    state: dict[str, Any]
    position: str
    diagram: str
    drawing: Drawing | None
    seats_ms: list[Milliseconds] | None
    ticking: bool
    at_ms: Milliseconds | None
    scores: list[float] | None
    winner: Seat | None
    termination: Termination | None
    reason: str
    at_fault: list[Seat]
    started_at_ms: Milliseconds
    ended_at_ms: Milliseconds | None


class SettingView(ServerMessageModel):
    """One setting of a game: what it is by default, and its bounds (integers) or choices (texts), null where none."""

    default: SettingValue
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: list[str] | None = None


class GameView(ServerMessageModel):
    """A game that can be played here; `marks` is how the pieces of each seat are written."""

    name: str
    title: str
    marks: list[str]
    settings: dict[str, SettingView]


class GameList(ServerMessageModel):
    """The games that can be played here."""

    games: list[GameView]


class Opponent(ServerMessageModel):
    """A bot that takes challenges. `house`: which reference bot plays, if it is one of this server's own; else null.

    `about` is a line for people, `games` are those that it plays, `free` is whether a match would start at once.
    """

    name: str
    house: str | None
    about: str
    games: list[str]
    free: bool


class OpponentList(ServerMessageModel):
    """The bots that take challenges now: those of the house first, the weakest first; then by name."""

    opponents: list[Opponent]


class PlyBoard(ServerMessageModel):
    """The board after some plies. `diagram` is null where there is a drawing; `position` is the game's own text."""

    board: str
    last: list[Count]
    diagram: str | None
    position: str


class MatchBoards(ServerMessageModel):
    """The boards of a match from ply `first`: at most some hundreds, `plies` tells how many moves there are.

    Each is `drawing` with its own `board` and `last`. A match that is void begins again as another `attempt`.
    """

    match: str
    attempt: Count
    plies: Count
    first: Count
    drawing: Drawing | None
    boards: list[PlyBoard]


class BoardQuestion(BaseModel):
    """A position, as the `state` of a turn has it; `settings` fill in what it leaves out.

    `legal` are the moves to give paths of (all, if it is left out); `last_move` led here, to be marked.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    state: dict[str, Any]
    settings: Settings = Field(default_factory=dict)
    legal: list[ShortText] | None = Field(default=None, max_length=MOST_LEGAL)
    last_move: ShortText | None = None


class BoardAnswer(ServerMessageModel):
    """A board to show and to move on. `moves`: by a move's text, for each click the cells that will do."""

    drawing: Drawing | None
    diagram: str
    moves: dict[str, Path]


class BotName(BaseModel):
    """Which bot a command is about."""

    model_config = ConfigDict(strict=True, extra="forbid")

    name: str = Field(min_length=1, max_length=64)


class MatchId(BaseModel):
    """Which match a command is about."""

    model_config = ConfigDict(strict=True, extra="forbid")

    match: str = Field(min_length=1, max_length=128)


class Pause(BaseModel):
    """Why the host pauses, if anybody should know."""

    model_config = ConfigDict(strict=True, extra="forbid")

    reason: str = Field(default="the host paused it", min_length=1, max_length=200)


class Done(ServerMessageModel):
    """A command that leaves nothing to show."""

    message: str


class Health(ServerMessageModel):
    """Whether the server lives, or takes part."""

    status: Literal["ok", "unavailable"]
    reason: str
