"""What a reader asks the tables of one club for: the port that each kind of database implements."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple, Protocol

Row = tuple[int, str | None]
"""The number of a row of the log, and the text of its facts; None if it is not what was written."""


class Span(NamedTuple):
    """Where a match is in the log."""

    indexed: int
    """The index of matches knows nothing of what is later than this fact."""
    first: int | None
    """The number of its first fact; None if the index does not have it."""
    last: int | None
    """The number of the fact that ended it."""
    pruned: bool
    """Whether the plies of its tournament were deleted."""


Counted = tuple[int, Counter[str]]
"""The number of a club's newest fact, and how many of its tournaments were over then, by status."""


class Rows(Protocol):
    """The rows of a club, by the ids that it knows. Each method raises StoreError; DamagedLog if that is for good."""

    name: str
    """The database, for messages."""

    def of(self, club: str) -> "Rows":
        """Return the rows of another club, on the same connection."""

    def close(self) -> None:
        """Close the connection."""

    def tournament_ids(self, over: bool | None) -> list[str]:
        """Return the ids of all tournaments, or of those that are over or not; oldest first."""

    def listed_ids(self, limit: int) -> list[str]:
        """Return the ids of the newest tournaments that are over and listed, newest first."""

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        """Return those of these tournaments that are listed."""

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        """Return the records of these tournaments, with their ids."""

    def ended_by_club(self) -> dict[str, Counted]:
        """Return how many tournaments of each club are over; one without a record counts as finished."""

    def bytes(self) -> int:
        """Return how many bytes the facts of the club take, or of `main` of a file the whole database."""

    def newest(self, limit: int) -> list[Row]:
        """Return the newest rows of whatever tournament, perhaps of other clubs, too."""

    def of_server(self, number: int = 0) -> list[Row]:
        """Return the rows about the club as a whole that begin after a fact, in order."""

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        """Return the first rows after a number that rebuild a tournament."""

    def outline(self, tournament_id: str) -> list[Row]:
        """Return the rows with a tournament's creation, its start or its end."""

    def span(self, tournament_id: str, match_id: str) -> Span:
        """Return where a match is in the log."""

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        """Return the rows of a tournament that may have facts of a match.

        They are those with `text`, and damaged ones, from the row that has the fact `span.first` up to the fact
        `until`, and after `span.indexed`.
        """

    def first_of(self, match_ids: Collection[str]) -> int | None:
        """Return the number of a fact before which there is none of these matches; None: of a club without facts.

        What is not in the index is later than all that is.
        """

    def since(self, tournament_id: str, kind: int, first: int | None) -> list[Row]:
        """Return the rows of a tournament from the one that has the fact `first`; None: all of them."""

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        """Return the row of a tournament that has a fact, if there is one."""

    def matches(self, start: str) -> list[str]:
        """Return the ids of matches in the index that go on with a dot after `start`."""

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        """Return the facts of a tournament's rows that the index of matches may not have yet."""
