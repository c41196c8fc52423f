"""What a file of results has in it, of whatever kind it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rumble_engine import Termination

from rumble_server.results.result import Result

if TYPE_CHECKING:
    from rumble_server.results.paired import Paired
    from rumble_server.results.trf.event import Event

TERMINATIONS = {str(kind): kind for kind in Termination if kind is not Termination.ABORTED}


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """What a file has: `field` are all names, also those without a match; `byes` matches given as won, by name."""

    results: tuple[Result, ...]
    field: tuple[str, ...]
    byes: Mapping[str, int]
    tournament: Mapping[str, Any] | None = None
    """The `tournament` of a JSON export."""
    paired: "tuple[Paired, ...] | None" = None
    """The rounds of a Swiss, where a JSON export has them."""
    event: "Event | None" = None
    """The event of a TRF file."""


class Names:
    """Names as they first came. Two that differ only in case are refused: they may or may not be one bot."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, str]] = {}

    def problem(self, name: object, where: str) -> str:
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            return f"{where}: {name!r} is not a name"
        first, place = self.known.setdefault(name.casefold(), (name, where))
        return "" if first == name else f"{where}: {name!r} and {first!r} ({place}) differ only in case"
