"""What spectators are sent: the events of a tournament's live feed, and the parts they are made of.

An event's name is its `type`. Each tells how things stand, not what to add: to hear one twice does no harm. Times
(`_at_ms`) are server time in ms since the epoch.
"""

from typing import Annotated, Any, Literal

from pydantic import Field
from rumble_engine import Drawing, Termination

from rumble_protocol.fields import Count, Milliseconds, Seat, ServerMessageModel, Settings, ToldTimeControl
from rumble_protocol.server_messages import TournamentStatus


class Standing(ServerMessageModel):
    """One line of the standings. Equal bots share a rank. `faults`: matches lost by its own fault, by termination.

    `tiebreaks` are in the host's order, null where one does not apply; `decided_by` is the one that parted the bot from
    a neighbour with as many points. `rating` and its 95% `interval` (low, high) are null where they are not known.
    `gained`: places gained (lost, if negative) by the last results; null where it is not known. How many results is
    told beside the standings, in `gained_by`.
    """

    rank: Count
    name: str
    points: float
    played: Count
    wins: Count
    draws: Count
    losses: Count
    tiebreaks: dict[str, float | None]
    decided_by: str
    rating: float | None = None
    interval: list[float] | None = None
    faults: dict[str, Count]
    gained: int | None = None


class Expected(ServerMessageModel):
    """When it will be over, if matches go on ending as fast as the last `results` did, within `window_ms`."""

    remaining_ms: Milliseconds
    results: Count
    window_ms: Milliseconds


class Entrant(ServerMessageModel):
    """One bot of the field. `withdrawn`: it left for good. `benched`: it failed too often."""

    name: str
    connected: bool
    withdrawn: bool
    benched: bool


class Pair(ServerMessageModel):
    """What two bots scored against each other: two cells of the crosstable. `scores` go with `names`."""

    names: list[str]
    scores: list[float]
    played: Count


class Board(ServerMessageModel):
    """A match that is being played. `seat` is to move. `position` is the game's own text for where it stands.

    `diagram` is the same over several lines; `drawing` for a picture, null where the game has none. `seats_ms` are the
    clocks at `at_ms`; that of `seat` runs if `ticking` (its bot is there, and was asked).
    """

    match: str
    attempt: Count
    seats: list[str]
    seat: Seat
    ply: Count
    moves: list[str]
    state: dict[str, Any]
    position: str
    diagram: str
    drawing: Drawing | None
    seats_ms: list[Milliseconds]
    ticking: bool
    at_ms: Milliseconds


class MatchResult(ServerMessageModel):
    """How a match ended. `scores` is null if it is void (it is then played again)."""

    match: str
    attempt: Count
    seats: list[str]
    scores: list[float] | None
    winner: Seat | None
    termination: Termination
    reason: str


class TournamentSummary(ServerMessageModel):
    """A tournament in a list. `bots` is null where nobody has counted them: it ended in its lobby, long ago."""

    id: str
    name: str
    game: str
    status: TournamentStatus
    bots: Count | None
    created_at_ms: Milliseconds
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None


class TournamentView(TournamentSummary):
    """A tournament with all that its page shows. `reason`: why it was paused or ended.

    `rating_model` tells in words how the bots were rated; it is empty where they are not.
    """

    settings: Settings
    format: str
    cycles: Count
    legs: Count
    time_control: ToldTimeControl
    seed: Count
    start_at_bots: Count | None
    by_invitation: bool
    rated: bool
    listed: bool
    reason: str
    matches_over: Count
    matches_total: Count | None
    headline: str = ""
    """The state in a sentence: who leads, who has won, what is waited for."""
    expected: Expected | None = None
    standings: list[Standing]
    gained_by: Count = 0
    rating_model: str = ""
    entrants: list[Entrant]
    running: list[Board]
    pairs: list[Pair] | None
    """None where the field is too large for a crosstable."""
    latest: list[MatchResult]
    """A few of the results, newest first."""


class Snapshot(TournamentView):
    """The first event of a stream, and after a gap: everything."""

    type: Literal["snapshot"] = "snapshot"


class FeedMatchStart(Board):
    """A match begins."""

    type: Literal["match_start"] = "match_start"


class FeedMove(Board):
    """A match went on: by one move, or by several; or a bot of it went away or came back."""

    type: Literal["move"] = "move"


class FeedMatchOver(MatchResult):
    """A match has an outcome."""

    type: Literal["match_over"] = "match_over"


class FeedStandings(ServerMessageModel):
    """The whole standings, and the `pairs` that changed; several results may be in it, or newer ratings."""

    type: Literal["standings"] = "standings"
    tournament: str
    matches_over: Count
    matches_total: Count | None
    headline: str = ""
    expected: Expected | None = None
    standings: list[Standing]
    gained_by: Count = 0
    rating_model: str = ""
    pairs: list[Pair]


class FeedStatus(ServerMessageModel):
    """The tournament was started, paused, resumed or ended."""

    type: Literal["status"] = "status"
    tournament: str
    status: TournamentStatus
    reason: str
    matches_over: Count
    matches_total: Count | None
    headline: str = ""
    expected: Expected | None = None
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None


class FeedField(ServerMessageModel):
    """The whole field: a bot joined or left, connected or went away."""

    type: Literal["field"] = "field"
    tournament: str
    entrants: list[Entrant]


FeedEvent = Annotated[
    Snapshot | FeedMatchStart | FeedMove | FeedMatchOver | FeedStandings | FeedStatus | FeedField,
    Field(discriminator="type"),
]
"""Any event of a feed, tagged by `type`."""

FEED_EVENTS: tuple[type[ServerMessageModel], ...] = (
    Snapshot,
    FeedMatchStart,
    FeedMove,
    FeedMatchOver,
    FeedStandings,
    FeedStatus,
    FeedField,
)
