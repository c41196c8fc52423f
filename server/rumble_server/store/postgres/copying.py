"""Reading and writing all contents of a PostgreSQL database for `rumble db copy` (`store/care/copying.py`)."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import checksum, intact
from rumble_server.store.log.content import TOURNAMENT
from rumble_server.store.log.copied import DERIVED, Contents, CopiedRow, TournamentRow, last_fact
from rumble_server.store.log.match_spans import spans
from rumble_server.store.postgres.connection import PostgresConnection, connect, without_password
from rumble_server.store.postgres.schema import is_prepared, prepare
from rumble_server.store.row_keys import MAIN

PORTION_ROWS = 500
"""Number of rows fetched at a time."""


class PostgresContents:
    """The contents (port `Contents`) of a database, all read and written in one transaction."""

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]", name: str) -> None:
        self._connection = connection
        self.name = name
        self._cursors = 0

    def clubs(self) -> list[str]:
        rows = self._rows("SELECT club FROM clubs UNION SELECT club FROM meta")
        return sorted({MAIN, *(club for (club,) in rows)})

    def newest_run(self) -> int:
        return int(next(self._rows("SELECT coalesce(max(epoch), 0) FROM clubs"))[0])

    def log(self, club: str) -> Iterator[CopiedRow]:
        query = """SELECT number, tournament, kind, facts, checksum FROM log WHERE club = %s
                   ORDER BY tournament, kind, number"""
        for number, tournament, kind, text, sum_ in self._rows(query, club):
            if text and intact(text.encode(), sum_, club, number, tournament, kind) is None:
                raise StoreError(f"{self.name}: row {number} of the log of {club} is damaged")
            yield number, tournament, kind, text

    def tournaments(self, club: str) -> Iterator[TournamentRow]:
        yield from self._rows("SELECT id, listed, over, pruned FROM tournaments WHERE club = %s ORDER BY place", club)

    def records(self, club: str) -> Iterator[tuple[str, str]]:
        query = "SELECT id, record, checksum FROM ended WHERE club = %s ORDER BY id"
        for tournament, record, sum_ in self._rows(query, club):
            if intact(record.encode(), sum_, club, tournament) is None:
                raise StoreError(f"{self.name}: the record of {tournament} of {club} is damaged")
            yield tournament, record

    def values(self, club: str) -> Iterator[tuple[str, str]]:
        for key, value in self._rows("SELECT key, value FROM meta WHERE club = %s ORDER BY key", club):
            if key not in DERIVED:
                yield key, value

    # --- writing ---

    def write(self, source: Contents, now_ms: int) -> int:
        """Copy all clubs of `source` into this database, and return the number of copied rows of the log.

        Raises StoreError.
        """
        run = max(source.newest_run(), self.newest_run(), now_ms)
        rows = 0
        for club in source.clubs():
            if self._has(club):
                raise StoreError(f"{self.name} has the club {club} already; nothing is copied")
            rows += self._write_club(source, club, run)
        return rows

    def _has(self, club: str) -> bool:
        query = """SELECT EXISTS (SELECT FROM log WHERE club = %(club)s)
                   OR EXISTS (SELECT FROM tournaments WHERE club = %(club)s)
                   OR EXISTS (SELECT FROM meta WHERE club = %(club)s)"""
        return bool(self._connection.execute(query, {"club": club}).fetchall()[0][0])

    def _write_club(self, source: Contents, club: str, epoch: int) -> int:
        rows, last, size = 0, 0, 0
        with closing(self._connection.cursor()) as cursor:
            of_matches: dict[str, list[str]] = {}
            with cursor.copy("COPY log (club, number, tournament, kind, facts, checksum) FROM STDIN") as copy:
                for number, tournament, kind, text in source.log(club):
                    sum_ = checksum(text.encode(), club, number, tournament, kind)
                    copy.write_row((club, number, tournament, kind, text, sum_))
                    rows, last, size = rows + 1, max(last, number, last_fact(text)), size + len(text)
                    if kind == TOURNAMENT:
                        of_matches.setdefault(tournament, []).append(text)
            for texts in of_matches.values():
                cursor.executemany(
                    "INSERT INTO matches (club, id, first, last) VALUES (%s, %s, %s, %s)",
                    [(club, match_id, *span) for match_id, span in spans(texts).items()],
                )
            cursor.executemany(
                "INSERT INTO tournaments (club, id, listed, over, pruned) VALUES (%s, %s, %s, %s, %s)",
                [(club, *each) for each in source.tournaments(club)],
            )
            cursor.executemany(
                "INSERT INTO ended (club, id, record, checksum) VALUES (%s, %s, %s, %s)",
                [(club, each, text, checksum(text.encode(), club, each)) for each, text in source.records(club)],
            )
            cursor.executemany(
                "INSERT INTO meta (club, key, value) VALUES (%s, %s, %s)",
                [(club, *each) for each in source.values(club)],
            )
            cursor.execute(
                """INSERT INTO clubs (club, epoch, last, bytes, indexed) VALUES (%s, %s, %s, %s, %s)
                   ON CONFLICT (club) DO UPDATE SET node = NULL, epoch = excluded.epoch + 1, last = excluded.last,
                   bytes = excluded.bytes, indexed = excluded.indexed""",
                (club, epoch, last, size, last),
            )
        return rows

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        self._cursors += 1
        with self._connection.cursor(f"copied_{self._cursors}") as cursor:
            cursor.itersize = PORTION_ROWS
            cursor.execute(query.encode(), values)
            yield from cursor


@contextmanager
def reading(url: str) -> Iterator[PostgresContents]:
    """Yield the contents of a database, all read at the same moment (one transaction).

    Raises StoreError if a node runs on the database, or if the database is not Rumble's or cannot be read.
    """
    with closing(PostgresConnection(url)) as connection:
        if not is_prepared(connection):
            raise StoreError(f"{connection.name} is not a database of Rumble")
        nodes = connection.read("SELECT address FROM nodes WHERE until > clock_timestamp() LIMIT 1")
        if nodes:
            raise StoreError(f"a node is running on {connection.name}: {nodes[0][0]}")
    with _transaction(url) as contents:
        yield contents


@contextmanager
def writing(url: str) -> Iterator[PostgresContents]:
    """Yield a database to write to. All writes are one transaction, which any error undoes. Raises StoreError.

    Missing tables are made first.
    """
    with closing(PostgresConnection(url)) as connection:
        prepare(connection)
    with _transaction(url) as contents:
        yield contents


@contextmanager
def _transaction(url: str) -> Iterator[PostgresContents]:
    try:
        with closing(connect(url)) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            with connection.transaction():
                yield PostgresContents(connection, without_password(url))
    except psycopg.Error as error:
        raise StoreError(f"the database {without_password(url)}: {' '.join(str(error).split())}") from None
