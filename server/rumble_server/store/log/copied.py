"""The port of `rumble db copy`: the contents of a database of either kind."""

from collections.abc import Iterator
from typing import Protocol

import orjson

Row = tuple[int, str, int, str]
"""Number, tournament, kind and text of a row of the log; the text of a lost row is empty."""
TournamentRow = tuple[str, bool, bool, bool]
"""Id of a tournament, and three flags: it is listed, it is over, its plies were deleted."""

DERIVED = ("indexed", "runs", "bytes")
"""Keys of values that each database makes for itself, and that are not copied."""


class Contents(Protocol):
    """Contents of a database, in an order that is the same for both kinds. Methods raise StoreError."""

    name: str

    def clubs(self) -> list[str]:
        """Return `main` and all clubs that have rows, in order of name."""

    def newest_run(self) -> int:
        """Return the greatest number of a run (SQLite) or greatest epoch of a club (PostgreSQL) so far."""

    def log(self, club: str) -> Iterator[Row]:
        """Yield the rows of a club's log, in order of tournament, kind and number."""

    def tournaments(self, club: str) -> Iterator[TournamentRow]:
        """Yield the tournaments of a club, oldest first."""

    def records(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the id and the record of each ended tournament of a club, in order of id."""

    def values(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the keys and values of a club, in order of key, without the keys in `DERIVED`."""


def last_fact(text: str) -> int:
    """Return the number of the last fact of a row; 0 for a lost row."""
    return int(orjson.loads(text)["facts"][-1][0]) if text else 0
