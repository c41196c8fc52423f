"""The public models of the HTTP API that are not models of the feed (`rumble_protocol.feed_messages`)."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from rumble_engine import Drawing, Path, Termination
from rumble_protocol.codec import MOST_FIELDS
from rumble_protocol.feed_messages import Away, Standing, TournamentSummary
from rumble_protocol.fields import (
    Count,
    DisplayName,
    DisplayNames,
    Milliseconds,
    MoveInfo,
    Seat,
    ServerMessageModel,
    Settings,
    SettingValue,
    ShortText,
    ToldTimeControl,
)
from rumble_protocol.secret import is_made
from rumble_protocol.server_messages import TournamentStatus

MOST_ASKED_MOVES = 4096
"""Maximum number of moves in a question about a position."""


class RequestModel(BaseModel):
    """Base class of request bodies: no coercion and no unknown fields, so that a typo is an error."""

    model_config = ConfigDict(strict=True, extra="forbid")


class TournamentList(ServerMessageModel):
    """The listed tournaments, newest first."""

    tournaments: list[TournamentSummary]


class StandingsAnswer(ServerMessageModel):
    """The standings by rank, and the edition of the tie-break rules."""

    status: TournamentStatus
    standings: list[Standing]
    tiebreak_rules: str = ""


class MatchAttempt(ServerMessageModel):
    """An attempt at a match, with its outcome. `scores` is null if the attempt is void.

    `started_at_ms` is null if the match never began.
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
    """A part of the list of matches that are over, in the order of their ends.

    `total` is the length of the whole list, without `offset` and `limit`.
    """

    total: Count
    matches: list[MatchAttempt]


class RatingLine(ServerMessageModel):
    """A bot's rating and its 95% interval (low, high). Both are null for a bot without a rating.

    The `notes` of `RatingsAnswer` give the reason why a bot has no rating.
    """

    name: str
    rating: float | None
    interval: list[float] | None
    matches: Count


class RatingsAnswer(ServerMessageModel):
    """The ratings, highest first. `model` describes the rating model. `prior_reason` is empty without a prior."""

    model: str
    prior: bool
    prior_reason: str
    first_move: float | None
    first_move_interval: list[float] | None
    notes: list[str]
    ratings: list[RatingLine]
    superiority: dict[str, dict[str, float]]


class AuditFlag(ServerMessageModel):
    """A sign of unfairness: uneven seats, uneven numbers of meetings, a bot passed over, or a needless wait."""

    kind: Literal["seats", "company", "passed_over", "needless_wait"]
    bot: str
    message: str


class AuditedBot(ServerMessageModel):
    """The audit of a bot. `waits_for` has the next opponents, each with its obstacle: `playing`, `away` or `nothing`.

    `excused_ms` is the time by which delays of the server prolonged the bot's thinking. `drops` counts the connections
    lost on the bot's own turn.
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
    """The fairness audit. `repeated` counts the matches that repeat the seats and the moves of an earlier match.

    `void` counts, by match, void attempts and results that the host made void. Other matches are left out.
    """

    fair: bool
    matches: Count
    distinct: Count
    repeated: Count
    void: dict[str, Count]
    flags: list[AuditFlag]
    bots: dict[str, AuditedBot]


class MatchView(ServerMessageModel):
    """A match.

    During the match, the seats of `thinking` are to move, and `seat` is the first of them. `seats_ms` are the clocks
    at `at_ms`; the clocks of `thinking` run if `ticking`.
    `away` is empty while all bots are connected, and otherwise has an entry for each seat. `position` is in the game's
    notation. In a hidden game, `position` is empty until the match is over, and `?` stands for hidden words of
    `moves`. The first `opening` moves are the opening.

    After the match, `at_fault` are the seats whose fault ended the match. These fields then have an entry for each ply:
    the bots' `notes` and thoughts (`infos`), the moves as people write them (`written`, for chess SAN), the seats that
    moved (`movers`), and the thinking times (`thought_ms`, null for the opening).

    `absent` are the bots of a table that were gone before the match; they count as last. `display_names` has the
    display names by the names of the bots; it is absent if no bot of the match has one.
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
    thinking: list[Seat]
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
    absent: list[str] = Field(default_factory=list)
    display_names: DisplayNames


class SettingView(ServerMessageModel):
    """A setting of a game. An integer may have bounds, and a text may have choices; else these fields are null."""

    default: SettingValue
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: list[str] | None = None


class GameView(ServerMessageModel):
    """A game that can be played here. `marks` are the seats' signs in texts, `seat_names` their names for people."""

    name: str
    title: str
    marks: list[str]
    seat_names: list[str]
    settings: dict[str, SettingView]


class GameList(ServerMessageModel):
    """The games that can be played here."""

    games: list[GameView]


