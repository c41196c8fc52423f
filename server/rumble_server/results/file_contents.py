"""The contents of a file of results. The readers of all kinds of files return this type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rumble_engine import Termination

from rumble_server.results.result import Result
from rumble_server.results.table_result import TableResult

if TYPE_CHECKING:
    from rumble_server.results.paired import Paired
    from rumble_server.results.trf.event import TrfEvent

TERMINATIONS = {str(kind): kind for kind in Termination if kind is not Termination.ABORTED}


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """The contents of a file of results."""

    results: tuple[Result, ...]
    """Results of matches with two seats; empty if any match has more seats, or for CSV with columns for each seat."""
    field: tuple[str, ...]
    """Names of all bots in the file, also of bots without a match."""
    byes: Mapping[str, int]
    """Number of matches that count as won without an opponent (byes), by bot."""
    tournament: Mapping[str, Any] | None = None
    """The field `tournament` of a JSON export; None for other files."""
    paired: "tuple[Paired, ...] | None" = None
    """The rounds of a Swiss, if a JSON export has rounds; otherwise None."""
    event: "TrfEvent | None" = None
    """The event of a TRF file; None for other files."""
    tables: tuple[TableResult, ...] = ()
    """All results, each as a `TableResult`; empty if results count only as matches of two.

    `tables` has the results in three cases: for CSV with columns for each seat, for a JSON export in which a match has
    more than two seats, and for a JSON export in which every match has payoffs.
    """

    @property
    def is_of_tables(self) -> bool:
        """True if there are results in `tables` but not in `results`.

        This is so if a match has more than two seats, and for a CSV with columns for each seat.
        """
        return bool(self.tables) and not self.results


class FileNames:
    """The names in a file. Two names that differ only in case are refused, because they may mean the same bot."""

    def __init__(self) -> None:
        self.spellings: dict[str, tuple[str, str]] = {}
        """First spelling of each name, and where the file has this spelling. The key is the case-folded name."""

    def check_name(self, name: object, where: str) -> str:
        """Check a name against earlier names, and remember it. Return the problem; empty without a problem.

        `where` is the location of the name in the file, for the message.
        """
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            return f"{where}: {name!r} is not a name"
        first, first_where = self.spellings.setdefault(name.casefold(), (name, where))
        return "" if first == name else f"{where}: {name!r} and {first!r} ({first_where}) differ only in case"
