"""The port by which a reader queries the tables of one club; each kind of database implements it."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple, Protocol

Row = tuple[int, str | None]
"""Number of a row of the log, and the text of its facts; None for a damaged row."""


class Span(NamedTuple):
    """Place of a match in the log."""

    indexed: int
    """Number of the newest fact that the index of matches covers."""
    first: int | None
    """Number of the match's first fact; None if the match is not in the index."""
    last: int | None
    """Number of the fact that ended the match; None while the match goes on."""
    pruned: bool
    """True if the plies of the match's tournament were deleted."""


Counted = tuple[int, Counter[str]]
"""Number of a club's newest fact, and the counts of its tournaments that were over by then, by status."""


class Rows(Protocol):
    """The rows of a club, by ids without the club. Methods raise StoreError; DamagedLog for lasting errors."""

    name: str
    """Name of the database for messages."""

    def of(self, club: str) -> "Rows":
        """Return the rows of another club, on the same connection."""

    def close(self) -> None:
        """Close the connection."""

    def tournament_ids(self, over: bool | None) -> list[str]:
        """Return the ids of tournaments, oldest first: all (None), ended (True), or not over (False)."""

    def listed_ids(self, limit: int) -> list[str]:
        """Return the ids of the newest ended and listed tournaments, newest first."""

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        """Return the listed tournaments among these."""

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        """Return the ids and records of these tournaments, without missing records; a damaged record is None."""

    def ended_by_club(self) -> dict[str, Counted]:
        """Return the count of ended tournaments of each club; a tournament without a record counts as finished."""

    def bytes(self) -> int:
        """Return the size of the club's facts in bytes; for `main` in a file, the file's size without other clubs."""

    def newest(self, limit: int) -> list[Row]:
        """Return the newest rows of any tournament. In a file, rows of other clubs are among them."""

    def of_server(self, number: int = 0) -> list[Row]:
        """Return the rows about the club as a whole whose first facts come after `number`, in order."""

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        """Return the first rows after `number` that rebuild a tournament."""

    def span(self, tournament_id: str, match_id: str) -> Span:
        """Return the place of a match in the log."""

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        """Return the rows of a tournament that may have facts of a match: rows with `text`, and damaged rows.

        Searched are the rows from the row with the fact `span.first` to the fact `until`, and all after `span.indexed`.
        """

    def first_of(self, match_ids: Collection[str]) -> int | None:
        """Return a number that is at most the number of these matches' first fact; None for a club without facts.

        For matches that are not in the index, it is the number after the last indexed fact.
        """

    def since(self, tournament_id: str, kind: int, first: int | None) -> list[Row]:
        """Return the rows of a tournament from the row with the fact `first` on; every row if `first` is None."""

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        """Return the row of a tournament with the fact `number`, in a list; an empty list without such a row."""

    def matches(self, start: str) -> list[str]:
        """Return the ids of indexed matches that begin with `start` and a dot."""

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        """Return the texts of a tournament's rows that the index of matches may not cover yet."""
