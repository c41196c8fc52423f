"""The port through which `rumble db copy` reads a database in SQLite or PostgreSQL."""

from collections.abc import Iterator
from typing import Protocol

import orjson

CopiedRow = tuple[int, str, int, str]
"""A row of the log: number, tournament, kind and text. The text of a lost row is empty."""
TournamentRow = tuple[str, bool, bool, bool]
"""A tournament's id and three flags: the tournament is listed, it is over, its plies were deleted."""

DERIVED = ("indexed", "runs", "bytes")
"""Keys in the table `meta` whose values are not copied, because each database computes these values itself."""


class Contents(Protocol):
    """The contents of a database, in an order that is the same in SQLite and PostgreSQL. Methods raise StoreError."""

    name: str

    def clubs(self) -> list[str]:
        """Return `main` and all clubs that have rows, in order of name."""

    def newest_run(self) -> int:
        """Return the greatest number of any server run (SQLite), or the greatest epoch of any club (PostgreSQL)."""

    def log(self, club: str) -> Iterator[CopiedRow]:
        """Yield the rows of a club's log, in order of tournament, kind and number."""

    def tournaments(self, club: str) -> Iterator[TournamentRow]:
        """Yield the tournaments of a club, oldest first."""

    def records(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the id and the record of each ended tournament of a club, in order of id."""

    def values(self, club: str) -> Iterator[tuple[str, str]]:
        """Yield the keys and values of a club in `meta`, in order of key, without the keys in `DERIVED`."""


def last_fact(text: str) -> int:
    """Return the number of the last fact of a row; 0 for a lost row."""
    return int(orjson.loads(text)["facts"][-1][0]) if text else 0
