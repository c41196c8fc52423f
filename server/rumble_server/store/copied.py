"""What `rumble db copy` takes from a database of either kind: the port of its ends."""

from collections.abc import Iterator
from typing import Protocol

import orjson

Row = tuple[int, str, int, str]
"""Number, tournament, kind and text of a row of the log."""
TournamentRow = tuple[str, bool, bool, bool]
"""Id, and whether it is listed, over, and without its plies."""

DERIVED = ("indexed", "runs", "bytes")
"""Small values that each database makes for itself."""


class Contents(Protocol):
    """What a database holds, in an order that is the same for both kinds. Raises StoreError."""

    name: str

    def clubs(self) -> list[str]:
        """Return the clubs that have anything, and `main`, in order."""

    def newest_run(self) -> int:
        """Return the greatest number that a run or an epoch has had."""

    def log(self, club: str) -> Iterator[Row]:
        """Yield the rows of a club by tournament, kind and number."""

    def tournaments(self, club: str) -> Iterator[TournamentRow]:
        """Yield the tournaments of a club, oldest first."""

    def records(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the records of a club with their ids, by id."""

    def values(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the small values of a club by key, but for those that are derived."""


def last_fact(text: str) -> int:
    """Return the number of the last fact of a row."""
    return int(orjson.loads(text)["facts"][-1][0])
