"""The queries by which readers (`store/log/reader.py`) get the rows of one club from SQLite or PostgreSQL.

The queries have named values, such as `:number`. A subclass for SQLite or PostgreSQL runs the queries, and has the SQL
that selects the rows of one club.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple, Self

from rumble_server.store.log.content import TOURNAMENT

Row = tuple[int, str | None]
"""A row of the log: its number, and the text of its facts. The text is None if the row is damaged."""


class Span(NamedTuple):
    """The position of a match in the log, according to the index of matches."""

    indexed: int
    """Number of the newest fact that the index of matches covers. Later facts are not in the index yet."""
    first: int | None
    """Number of the match's first fact; None if the match is not in the index."""
    last: int | None
    """Number of the fact that ended the match; None if the index has no end of the match."""
    is_pruned: bool
    """True if the plies of the match's tournament were deleted."""


Counted = tuple[int, Counter[str]]
"""Number of the newest fact at the time of the count, and the number of a club's ended tournaments by status."""


class Rows(ABC):
    """The rows of one club. Ids in arguments and results are without the club's prefix.

    Methods raise StoreError, or its subclass DamagedLog if another try would fail, too.
    """

    name: str
    """Name of the database, for messages to people."""
    prefix: str
    """Prefix of the keys of the club's rows; empty if the keys of this database have no prefix."""
    of_club: str
    """SQL condition that selects the club's rows in any table, with AND at its end.

    The condition is empty in SQLite. Tables there have no column for the club, because keys have the club's prefix.
    """
    own: str
    """SQL condition that selects the club's tournaments."""
    by_age: str
    """Name of the column that orders tournaments from oldest to newest."""
    among: str
    """SQL condition that is true for rows whose id is in the JSON array `:ids`."""
    indexed: str
    """SQL expression whose value is the number of the newest fact that the index of matches covers."""

    @abstractmethod
    def of(self, club: str) -> Self:
        """Return a reader that reads another club's log on the same connection."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection, also for the readers of other clubs."""

    @abstractmethod
    def select(self, query: str, **values: object) -> list[Any]:
        """Run a query with named values, and return its rows."""

    @abstractmethod
    def rows_of(self, tournament_id: str, condition: str, **values: object) -> list[Row]:
        """Return the rows of a tournament's log for which an SQL condition is true.

        With an empty `tournament_id`, rows about the club as a whole are returned.
        """

    @abstractmethod
    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        """Return the ids and records of these tournaments. A damaged record is None; missing records are left out."""

    @abstractmethod
    def ended_by_club(self) -> dict[str, Counted]:
        """Count the ended tournaments of each club by status. The query is slow, because it reads every record.

        A tournament without a record counts as finished.
        """

    @abstractmethod
    def bytes(self) -> int:
        """Return the approximate size of the club's facts in bytes, for the quota."""

    @abstractmethod
    def newest_rows(self, limit: int) -> list[Row]:
        """Return the `limit` newest rows of the log. In SQLite, rows of other clubs may be among them."""

    # --- tournaments ---

    def tournament_ids(self, *, over: bool | None = None) -> list[str]:
        """Return ids of tournaments, oldest first: `over` selects ended or open tournaments; None selects all."""
        which = "" if over is None else "AND over = :over"
        return self._ids(f"SELECT id FROM tournaments WHERE {self.own} {which} ORDER BY {self.by_age}", over=over)

    def ended_ids(self, limit: int, *, listed: bool | None = None) -> list[str]:
        """Return the ids of the `limit` newest ended tournaments, newest first; `listed` None selects all."""
        which = {None: "", True: "AND listed", False: "AND NOT listed"}[listed]
        query = f"""SELECT id FROM tournaments WHERE {self.own} AND over = :over {which}
            ORDER BY {self.by_age} DESC LIMIT :limit"""
        return self._ids(query, over=True, limit=limit)

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        """Return the given ids without the ids of unlisted tournaments, oldest tournament first."""
        query = f"SELECT id FROM tournaments WHERE {self.of_club} listed AND {self.among} ORDER BY {self.by_age}"
        return self._ids(query, ids=self._keys(tournament_ids))

    # --- the log ---

    def about_club(self, number: int = 0) -> list[Row]:
        """Return the rows about the club as a whole with a row number above `number`, in order."""
        return self.rows_of("", "number > :number ORDER BY number", number=number)

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        """Return rows of the facts that rebuild a tournament: the first `limit` with a number above `number`."""
        condition = "kind = :kind AND number > :number ORDER BY number LIMIT :limit"
        return self.rows_of(tournament_id, condition, kind=TOURNAMENT, number=number, limit=limit)

    def since(self, tournament_id: str, kind: int, first: int) -> list[Row]:
        """Return a tournament's rows of one kind, from the row that contains the fact `first` to the newest row."""
        return self.rows_of(tournament_id, self._since_first(), kind=kind, first=first)

    def _since_first(self) -> str:
        # A row has the number of its first fact. So the fact `first` may be in the last row with a number below
        # `first`.
        return f"""kind = :kind AND number >= coalesce((SELECT max(number) FROM log
            WHERE {self.of_club} tournament = :tournament AND kind = :kind AND number <= :first), :first)"""

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        """Return a list with the tournament's row that contains the fact `number`; an empty list if no row does."""
        condition = "kind = :kind AND number <= :number ORDER BY number DESC LIMIT 1"
        return self.rows_of(tournament_id, condition, kind=kind, number=number)

    # --- matches ---

    def span(self, tournament_id: str, match_id: str) -> Span:
        """Return the position of a match in the log, according to the index of matches."""
        query = f"""SELECT {self.indexed}, first, last,
                (SELECT pruned FROM tournaments WHERE {self.of_club} id = :tournament)
            FROM (SELECT 1) AS one LEFT JOIN matches ON {self.of_club} id = :match"""
        values = {"tournament": self.prefix + tournament_id, "match": self.prefix + match_id}
        ((indexed, first, last, pruned),) = self.select(query, **values)
        return Span(indexed, first, last, bool(pruned))

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        """Return the rows of a tournament that may have facts of a match: rows that contain `text`, and damaged rows.

        Two parts of the log are searched. The first part goes from the row with the fact `span.first` to the fact
        `until`. The second part has the rows after the fact `span.indexed`. The index of matches does not cover
        these rows.
        """
        rows = self.rows_of(tournament_id, "kind = :kind AND number > :indexed", kind=kind, indexed=span.indexed)
        if span.first is not None:
            until_then = f"{self._since_first()} AND number <= :until"
            rows += self.rows_of(tournament_id, until_then, kind=kind, first=span.first, until=until)
        return [(number, facts) for number, facts in rows if facts is None or text in facts]

    def first_of(self, match_ids: Collection[str]) -> int:
        """Return a lower bound for the fact numbers of several matches that have begun.

        If none of the matches is in the index, return the number after the last indexed fact.
        """
        query = f"SELECT coalesce(min(first), {self.indexed} + 1) FROM matches WHERE {self.of_club} {self.among}"
        return int(self.select(query, ids=self._keys(match_ids))[0][0])

    def matches(self, start: str) -> list[str]:
        """Return, from the index of matches, the ids that begin with `start` and a dot."""
        # `/` is the character after the dot.
        start = self.prefix + start
        query = f"SELECT id FROM matches WHERE {self.of_club} id > :low AND id < :high"
        return self._ids(query, low=f"{start}.", high=f"{start}/")

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        """Return the texts of a tournament's newest rows, whose matches may be missing in the index of matches."""
        rows = self.rows_of(tournament_id, f"kind = :kind AND number > {self.indexed}", kind=kind)
        return [facts for _, facts in rows if facts is not None]

    def _ids(self, query: str, **values: object) -> list[str]:
        return [str(key)[len(self.prefix) :] for (key,) in self.select(query, **values)]

    def _keys(self, ids: Collection[str]) -> str:
        return json.dumps([self.prefix + each for each in ids])
