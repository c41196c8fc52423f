"""The models of `export.json`, for the API's description and for a separate JSON Schema (`/export.schema.json`)."""

from typing import Any

from pydantic import ConfigDict, Field
from rumble_protocol.feed_messages import Standing
from rumble_protocol.fields import Count, Milliseconds, MoveInfo, Seat, ServerMessageModel, Settings, TimeControl
from rumble_protocol.server_messages import Fall, TournamentStatus

from rumble_server.web.api.models import MatchAttempt


class ExportedMatch(MatchAttempt):
    """An attempt at a match. `at_fault` are the seats whose fault ended the match.

    `infos` are the bots' thoughts about their moves, by ply; null for a ply without thoughts. `infos` is left out if no
    bot sent thoughts. Only matches with more than two seats, with simultaneous moves or with chance have `places`,
    `payoffs` and `falls`. `places` is null if the places follow from the scores. `payoffs` is null in a game without
    payoffs.
    """

    at_fault: list[Seat]
    places: list[Count] | None = None
    payoffs: list[float] | None = None
    falls: list[Fall] | None = None
    infos: list[MoveInfo | None] | None = None


class ExportedRound(ServerMessageModel):
    """A paired round of a Swiss: the pairs, and the bots with a bye or a half-point bye.

    A pair names its bots in the order of their seats in the first leg.
    """

    round: Count
    pairs: list[list[str]]
    byes: list[str]
    half_byes: list[str]


class ExportedTournament(ServerMessageModel):
    """The tournament's rules, field and progress. Later versions may add fields.

    Only a Swiss of two seats has the fields from `pairing_rules` on.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    name: str
    status: TournamentStatus
    reason: str
    game: str
    settings: Settings
    format: str
    cycles: Count
    legs: Count
    time_control: TimeControl
    seed: Count
    rated: bool
    seats: Count
    """Number of seats of a full match."""
    scheme: list[float] | None = Field(default=None, min_length=3, max_length=3)
    """Points for a win, a draw and a loss. If places or payoffs give the points, `table_points` replaces this field."""
    table_points: list[float] | str | None = None
    """Points of each place, or the word `places` or `payoffs`.

    If wins and draws give the points, `scheme` replaces this field.
    """
    tiebreak_order: list[str]
    tiebreak_rules: str
    names: list[str]
    """The field, in the order in which the bots joined."""
    pairing_order: list[str]
    """The field in the order of the pairing numbers; empty before the start."""
    seed_ratings: dict[str, float]
    matches_total: Count | None
    """Number of matches in all; null while the schedule does not determine the number."""
    matches_over: Count
    created_at_ms: Milliseconds
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None
    pairing_rules: str | None = None
    acceleration: str | None = None
    number_of_rounds: Count | None = None
    half_byes: dict[str, list[str]] | None = None
    """The bots with a half-point bye, by round, for paired and coming rounds."""
    withdrawn: list[str] | None = None
    virtual_points: list[list[float]] | None = None
    """Virtual points, if the pairing is accelerated: for each bot of `pairing_order`, a value for each round."""
    rounds_paired: list[ExportedRound] | None = None
    voided_later: list[str] | None = None


class ExportDocument(ServerMessageModel):
    """A whole tournament.

    `matches` has, for each finished match, the attempt that counts; `voided` has the void attempts.
    """

    tournament: ExportedTournament
    standings: list[Standing]
    matches: list[ExportedMatch]
    voided: list[ExportedMatch]
    byes: dict[str, Count] = Field(default_factory=dict)
    """For each bot name, the number of matches that count as won without an opponent; only in a Swiss."""


def export_schema() -> dict[str, Any]:
    """Return the JSON Schema of an export."""
    schema = ExportDocument.model_json_schema(mode="validation")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": "urn:rumble:export", **schema, "title": "export"}
