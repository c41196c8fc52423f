"""The rounds of a Swiss or a knockout of tables for pages, from results and open matches. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rumble_server.match.match_id import MatchId
from rumble_server.results.table_result import table_result_of
from rumble_server.tournament.agenda import Agenda
from rumble_server.tournament.tables.knockout import sizes_of_rounds
from rumble_server.tournament.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Play:
    """A match at a table, over or in play. `places` has the place of each bot; empty before the match is over."""

    match: str
    places: Mapping[str, int]


@dataclass(slots=True)
class TableView:
    """A table of a round: its bots in the order of the first match's seats, and its matches, first to last."""

    seats: tuple[str, ...]
    plays: list[Play] = field(default_factory=list)
    to_play: int = 0
    """Number of matches without a result."""
    went_on: frozenset[str] = frozenset()
    """In a knockout, the bots that went on to the next round; empty while unknown."""

    @property
    def is_playing(self) -> bool:
        return any(not play.places for play in self.plays)


@dataclass(slots=True)
class TablesOfRound:
    """A round with its tables by board; `idle` are the bots with a bye, or without a table for another reason."""

    title: str
    meetings: list[TableView]
    idle: list[str]

    @property
    def is_over(self) -> bool:
        return not any(table.to_play for table in self.meetings)


def table_rounds(tournament: Tournament) -> list[TablesOfRound]:
    """Return the rounds whose tables are known, first to last."""
    agenda = tournament.agenda
    if agenda is None:
        return []
    last = agenda.schedule.number_of_rounds
    found: dict[int, dict[int, TableView]] = {}
    for number, board, table in _tables(tournament, agenda):
        found.setdefault(number, {})[board] = table
    knockout = agenda.schedule.has_bracket
    rounds = [
        TablesOfRound("Final" if knockout and number == last else f"Round {number} of {last}", [*tables.values()], [])
        for number, tables in sorted(found.items())
    ]
    left = {name for name, rank in agenda.places().items() if rank == 1} if knockout else set(agenda.bots)
    for number, each in reversed([*enumerate(rounds, 1)]):
        seated = {name for table in each.meetings for name in table.seats}
        each.idle = sorted(left - seated, key=str.casefold)
        if knockout:
            for table in each.meetings if number < len(rounds) or len(left) == 1 else ():
                table.went_on = frozenset(left.intersection(table.seats))
            left |= seated
    return rounds


def _tables(tournament: Tournament, agenda: Agenda) -> list[tuple[int, int, TableView]]:
    """Return the round, the board and the view of each table, sorted by round and board.

    If the bots of a table played again after a tie, the view has these matches, too.
    """
    results = {match: table_result_of(over) for match, over in tournament.results.items()}
    seats_of = {slot.match_id: slot.seats for slot in agenda.open.values()}
    seats_of |= {match: result.seats for match, result in results.items()}
    found: dict[tuple[int, int], TableView] = {}
    for (number, board, *_), match in sorted((order_in_rounds(match), match) for match in seats_of):
        table = found.setdefault((number, board), TableView(seats_of[match]))
        if match in results:
            table.plays.append(Play(match, dict(zip(results[match].seats, results[match].places, strict=True))))
            continue
        table.to_play += 1
        if match in tournament.running:
            table.plays.append(Play(match, {}))
    return [(*key, table) for key, table in found.items()]


def order_in_rounds(match: str) -> tuple[int, int, int, int]:
    """Return a key that sorts matches by round, then board. The last value is the leg."""
    match_id = MatchId.parse(match)
    return match_id.round, match_id.board, match_id.cycle, match_id.leg


def finalists(tournament: Tournament) -> int:
    """Return the number of bots in the final of a knockout of tables; 0 for other tournaments, and before the start."""
    agenda = tournament.agenda
    if agenda is None or tournament.config.match_seats == 2 or not agenda.schedule.has_bracket:
        return 0
    return sizes_of_rounds(agenda.schedule.plan)[-1][0]