class Opponent(ServerMessageModel):
    """A bot that takes challenges. `house` is the reference bot that plays, if the bot is a house bot; else null.

    `about` is a line for people, `games` are the games that the bot plays, and `free` is true if a match would start at
    once. `display_name` is absent for a bot that people know by its name.
    """

    name: str
    house: str | None
    about: str
    games: list[str]
    free: bool
    display_name: DisplayName = None


class OpponentList(ServerMessageModel):
    """The bots that take challenges now: house bots from the weakest to the strongest, then other bots by name."""

    opponents: list[Opponent]


class PlyBoard(ServerMessageModel):
    """The board after some plies. `diagram` is null if the game has a drawing; `position` is in the game's notation,
    and empty during a match of a hidden game.
    """

    board: str
    last: list[Count]
    diagram: str | None
    position: str


class MatchBoards(ServerMessageModel):
    """Boards of a match from ply `first` on. The match has `plies` moves so far.

    To draw an entry of `boards`, put its `board` and `last` into `drawing`. A void match is played again as the next
    `attempt`. These fields have an entry for each move so far: the moves as people write them (`written`, for chess
    SAN), the seats that moved (`movers`), and the thinking times (`thought_ms`, null for the opening).
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
    """A position in the form of a turn's `state`; `settings` fill in the fields that `state` leaves out.

    `legal` are the moves whose cells are wanted (if left out, the legal moves of all seats to move); `last_move` is the
    move to mark, and `try_move` a move to judge.
    """

    state: dict[str, Any]
    settings: Settings = Field(default_factory=dict)
    legal: list[ShortText] | None = Field(default=None, max_length=MOST_ASKED_MOVES, fail_fast=True)
    last_move: ShortText | None = None
    try_move: ShortText | None = None

    @model_validator(mode="before")
    @classmethod
    def _few(cls, given: Any) -> Any:
        """Return `given` unchanged. Raises ValueError for too many fields or settings.

        The validation of so many fields or settings would take long.
        """
        for each in (given, given.get("settings")) if isinstance(given, dict) else ():
            if isinstance(each, dict) and len(each) > MOST_FIELDS:
                raise ValueError(f"there are at most {MOST_FIELDS} fields, and as many settings")
        return given


class BoardAnswer(ServerMessageModel):
    """A board, with the moves that can be made on the board. `moves` has the clicks for each move. A click is given as
    a list of cells, and each of the cells can be clicked.

    `spellings` has the moves that people write in other ways, each with its texts, the usual text first. `keys` has the
    moves that people make by a single key, each with its `KeyboardEvent.key`. `refusal` is the reason why `try_move` is
    not allowed; null if it is allowed, or if the server cannot tell.
    """

    drawing: Drawing | None
    diagram: str
    moves: dict[str, Path]
    spellings: dict[str, list[str]]
    keys: dict[str, str]
    refusal: str | None = None


class JoinView(ServerMessageModel):
    """The tournament of a join code."""

    tournament: str
    title: str
    game: str
    settings: Settings
    status: TournamentStatus


class JoinRequest(RequestModel):
    """A pupil's request to join by a join code. `key` is a secret, made by the page, that protects the pupil's name."""

    code: str = Field(max_length=64)
    display_name: str = Field(max_length=200)
    key: str = Field(max_length=64)

    @field_validator("key")
    @classmethod
    def _is_made(cls, given: str) -> str:
        if not is_made(given):
            raise ValueError("a key is made by the page: rumble_ and 40 hexadecimal digits, the last 8 a checksum")
        return given


class JoinAnswer(ServerMessageModel):
    """A pupil in the field of a tournament. The pupil's bot logs in with `name` and the key."""

    name: str
    display_name: str
    tournament: str
    title: str
    game: str


class SlipCode(RequestModel):
    """The one-time code of a pupil's slip."""

    code: str = Field(max_length=64)


class RedeemAnswer(JoinAnswer):
    """A pupil who has redeemed a slip, with the new key of the name."""

    key: str


class BotName(RequestModel):
    """The name of the bot that a command is about."""

    name: str = Field(min_length=1, max_length=64)


class MatchNamed(RequestModel):
    """The id of the match that a command is about."""

    match: str = Field(min_length=1, max_length=128)


class Pause(RequestModel):
    """The reason of a pause. The bots get the reason, too."""

    reason: str = Field(default="the host paused it", min_length=1, max_length=200)


class DoneAnswer(ServerMessageModel):
    """The answer to a command that has no other result."""

    message: str


class Health(ServerMessageModel):
    """The answer of a probe; `reason` is empty if `status` is `ok`."""

    status: Literal["ok", "unavailable"]
    reason: str


class Readiness(Health):
    """The readiness of the server to start matches. `leads` are the names of the clubs that this process leads now."""

    leads: list[str]
