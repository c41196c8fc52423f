"""The rows of a club in SQLite, where keys begin with the club's name (`store/keys.py`). Readers use them."""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection
from typing import Any

from rumble_server.store.content import TOURNAMENT
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.keys import MAIN, prefix_of, split
from rumble_server.store.match_index import INDEXED, LAST_NUMBER, bytes_of
from rumble_server.store.reader import LogReader
from rumble_server.store.rows import Counted, Row, Span
from rumble_server.store.schema import open_reader

_FROM_FIRST = """number >= coalesce((SELECT max(number) FROM log
    WHERE tournament = :tournament AND kind = :kind AND number <= :first), :first, 0)"""
"""SQL condition of rows from the fact `first` on.

A row's number is that of its first fact, so the row before `first` may hold the fact.
"""


def read_sqlite(path: str, club: str = MAIN) -> LogReader:
    """Open a reader of a club with a connection of its own. Raises StoreError."""
    return LogReader(SqliteRows(open_reader(path), path, club))


def clubs_in(database: sqlite3.Connection) -> list[str]:
    """Return `main` and all clubs with rows in the log. Raises sqlite3.Error."""
    keys = database.execute("SELECT DISTINCT tournament FROM log")
    return sorted({MAIN, *(split(key)[0] for (key,) in keys)})


class SqliteRows:
    """The rows of one club on a connection that only reads."""

    def __init__(self, database: sqlite3.Connection, name: str, club: str = MAIN) -> None:
        self.database = database
        self.name = name
        self._club = club
        self._prefix = prefix_of(club)
        # The character after `/` is `0`, so all keys with the prefix are below `club0`. No id of `main` has a slash.
        self._own = "id > :prefix AND id < :beyond" if self._prefix else "instr(id, '/') = 0"
        self._place = {"prefix": self._prefix, "beyond": f"{club}0"}

    def of(self, club: str) -> "SqliteRows":
        return SqliteRows(self.database, self.name, club)

    def close(self) -> None:
        self.database.close()

    def tournament_ids(self, over: bool | None) -> list[str]:
        which = "" if over is None else "AND over = :over"
        query = f"SELECT id FROM tournaments WHERE {self._own} {which} ORDER BY rowid"
        return self._short(self._rows(query, {**self._place, "over": over}))

    def listed_ids(self, limit: int) -> list[str]:
        query = (
            f"SELECT id FROM tournaments WHERE {self._own} AND over = 1 AND listed = 1 ORDER BY rowid DESC LIMIT :limit"
        )
        return self._short(self._rows(query, {**self._place, "limit": limit}))

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        query = "SELECT id FROM tournaments WHERE listed = 1 AND id IN (SELECT value FROM json_each(:ids))"
        return self._short(self._rows(query, {"ids": self._keys(tournament_ids)}))

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        query = "SELECT id, record FROM ended WHERE id IN (SELECT value FROM json_each(:ids))"
        rows = self._rows(query, {"ids": self._keys(tournament_ids)})
        return [(key[len(self._prefix) :], record) for key, record in rows]

    def ended_by_club(self) -> dict[str, Counted]:
        rows = self._rows(
            f"""SELECT ({LAST_NUMBER}), substr(tournaments.id, 1, instr(tournaments.id, '/')),
                    coalesce(json_extract(record, '$.status'), 'finished'), count(*)
                FROM tournaments LEFT JOIN ended ON ended.id = tournaments.id AND json_valid(record)
                WHERE over = 1 GROUP BY 2, 3""",
            {},
        )
        counted: dict[str, Counted] = {}
        for last, prefix, status, count in rows:
            counted.setdefault(split(prefix)[0], (last, Counter()))[1][status] = count
        return counted

    def bytes(self) -> int:
        try:
            return bytes_of(self.database, self._club)
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the database {self.name}: {error}") from None

    def newest(self, limit: int) -> list[Row]:
        return self._rows("SELECT number, facts FROM log ORDER BY number DESC LIMIT :limit", {"limit": limit})

    def of_server(self, number: int = 0) -> list[Row]:
        query = "SELECT number, facts FROM log WHERE tournament = :tournament AND number > :number ORDER BY number"
        return self._rows(query, {"tournament": self._prefix, "number": number})

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        return self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
               AND number > :number ORDER BY number LIMIT :limit""",
            {"tournament": self._prefix + tournament_id, "kind": TOURNAMENT, "number": number, "limit": limit},
        )

    def span(self, tournament_id: str, match_id: str) -> Span:
        rows = self._rows(
            f"""SELECT {INDEXED}, first, last, (SELECT pruned FROM tournaments WHERE id = :tournament)
                FROM (SELECT 1) LEFT JOIN matches ON id = :match""",
            {"match": self._prefix + match_id, "tournament": self._prefix + tournament_id},
        )
        indexed, first, last, pruned = rows[0]
        return Span(indexed, first, last, bool(pruned))

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        return self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
               AND number >= coalesce((SELECT max(number) FROM log
                   WHERE tournament = :tournament AND kind = :kind AND number <= :first), :first)
               AND number <= :until AND (facts IS NULL OR instr(facts, :text))
               UNION ALL
               SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
               AND number > :indexed AND (facts IS NULL OR instr(facts, :text))""",
            {
                "tournament": self._prefix + tournament_id,
                "kind": kind,
                "first": span.first,
                "until": until,
                "indexed": span.indexed,
                "text": text,
            },
        )

    def first_of(self, match_ids: Collection[str]) -> int | None:
        query = f"""SELECT coalesce(min(first), {INDEXED} + 1) FROM matches
                    WHERE id IN (SELECT value FROM json_each(:ids))"""
        first: int | None = self._rows(query, {"ids": self._keys(match_ids)})[0][0]
        return first

    def since(self, tournament_id: str, kind: int, first: int | None) -> list[Row]:
        return self._rows(
            f"SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind AND {_FROM_FIRST}",
            {"tournament": self._prefix + tournament_id, "kind": kind, "first": first},
        )

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        return self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind AND number <= :number
               ORDER BY number DESC LIMIT 1""",
            {"tournament": self._prefix + tournament_id, "kind": kind, "number": number},
        )

    def matches(self, start: str) -> list[str]:
        # `/` is the character after the dot.
        query = "SELECT id FROM matches WHERE id > :start || '.' AND id < :start || '/'"
        return self._short(self._rows(query, {"start": self._prefix + start}))

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        rows = self._rows(
            f"""SELECT facts FROM log WHERE tournament = :tournament AND kind = :kind AND facts IS NOT NULL
                AND number > {INDEXED}""",
            {"tournament": self._prefix + tournament_id, "kind": kind},
        )
        return [facts for (facts,) in rows]

    def _keys(self, ids: Collection[str]) -> str:
        return json.dumps([self._prefix + each for each in ids])

    def _short(self, rows: list[tuple[Any, ...]]) -> list[str]:
        return [str(row[0])[len(self._prefix) :] for row in rows]

    def _rows(self, query: str, parameters: dict[str, object]) -> list[Any]:
        try:
            return self.database.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            kind = StoreError if isinstance(error, sqlite3.OperationalError) else DamagedLog
            raise kind(f"cannot read the database {self.name}: {error}") from None
