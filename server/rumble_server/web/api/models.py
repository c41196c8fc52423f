"""The models of the HTTP API that the feed does not have."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from rumble_engine import Drawing, Path, Termination
from rumble_protocol.codec import MOST_FIELDS
from rumble_protocol.feed_messages import Away, Standing, TournamentSummary
from rumble_protocol.fields import (
    Count,
    Milliseconds,
    MoveInfo,
    Seat,
    ServerMessageModel,
    Settings,
    SettingValue,
    ShortText,
    ToldTimeControl,
)
from rumble_protocol.server_messages import TournamentStatus

MOST_LEGAL = 4096
"""Maximum number of moves in one question about a position."""


class RequestModel(BaseModel):
    """Base class of what a client sends: no coercion, and no unknown fields, so that a typo is an error."""

    model_config = ConfigDict(strict=True, extra="forbid")


class TournamentList(ServerMessageModel):
    """The listed tournaments, newest first."""

    tournaments: list[TournamentSummary]


class StandingsAnswer(ServerMessageModel):
    """The standings by rank, and the edition of the rules by which ties are broken."""

    status: TournamentStatus
    standings: list[Standing]
    tiebreak_rules: str = ""


class Result(ServerMessageModel):
    """One attempt at a match, with its outcome. `scores` is null if it is void.

    `started_at_ms` is null if it never began.
    """

    id: str
    attempt: Count
    seats: list[str]
    scores: list[float] | None
    termination: Termination
    reason: str
    moves: list[str]
    started_at_ms: Milliseconds | None = None
    ended_at_ms: Milliseconds | None = None


class MatchList(ServerMessageModel):
    """Some of the matches that are over, in the order in which they ended; `total` counts all that fit the question."""

    total: Count
    matches: list[Result]


class RatingLine(ServerMessageModel):
    """One bot's rating and its 95% interval (low, high); null where there is none: `notes` says why."""

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
    """Something that a fair tournament would not do."""

    kind: Literal["seats", "passed_over", "needless_wait"]
    bot: str
    message: str


class AuditedBot(ServerMessageModel):
    """The audit of one bot. `waits_for`: its next opponents, and what keeps each (`playing`, `away` or `nothing`).

    `excused_ms`: time in which it could think on while the server was late; `drops`: on its own turn.
    """

    matches: Count
    seats: list[Count]
    faults: dict[str, Count]
    longest_wait_ms: Milliseconds
    waited_for: str | None
    needless_wait_ms: Milliseconds
    passed_over: Count
    waits_since_ms: Milliseconds | None
    waits_for: dict[str, str]
    excused_ms: Milliseconds
    drops: Count


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
    `ticking`. When it is over, `notes` and `infos` have by ply what the bots said of their moves, `written` the moves
    as people write them (chess: SAN), `movers` the seats that made them, `thought_ms` how long each took (null: the
    opening), and `at_fault` the seats whose fault ended it. The first `opening` moves are the opening. `position` is
    in the game's notation. `away` is empty while all its bots are connected; else it tells of each whether it is away.
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
    infos: list[MoveInfo | None]
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
    written: list[str] | None = None
    movers: list[Seat] | None = None
    thought_ms: list[Milliseconds | None] | None = None
    away: list[Away | None] = Field(default_factory=list)


class SettingView(ServerMessageModel):
    """One setting of a game: its default, and its bounds (integers) or choices (texts); null where there are none."""

    default: SettingValue
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: list[str] | None = None


class GameView(ServerMessageModel):
    """A game that can be played here. By seat: `marks` are the signs in texts, `seat_names` the words for people."""

    name: str
    title: str
    marks: list[str]
    seat_names: list[str]
    settings: dict[str, SettingView]


class GameList(ServerMessageModel):
    """The games that can be played here."""

    games: list[GameView]


class Opponent(ServerMessageModel):
    """A bot that takes challenges. `house` is the reference bot that plays, if it is a house bot; else null.

    `about` is a line for people, `games` are those that it plays, `free` says whether a match would start at once.
    """

    name: str
    house: str | None
    about: str
    games: list[str]
    free: bool


class OpponentList(ServerMessageModel):
    """The bots that take challenges now: first house bots, from the weakest to the strongest, then others by name."""

    opponents: list[Opponent]


class PlyBoard(ServerMessageModel):
    """The board after some plies. `diagram` is null where there is a drawing; `position` is in the game's notation."""

    board: str
    last: list[Count]
    diagram: str | None
    position: str


class MatchBoards(ServerMessageModel):
    """Boards of a match from ply `first` on. The match has `plies` moves so far.

    Each board is `drawing` with its own `board` and `last`. A void match is played again as the next `attempt`.
    `written` has all its moves as people write them (chess: SAN), `movers` the seats that made them, and `thought_ms`
    how long each took (null: the opening).
    """

    match: str
    attempt: Count
    plies: Count
    first: Count
    drawing: Drawing | None
    boards: list[PlyBoard]
    written: list[str]
    movers: list[Seat]
    thought_ms: list[Milliseconds | None]


class BoardQuestion(RequestModel):
    """A position, as the `state` of a turn has it; `settings` fill in what it leaves out.

    `legal` are the moves whose cells are wanted (if left out, all legal moves); `last_move` is the move to mark.
    """

    state: dict[str, Any]
    settings: Settings = Field(default_factory=dict)
    legal: list[ShortText] | None = Field(default=None, max_length=MOST_LEGAL, fail_fast=True)
    last_move: ShortText | None = None

    @model_validator(mode="before")
    @classmethod
    def _few(cls, given: Any) -> Any:
        """Count fields and settings before they are validated."""
        for each in (given, given.get("settings")) if isinstance(given, dict) else ():
            if isinstance(each, dict) and len(each) > MOST_FIELDS:
                raise ValueError(f"there are at most {MOST_FIELDS} fields, and as many settings")
        return given


class BoardAnswer(ServerMessageModel):
    """A board to show and to move on. `moves` has for each move, click by click, the cells that may be clicked.

    `spellings` has the moves that people write in another way: for each the texts that mean it, the usual one first.
    """

    drawing: Drawing | None
    diagram: str
    moves: dict[str, Path]
    spellings: dict[str, list[str]]


class BotName(RequestModel):
    """The bot that a command is about."""

    name: str = Field(min_length=1, max_length=64)


class MatchId(RequestModel):
    """The match that a command is about."""

    match: str = Field(min_length=1, max_length=128)


class Pause(RequestModel):
    """The reason of a pause, as the bots are told it."""

    reason: str = Field(default="the host paused it", min_length=1, max_length=200)


class Done(ServerMessageModel):
    """The answer to a command that leaves nothing to show."""

    message: str


class Health(ServerMessageModel):
    """Whether the server runs, or starts matches."""

    status: Literal["ok", "unavailable"]
    reason: str


class Readiness(Health):
    """Whether the server starts matches, and which clubs it leads at this moment, if it is one of several."""

    leads: list[str]
