"""Formats of tournaments.

To add a format, write a `PairSchedule` in a module of `pairs`, and a `TableSchedule` in the module of the same name in
`tables`. Add a `Format` to `FORMATS`. docs/HOW_TO_ADD.md has all steps.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rumble_server.results.tiebreaks import DEFAULT, DEFAULT_SWISS
from rumble_server.tournament.pairs.gauntlet import Gauntlet
from rumble_server.tournament.pairs.knockout import Knockout
from rumble_server.tournament.pairs.plan import Round
from rumble_server.tournament.pairs.round_robin import RoundRobin
from rumble_server.tournament.pairs.schedule import PairSchedule
from rumble_server.tournament.pairs.swiss import Swiss
from rumble_server.tournament.tables.gauntlet import GauntletOfTables
from rumble_server.tournament.tables.knockout import KnockoutOfTables
from rumble_server.tournament.tables.plan import TableRound
from rumble_server.tournament.tables.round_robin import RoundRobinOfTables
from rumble_server.tournament.tables.schedule import TableSchedule
from rumble_server.tournament.tables.swiss import SwissOfTables


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format: its schedules, and the facts about the format that other parts of the server need."""

    title: str
    """The format's name and rule for people who choose a format."""
    schedule: type[PairSchedule]
    """The schedule of matches of two seats."""
    table_schedule: type[TableSchedule]
    """The schedule of matches of more than two seats."""
    options: frozenset[str]
    """The fields of `TournamentConfig` that the format has, and that at least one other format lacks."""
    default_tiebreaks: tuple[str, ...] = DEFAULT
    """The tie-breaks of matches of two seats, if the host names none."""
    pairs_by_points: bool = False
    """True if bots with about equal points meet in each round. Tie-breaks and exports then need the rounds."""
    has_even_seats: bool = False
    """True if a bot has each seat about equally often in a complete tournament."""
    has_even_company: bool = False
    """True if any two bots meet about equally often in a complete tournament."""
    has_winner: bool = True
    """True if rank 1 means that a bot won the tournament."""

    @property
    def has_bracket(self) -> bool:
        """True if bots are ranked by the round they reach, not by points."""
        return self.schedule.has_bracket

    @property
    def is_in_rounds(self) -> bool:
        """True if each round is made from the results of the earlier rounds. The tournament's pages show the rounds."""
        return self.schedule.has_logged_rounds


FORMATS = {
    "round-robin": Format(
        title="Round-robin: everyone meets everyone",
        schedule=RoundRobin,
        table_schedule=RoundRobinOfTables,
        options=frozenset({"cycles", "late_join"}),
        has_even_seats=True,
        has_even_company=True,
    ),
    "gauntlet": Format(
        title="Gauntlet: a few challengers meet all others",
        schedule=Gauntlet,
        table_schedule=GauntletOfTables,
        options=frozenset({"cycles", "challengers"}),
        has_even_seats=True,
        has_winner=False,  # challengers play far more matches than other bots
    ),
    "knockout": Format(
        title="Knockout: the loser is out",
        schedule=Knockout,
        table_schedule=KnockoutOfTables,
        options=frozenset({"replays"}),
    ),
    "swiss": Format(
        title="Swiss: in each round, bots with equal points meet",
        schedule=Swiss,
        table_schedule=SwissOfTables,
        options=frozenset({"rounds", "pairing_rules", "acceleration"}),
        default_tiebreaks=DEFAULT_SWISS,
        pairs_by_points=True,
    ),
}
AnyRound = Round | TableRound
PairingTask = Callable[[], AnyRound]
"""Function that makes a round of a schedule."""


def formats_with(option: str) -> list[str]:
    """Return the names of the formats that have an option; an empty list if all formats have the option."""
    return [name for name, each in FORMATS.items() if option in each.options]
