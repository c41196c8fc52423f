"""The queries of a club's rows in PostgreSQL, for the reader of logs (`store/log/reader.py`)."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from rumble_server.store.log.checksum import intact
from rumble_server.store.log.reader import LogReader
from rumble_server.store.log.rows import Counted, Row
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.row_keys import MAIN


def read_postgres(url: str, club: str = MAIN) -> LogReader:
    """Make a reader of a club with its own connection, which the first read opens. Raises StoreError for a bad URL."""
    return PostgresReader(PostgresConnection(url), club)


class PostgresReader(LogReader):
    """A reader of one club's log in PostgreSQL, where each table has a column for the club."""

    prefix = ""
    of_club = "club = :club AND"
    own = "club = :club"
    by_age = "place"
    among = "id = ANY(ARRAY(SELECT json_array_elements_text(:ids)))"
    indexed = "coalesce((SELECT indexed FROM clubs WHERE club = :club), 0)"

    def __init__(self, connection: PostgresConnection, club: str = MAIN) -> None:
        self._connection = connection
        self._club = club
        self.name = connection.name

    def of(self, club: str) -> "PostgresReader":
        return PostgresReader(self._connection, club)

    def close(self) -> None:
        self._connection.close()

    def select(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        return self._connection.read(_named(query), {"club": self._club, **values})

    def rows_of(self, tournament_id: str, condition: str, **values: object) -> list[Row]:
        query = f"""SELECT tournament, number, kind, facts, checksum FROM log
            WHERE club = :club AND tournament = :tournament AND {condition}"""
        return self._checked(self.select(query, tournament=tournament_id, **values))

    def newest_rows(self, limit: int) -> list[Row]:
        query = """SELECT tournament, number, kind, facts, checksum FROM log
            WHERE club = :club ORDER BY number DESC LIMIT :limit"""
        return self._checked(self.select(query, limit=limit))

    def _checked(self, rows: Iterable[tuple[Any, ...]]) -> list[Row]:
        return [
            (number, intact(facts.encode(), sum_, self._club, number, tournament, kind))
            for tournament, number, kind, facts, sum_ in rows
        ]

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        query = f"SELECT id, record, checksum FROM ended WHERE {self.of_club} {self.among}"
        rows = self.select(query, ids=self._keys(tournament_ids))
        return [(each, intact(record.encode(), sum_, self._club, each)) for each, record, sum_ in rows]

    def ended_by_club(self) -> dict[str, Counted]:
        # No other part of a record can match, because quotation marks in texts are escaped.
        rows = self._connection.read(
            """SELECT club, clubs.last, coalesce(substring(record FROM '"status":"([a-z]+)"'), 'finished'), count(*)
               FROM tournaments JOIN clubs USING (club) LEFT JOIN ended USING (club, id)
               WHERE over GROUP BY 1, 2, 3"""
        )
        counted: dict[str, Counted] = {}
        for club, last, status, count in rows:
            counted.setdefault(club, (last, Counter()))[1][status] = count
        return counted

    def bytes(self) -> int:
        rows = self.select("SELECT bytes FROM clubs WHERE club = :club")
        return int(rows[0][0]) if rows else 0


@cache  # the queries of this module and of `LogReader`
def _named(query: str) -> str:
    """Return a query with the names of values in psycopg's form: `:club` becomes `%(club)s`."""
    return re.sub(r"(?<!:):([a-z_]+)", r"%(\1)s", query)
