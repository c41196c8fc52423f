"""The events of a tournament's live feed, and the objects in the events.

An event's name is its `type`. Each event holds the new state, not a difference, so receiving an event twice does no
harm. Times (`_at_ms`) are server time in ms since the epoch.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field
from rumble_engine import Drawing, Termination

from rumble_protocol.fields import (
    Count,
    DisplayName,
    DisplayNames,
    Milliseconds,
    Seat,
    ServerMessageModel,
    Settings,
    ToldTimeControl,
)
from rumble_protocol.server_messages import TournamentStatus


class Standing(ServerMessageModel):
    """A line of the standings. Equal bots share a rank. `faults` counts the bot's lost matches by kind of fault.

    `tiebreaks` are in the host's order, null where a tie-break does not apply; `decided_by` is the tie-break that
    separated the bot from a neighbour with equal points. `rating` and its 95% `interval` (low, high) are null where
    unknown. `gained` is the number of places gained (negative: lost) by the latest results, null where unknown. The
    field `gained_by` beside `standings` is the number of these results. In a Swiss, `byes` counts the matches that the
    bot won without an opponent, and `half_byes` the matches without an opponent that count as drawn. Both are in
    `points`, but not in `played`, `wins` or `draws`. `display_name` is the name for people, absent for a bot that
    people know by `name`.
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
    byes: Count = 0
    half_byes: Count = 0
    display_name: DisplayName = None


class Expected(ServerMessageModel):
    """The expected time until the tournament ends.

    `results` is the number of results in the last `window_ms`. The expected time is computed from these results.
    """

    remaining_ms: Milliseconds
    results: Count
    window_ms: Milliseconds


class Entrant(ServerMessageModel):
    """A bot of the field. `withdrawn`: the bot left for good. `benched`: the bot failed too often.

    `connected` is always false after the end of the tournament. `bye_rounds` are future rounds of a Swiss in
    which the host has given the bot a half-point bye. `elsewhere`: the bot has matches to play here and in another
    tournament, so the two tournaments may keep each other waiting. `display_name` is the name for people; it is absent
    for a bot that people know by its `name`.
    """

    name: str
    connected: bool
    withdrawn: bool
    benched: bool
    bye_rounds: list[Count] = Field(default_factory=list)
    elsewhere: bool = False
    display_name: DisplayName = None


class Pair(ServerMessageModel):
    """The scores of two bots against each other: two cells of the crosstable. `scores` are in the order of `names`."""

    names: list[str]
    scores: list[float]
    played: Count


class Away(ServerMessageModel):
    """The absence of a bot from a match. A bot that is not back by `until_at_ms` loses the match."""

    since_at_ms: Milliseconds
    until_at_ms: Milliseconds


class Board(ServerMessageModel):
    """A running match. The seats of `movers` are to move, and `seat` is the first of them. `position` is the position
    in the game's text form.

    `diagram` is the position over several lines; `drawing` describes a picture, null where the game has none.
    `seats_ms` are the clocks at `at_ms`; the clocks of the movers run if `ticking` (the bots are connected and were
    asked). Until all movers have answered, the fields show nothing of a joint move, not even who has answered. In a
    hidden game, `position` is empty during the match, and `?` stands for hidden words of `moves`.
    `away` is empty while all bots are connected; otherwise `away` has an entry for each seat: an absence, or null.
    `display_names` has display names by the names in `seats`; absent if no bot has a display name.
    """

    match: str
    attempt: Count
    seats: list[str]
    seat: Seat
    movers: list[Seat]
    ply: Count
    moves: list[str]
    state: dict[str, Any]
    position: str
    diagram: str
    drawing: Drawing | None
    seats_ms: list[Milliseconds]
    ticking: bool
    at_ms: Milliseconds
    away: list[Away | None] = Field(default_factory=list)
    display_names: DisplayNames


class MatchResult(ServerMessageModel):
    """The end of a match. `scores` is null if the match is void (a void match is played again)."""

    match: str
    attempt: Count
    seats: list[str]
    scores: list[float] | None
    winner: Seat | None
    termination: Termination
    reason: str


class TournamentSummary(ServerMessageModel):
    """A tournament in a list. `bots` is null where the number is unknown: the tournament ended in its lobby, long ago.

    `damaged`: the server's database holds too little of the tournament to show more than these fields.
    """

    id: str
    name: str
    game: str
    status: TournamentStatus
    bots: Count | None
    created_at_ms: Milliseconds
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None
    damaged: bool = False


class TournamentView(TournamentSummary):
    """A tournament with the content of the tournament page. `reason` says why the tournament was paused or ended.

    `rating_model` describes how the bots were rated; it is empty where bots are not rated. `match_seats` is the number
    of seats of a full match. With more than two seats, a standing's `wins` are unshared first places, `draws` are
    shared first places, and `losses` are all other places; `scores` of a pair count who finished before whom.
    """

    settings: Settings
    match_seats: Count = 2
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
    """The state in a sentence: the leader, the winner, or the reason for waiting."""
    expected: Expected | None = None
    pairing: bool = False
    """True if the pairing of the next round has been going on for more than a second."""
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
    """The whole state: the first event of a stream, and the first after a gap."""

    type: Literal["snapshot"] = "snapshot"
    ended: list[Board] = Field(default_factory=list)
    """Final positions, without clocks, of those matches in `latest` that ended in the last seconds."""


class FeedMatchStart(Board):
    """A match begins."""

    type: Literal["match_start"] = "match_start"


class FeedMove(Board):
    """A match went on by one or more moves, or a bot of the match went away or came back.

    The last event of a match has the final position, if the stream has sent earlier events of the match.
    """

    type: Literal["move"] = "move"


class FeedMatchOver(MatchResult):
    """A match has an outcome."""

    type: Literal["match_over"] = "match_over"


class FeedStandings(ServerMessageModel):
    """The whole standings, and the `pairs` that changed. The event is sent after new results or ratings.

    In a large field, the event is sent only after a new ranking.
    """

    type: Literal["standings"] = "standings"
    tournament: str
    matches_over: Count
    matches_total: Count | None
    headline: str = ""
    expected: Expected | None = None
    pairing: bool = False
    standings: list[Standing]
    gained_by: Count = 0
    rating_model: str = ""
    pairs: list[Pair]


class FeedStatus(ServerMessageModel):
    """The tournament was started, paused, resumed or ended, or the pairing of a round began or ended (`pairing`).

    In a large field, the event is also sent after results that the standings do not count yet.
    """

    type: Literal["status"] = "status"
    tournament: str
    status: TournamentStatus
    reason: str
    matches_over: Count
    matches_total: Count | None
    headline: str = ""
    expected: Expected | None = None
    pairing: bool = False
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None


class FeedField(ServerMessageModel):
    """The whole field, after a bot joined or left, connected or went away."""

    type: Literal["field"] = "field"
    tournament: str
    entrants: list[Entrant]


FeedEvent = Annotated[
    Snapshot | FeedMatchStart | FeedMove | FeedMatchOver | FeedStandings | FeedStatus | FeedField,
    Field(discriminator="type"),
]
"""Any event of a feed. The field `type` names the kind of event."""
FEED_EVENTS: tuple[type[ServerMessageModel], ...] = get_args(get_args(FeedEvent)[0])
