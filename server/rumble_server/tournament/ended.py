"""The record of a tournament that is over: what bots and lists are told of it without rebuilding it from its facts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rumble_engine import SettingValue
from rumble_protocol.feed_messages import Standing
from rumble_protocol.fields import AwayClock, TimeControl
from rumble_protocol.server_messages import TournamentStatus

from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentStarted
from rumble_server.tournament.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Line:
    """What one bot has done in a tournament, and its rank."""

    name: str
    rank: int
    points: float
    wins: int
    draws: int
    losses: int
    decided_by: str = ""
    """The tie-break that parted it from a neighbour with as many points; empty where none did."""
    withdrawn: bool = False
    byes: int = 0
    half_byes: int = 0

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Outline:
    """What a list shows of a tournament that is over while nobody has made its record. `bots` None: not counted."""

    damaged: ClassVar[bool] = False
    """Whether the database holds too little of it to rebuild it."""
    id: str
    name: str
    game: str
    status: TournamentStatus
    bots: int | None
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None

    @classmethod
    def from_facts(cls, facts: Iterable[LogFact]) -> "Outline":
        """Make the outline from a tournament's creation, start and end; other facts are skipped. Raises ValueError."""
        found = {type(fact): fact for fact in facts}
        created, started, ended = map(found.get, (TournamentCreated, TournamentStarted, TournamentEnded))
        if not isinstance(created, TournamentCreated) or not isinstance(ended, TournamentEnded):
            raise ValueError("no tournament that is over has these facts")
        bots, started_at_ms = None, None
        if isinstance(started, TournamentStarted):
            bots, started_at_ms = len(started.bots), started.at_ms
        name, game = created.config.name, created.config.game
        return cls(created.tournament, name, game, ended.status, bots, created.at_ms, started_at_ms, ended.at_ms)


@dataclass(frozen=True, slots=True)
class DamagedTournament(Outline):
    """A tournament that cannot be rebuilt: what can still be read of it."""

    damaged: ClassVar[bool] = True

    @classmethod
    def of(cls, tournament_id: str, facts: Iterable[LogFact] = (), *, over: bool) -> "DamagedTournament":
        """Make it from the facts of the tournament that can be read, if there are any."""
        created = next((fact for fact in facts if isinstance(fact, TournamentCreated)), None)
        name, game = (tournament_id, "") if created is None else (created.config.name, created.config.game)
        created_at_ms = 0 if created is None else created.at_ms
        return cls(tournament_id, name, game, "finished" if over else "paused", None, created_at_ms, None, None)


@dataclass(frozen=True, slots=True)
class EndedTournament(Outline):
    """A tournament at its end. `lines`: its field, by rank."""

    settings: dict[str, SettingValue]
    time_control: TimeControl
    format: str
    reason: str
    matches_over: int
    matches_total: int | None
    challengers: tuple[str, ...]
    """The bots of a gauntlet that met all others."""
    lines: tuple[Line, ...]
    away_clock: AwayClock = "stands"

    @classmethod
    def of(cls, tournament: Tournament) -> "EndedTournament":
        config = tournament.config
        return cls(
            id=tournament.id,
            name=config.name,
            game=config.game,
            status=tournament.status,
            bots=len(tournament.field),
            created_at_ms=tournament.created_at_ms,
            started_at_ms=tournament.started_at_ms,
            ended_at_ms=tournament.ended_at_ms,
            settings=dict(config.settings),
            time_control=config.time_control,
            format=config.format,
            reason=tournament.reason,
            matches_over=len(tournament.results),
            matches_total=tournament.matches_total,
            challengers=tuple(tournament.challengers),
            lines=tuple(_line(each, tournament) for each in tournament.table.standings()),
            away_clock=config.away_clock,
        )

    def line(self, bot: str) -> Line | None:
        """Return the line of a bot; None if it was not in the field."""
        return next((line for line in self.lines if line.name == bot), None)


def _line(standing: Standing, tournament: Tournament) -> Line:
    return Line(
        name=standing.name,
        rank=standing.rank,
        points=standing.points,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        decided_by=standing.decided_by,
        withdrawn=tournament.field[standing.name].withdrawn,
        byes=standing.byes,
        half_byes=standing.half_byes,
    )
