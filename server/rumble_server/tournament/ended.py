"""Records of ended tournaments.

The server answers bots and makes lists from the records, without rebuilding the tournaments.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from rumble_engine import SettingValue
from rumble_protocol.feed_messages import Standing
from rumble_protocol.fields import AwayClock, TimeControl
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.tournament.entrant import Entrant
from rumble_server.tournament.facts import LogFact, TournamentCreated
from rumble_server.tournament.tournament import Tournament


@dataclass(frozen=True, slots=True)
class FinalResult:
    """The result and rank of a bot at the end of a tournament."""

    name: str
    rank: int
    points: float
    wins: int
    draws: int
    losses: int
    decided_by: str = ""
    """Tie-break that separates the bot from a neighbour in rank with equal points; empty without such a tie-break."""
    withdrawn: bool = False
    byes: int = 0
    half_byes: int = 0
    display_name: str | None = None
    by_code: bool = False
    """True if a pupil entered the bot with a join code."""

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Outline:
    """The values shown for a tournament in lists of tournaments. `bots` is the number of bots, or None if unknown."""

    damaged: ClassVar[bool] = False
    """True if the tournament is too damaged to be rebuilt."""
    id: str
    name: str
    game: str
    status: TournamentStatus
    bots: int | None
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None


def outline_of(tournament: Tournament) -> dict[str, Any]:
    """Return the values for the `Outline` of a tournament that is in memory, keyed by the fields of `Outline`."""
    return {
        "id": tournament.id,
        "name": tournament.config.name,
        "game": tournament.config.game,
        "status": tournament.status,
        "bots": len(tournament.field),
        "created_at_ms": tournament.created_at_ms,
        "started_at_ms": tournament.started_at_ms,
        "ended_at_ms": tournament.ended_at_ms,
    }


@dataclass(frozen=True, slots=True)
class DamagedTournament(Outline):
    """A tournament that cannot be rebuilt, with the values that can still be read."""

    damaged: ClassVar[bool] = True

    @classmethod
    def of(cls, tournament_id: str, facts: Iterable[LogFact] = (), *, over: bool) -> "DamagedTournament":
        """Return the outline of a damaged tournament, made from its readable facts, if there are any."""
        created = next((fact for fact in facts if isinstance(fact, TournamentCreated)), None)
        name, game = (tournament_id, "") if created is None else (created.config.name, created.config.game)
        created_at_ms = 0 if created is None else created.at_ms
        return cls(tournament_id, name, game, "finished" if over else "paused", None, created_at_ms, None, None)


@dataclass(frozen=True, slots=True)
class EndedTournament(Outline):
    """The record of an ended tournament. `lines` are the results of its bots in order of rank."""

    settings: dict[str, SettingValue]
    time_control: TimeControl
    format: str
    reason: str
    matches_over: int
    matches_total: int | None
    challengers: tuple[str, ...]
    """Challengers of a gauntlet; empty for any other format."""
    lines: tuple[FinalResult, ...]
    away_clock: AwayClock = "stands"
    is_challenge: bool = False
    match_seats: int = 2

    @classmethod
    def of(cls, tournament: Tournament) -> "EndedTournament":
        config, field = tournament.config, tournament.field
        return cls(
            **outline_of(tournament),
            settings=dict(config.settings),
            time_control=config.time_control,
            format=config.format,
            reason=tournament.reason,
            matches_over=len(tournament.results),
            matches_total=tournament.matches_total,
            challengers=tuple(tournament.challengers),
            lines=tuple(final_result(each, field[each.name]) for each in tournament.standings.lines()),
            away_clock=config.away_clock,
            is_challenge=tournament.challenger is not None,
            match_seats=config.match_seats,
        )

    def result_of(self, bot: str) -> FinalResult | None:
        """Return the result of a bot in this tournament; None if the bot was not in the field."""
        return next((result for result in self.lines if result.name == bot), None)


_OF_STANDING = [each.name for each in fields(FinalResult) if each.name in Standing.model_fields]


def final_result(line: Standing, entrant: Entrant | None = None) -> FinalResult:
    """Return the result of a bot by its line of the standings. Without `entrant` the bot counts as not withdrawn."""
    result = FinalResult(**{name: getattr(line, name) for name in _OF_STANDING})
    return result if entrant is None else replace(result, withdrawn=entrant.withdrawn, by_code=entrant.by_code)
