"""`export.json`, as the API describes it and as a JSON Schema of its own (`/export.schema.json`)."""

from typing import Any

from pydantic import ConfigDict, Field
from rumble_protocol.feed_messages import Standing
from rumble_protocol.fields import Count, Milliseconds, MoveInfo, Seat, ServerMessageModel, Settings, TimeControl
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.web.api.models import Result


class ExportedMatch(Result):
    """One attempt at a match. `at_fault` are the seats whose fault ended it.

    `infos` has by ply what the bots thought, null where one said nothing; it is there if any said something.
    """

    at_fault: list[Seat]
    infos: list[MoveInfo | None] | None = None


class PairedRound(ServerMessageModel):
    """A round of a Swiss as it was paired: the bots by seat in the first leg, and who was given points."""

    round: Count
    pairs: list[list[str]]
    byes: list[str]
    half_byes: list[str]


class ExportedTournament(ServerMessageModel):
    """What was played, how, and how far it has come. Later versions may say more; the last fields are of a Swiss."""

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
    scheme: list[float] = Field(min_length=3, max_length=3)
    """Points for a win, a draw and a loss."""
    tiebreak_order: list[str]
    tiebreak_rules: str
    names: list[str]
    """The field, in the order in which the bots joined."""
    pairing_order: list[str]
    """The field in the order of the pairing numbers; empty before the start."""
    seed_ratings: dict[str, float]
    matches_total: Count | None
    """Null where the schedule does not tell it yet."""
    matches_over: Count
    created_at_ms: Milliseconds
    started_at_ms: Milliseconds | None
    ended_at_ms: Milliseconds | None
    pairing_rules: str | None = None
    acceleration: str | None = None
    number_of_rounds: Count | None = None
    half_byes: dict[str, list[str]] | None = None
    """By round: who asked for half a point in it."""
    withdrawn: list[str] | None = None
    virtual_points: list[list[float]] | None = None
    """By pairing number and round, where the pairing is accelerated."""
    rounds_paired: list[PairedRound] | None = None
    voided_later: list[str] | None = None


class ExportDocument(ServerMessageModel):
    """A whole tournament: each finished match with the attempt that counts, and the `voided` ones."""

    tournament: ExportedTournament
    standings: list[Standing]
    matches: list[ExportedMatch]
    voided: list[ExportedMatch]
    byes: dict[str, Count] = Field(default_factory=dict)
    """In a Swiss: the number of matches that a bot was given as won, by name."""


def export_schema() -> dict[str, Any]:
    """Return the JSON Schema of an export."""
    schema = ExportDocument.model_json_schema(mode="validation")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": "urn:rumble:export", **schema, "title": "export"}
