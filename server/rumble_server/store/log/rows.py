"""The rows of one club's log, as readers query them. Each kind of database has a subclass.

Queries name their values as `:number`. A subclass runs the queries, and has the SQL that selects a club's rows.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple, Self

from rumble_server.store.log.content import TOURNAMENT

Row = tuple[int, str | None]
"""Number of a row of the log, and the text of the row's facts. The text is None if the row is damaged."""


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
"""Number of a club's newest fact, and the number of ended tournaments up to this fact, by status."""


class Rows(ABC):
    """The rows of one club. All ids, given or returned, are without the club's prefix.

    Methods raise StoreError, and its subclass DamagedLog if trying again is of no use.
    """

    name: str
    """Name of the database for messages."""
    prefix: str
    """Beginning of the keys of the club's rows."""
    of_club: str
    """SQL condition, followed by AND, that selects the club's rows of any table.

    The text is empty if tables have no column for the club, because the prefix of the keys tells the club.
    """
    own: str
    """SQL condition that selects the club's tournaments."""
    place: str
    """Column by which tournaments are ordered, oldest first."""
    among: str
    """SQL condition that selects ids in the JSON array `:ids`."""
    indexed: str
    """SQL expression for the number of the newest fact that the index of matches covers."""

    @abstractmethod
    def of(self, club: str) -> Self:
        """Return the rows of another club, on the same connection."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def select(self, query: str, **values: object) -> list[Any]:
        """Return the rows of a query."""

    @abstractmethod
    def log(self, tournament_id: str, condition: str, **values: object) -> list[Row]:
        """Return the rows of a tournament that meet an SQL condition.

        With an empty id, the rows are about the club as a whole.
        """

    @abstractmethod
    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        """Return the ids and records of these tournaments, without missing records; a damaged record is None."""

    @abstractmethod
    def ended_by_club(self) -> dict[str, Counted]:
        """Return the counts of ended tournaments of each club. A tournament without a record counts as finished."""

    @abstractmethod
    def bytes(self) -> int:
        """Return the size of the club's facts in bytes; for `main` in SQLite, the file's size without other clubs."""

    @abstractmethod
    def newest(self, limit: int) -> list[Row]:
        """Return the `limit` newest rows of any tournament. In SQLite, rows of other clubs may be among them."""

    # --- tournaments ---

    def tournament_ids(self, over: bool | None) -> list[str]:
        """Return ids of tournaments, oldest first: all (`over` is None), ended (True), or not over (False)."""
        which = "" if over is None else "AND over = :over"
        return self._ids(f"SELECT id FROM tournaments WHERE {self.own} {which} ORDER BY {self.place}", over=over)

    def listed_ids(self, limit: int) -> list[str]:
        """Return the ids of the `limit` newest tournaments that are listed and over, newest first."""
        query = f"""SELECT id FROM tournaments WHERE {self.own} AND over = :over AND listed
            ORDER BY {self.place} DESC LIMIT :limit"""
        return self._ids(query, over=True, limit=limit)

    def ended_ids(self, limit: int) -> list[str]:
        """Return the ids of the `limit` newest tournaments that are over, newest first."""
        query = f"SELECT id FROM tournaments WHERE {self.own} AND over = :over ORDER BY {self.place} DESC LIMIT :limit"
        return self._ids(query, over=True, limit=limit)

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        """Return those of the given ids that belong to listed tournaments, oldest first."""
        query = f"SELECT id FROM tournaments WHERE {self.of_club} listed AND {self.among} ORDER BY {self.place}"
        return self._ids(query, ids=self._keys(tournament_ids))

    # --- the log ---

    def of_server(self, number: int = 0) -> list[Row]:
        """Return the rows about the club as a whole whose first facts come after `number`, in order."""
        return self.log("", "number > :number ORDER BY number", number=number)

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        """Return the first rows of kind `TOURNAMENT` after row `number` of a tournament, at most `limit`."""
        condition = "kind = :kind AND number > :number ORDER BY number LIMIT :limit"
        return self.log(tournament_id, condition, kind=TOURNAMENT, number=number, limit=limit)

    def since(self, tournament_id: str, kind: int, first: int) -> list[Row]:
        """Return the rows of one kind of a tournament, beginning with the row that has fact `first`."""
        return self.log(tournament_id, self._since_first(), kind=kind, first=first)

    def _since_first(self) -> str:
        # A row's number is that of its first fact, so the row before `first` may hold the fact.
        return f"""kind = :kind AND number >= coalesce((SELECT max(number) FROM log
            WHERE {self.of_club} tournament = :tournament AND kind = :kind AND number <= :first), :first)"""

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        """Return a list with the row of a tournament that has fact `number`; an empty list without such a row."""
        condition = "kind = :kind AND number <= :number ORDER BY number DESC LIMIT 1"
        return self.log(tournament_id, condition, kind=kind, number=number)

    # --- matches ---

    def span(self, tournament_id: str, match_id: str) -> Span:
        """Return the place of a match in the log."""
        query = f"""SELECT {self.indexed}, first, last,
                (SELECT pruned FROM tournaments WHERE {self.of_club} id = :tournament)
            FROM (SELECT 1) AS one LEFT JOIN matches ON {self.of_club} id = :match"""
        values = {"tournament": self.prefix + tournament_id, "match": self.prefix + match_id}
        ((indexed, first, last, pruned),) = self.select(query, **values)
        return Span(indexed, first, last, bool(pruned))

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        """Return the rows of a tournament that may have facts of a match: rows with `text`, and damaged rows.

        Two stretches of the log are searched: from the row with the fact `span.first` to the fact `until`, and
        everything after the fact `span.indexed`.
        """
        rows = self.log(tournament_id, "kind = :kind AND number > :indexed", kind=kind, indexed=span.indexed)
        if span.first is not None:
            until_then = f"{self._since_first()} AND number <= :until"
            rows += self.log(tournament_id, until_then, kind=kind, first=span.first, until=until)
        return [(number, facts) for number, facts in rows if facts is None or text in facts]

    def first_of(self, match_ids: Collection[str]) -> int:
        """Return a lower bound of the numbers of the facts of some begun matches.

        If none of the matches is in the index, the bound is the number after the last indexed fact.
        """
        query = f"SELECT coalesce(min(first), {self.indexed} + 1) FROM matches WHERE {self.of_club} {self.among}"
        return int(self.select(query, ids=self._keys(match_ids))[0][0])

    def matches(self, start: str) -> list[str]:
        """Return the ids of indexed matches that begin with `start` and a dot."""
        # `/` is the character after the dot.
        start = self.prefix + start
        query = f"SELECT id FROM matches WHERE {self.of_club} id > :low AND id < :high"
        return self._ids(query, low=f"{start}.", high=f"{start}/")

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        """Return the texts of a tournament's rows that the index of matches may not cover yet."""
        rows = self.log(tournament_id, f"kind = :kind AND number > {self.indexed}", kind=kind)
        return [facts for _, facts in rows if facts is not None]

    def _ids(self, query: str, **values: object) -> list[str]:
        return [str(key)[len(self.prefix) :] for (key,) in self.select(query, **values)]

    def _keys(self, ids: Collection[str]) -> str:
        return json.dumps([self.prefix + each for each in ids])
