"""The queries of a club's rows in SQLite, where keys begin with the club's name (`store/row_keys.py`)."""

import sqlite3
from collections import Counter
from collections.abc import Collection
from typing import Any

from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log.reader import LogReader
from rumble_server.store.log.rows import Counted, Row
from rumble_server.store.row_keys import MAIN, prefix_of, split
from rumble_server.store.sqlite.match_index import INDEXED, LAST_NUMBER, bytes_of
from rumble_server.store.sqlite.schema import open_reader, store_errors


def read_sqlite(path: str, club: str = MAIN) -> LogReader:
    """Open a reader of a club's log, with its own connection. Raises StoreError."""
    return SqliteReader(open_reader(path), path, club)


class SqliteReader(LogReader):
    """A reader of one club's log in SQLite, on a connection that only reads."""

    of_club = ""
    own = "id > :prefix AND id < :beyond"
    by_age = "rowid"
    among = "id IN (SELECT value FROM json_each(:ids))"
    indexed = INDEXED

    def __init__(self, database: sqlite3.Connection, name: str, club: str = MAIN) -> None:
        self.database = database
        self.name = name
        self._club = club
        self.prefix = prefix_of(club)
        # The character after `/` is `0`, so all keys with the prefix are below `club0`.
        self._bounds = {"prefix": self.prefix, "beyond": f"{club}0"}

    def of(self, club: str) -> "SqliteReader":
        return SqliteReader(self.database, self.name, club)

    def close(self) -> None:
        self.database.close()

    def select(self, query: str, **values: object) -> list[Any]:
        try:
            return self.database.execute(query, {**self._bounds, **values}).fetchall()
        except sqlite3.Error as error:
            kind = StoreError if isinstance(error, sqlite3.OperationalError) else DamagedLog
            raise kind(f"cannot read the database {self.name}: {error}") from None

    def rows_of(self, tournament_id: str, condition: str, **values: object) -> list[Row]:
        query = f"SELECT number, facts FROM log WHERE tournament = :tournament AND {condition}"
        return self.select(query, tournament=self.prefix + tournament_id, **values)

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        rows = self.select(f"SELECT id, record FROM ended WHERE {self.among}", ids=self._keys(tournament_ids))
        return [(key[len(self.prefix) :], record) for key, record in rows]

    def ended_by_club(self) -> dict[str, Counted]:
        rows = self.select(
            f"""SELECT ({LAST_NUMBER}), substr(tournaments.id, 1, instr(tournaments.id, '/')),
                    coalesce(json_extract(record, '$.status'), 'finished'), count(*)
                FROM tournaments LEFT JOIN ended ON ended.id = tournaments.id AND json_valid(record)
                WHERE over = 1 GROUP BY 2, 3"""
        )
        counted: dict[str, Counted] = {}
        for last, prefix, status, count in rows:
            counted.setdefault(split(prefix)[0], (last, Counter()))[1][status] = count
        return counted

    def bytes(self) -> int:
        with store_errors("read", self.name):
            return bytes_of(self.database, self._club)

    def newest_rows(self, limit: int) -> list[Row]:
        return self.select("SELECT number, facts FROM log ORDER BY number DESC LIMIT :limit", limit=limit)
