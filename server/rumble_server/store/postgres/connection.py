"""A connection to PostgreSQL that opens at its first use, and opens again after it was lost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult
from psycopg.rows import tuple_row

from rumble_server.store.errors import DamagedLog, StoreError

LIVENESS: dict[str, Any] = {"connect_timeout": 5, "keepalives_idle": 5, "keepalives_interval": 2}
"""Options of every connection, in s: the maximum time to open the connection, and the times of keep-alive packets.

The packets reveal that the database is gone, also on a connection on which nothing is sent.
"""
SILENT_MS = 10_000
"""Time in ms after which a connection counts as lost if the database does not acknowledge sent bytes."""
SETTINGS = """
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
UNION ALL
SELECT set_config(name, 'lz4', false) FROM pg_settings
WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)
"""
"""SQL that every connection runs first, to change two settings.

- `synchronous_commit`: `off` becomes `on`, so that a successful commit is on disk. Any other value stays.
- `default_toast_compression`: becomes `lz4` if the database has LZ4 (release 14 or later). LZ4 compresses long texts in
  a fraction of the time that PGLZ takes.
"""

Rows = list[tuple[Any, ...]]


def without_password(url: str) -> str:
    """Return a database's name for messages: its URL without user and password. Raises StoreError for a bad URL."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:  # psycopg's message may have the password
        raise StoreError("--db: this is no address of a PostgreSQL database: postgresql://USER@HOST/NAME") from None
    return f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"


def one_line(error: psycopg.Error) -> str:
    """Return an error's message as one line; if the database takes no writes, say why."""
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return "it takes no writes: it is a standby, or set to be read only"
    return " ".join((error.diag.message_primary or str(error)).split()) or type(error).__name__


def connect(url: str, settings: Mapping[str, str] | None = None) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open a connection on which each statement commits by itself. Raises psycopg.Error.

    `settings` has the values of PostgreSQL's settings for this connection, by name.
    """
    connection = psycopg.connect(
        url,
        autocommit=True,
        row_factory=tuple_row,
        client_encoding="UTF8",  # the encoding of facts, whatever PGCLIENTENCODING or the role says
        tcp_user_timeout=SILENT_MS,
        application_name="rumble",
        **LIVENESS,
    )
    connection.execute(SETTINGS)
    for name, value in (settings or {}).items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


class PostgresConnection:
    """A connection that any thread may use. Calls at the same time wait for each other."""

    def __init__(self, url: str, settings: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._settings = settings
        self.name = without_password(url)
        self._open: psycopg.Connection[tuple[Any, ...]] | None = None
        self._prepared: dict[str, bytes] = {}
        """Names of the statements prepared on the open connection, by the SQL of the statement."""
        self._lock = RLock()

    def close(self) -> None:
        """Close the connection. The next statement opens a new connection."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def read(self, query: str, values: Mapping[str, object] | None = None) -> Rows:
        """Run a query, and return its rows. If the connection was lost, try once more. Raises StoreError."""
        with self._lock:
            was_open = self._open is not None
            try:
                return self.execute(query, values)
            except StoreError:
                if not was_open or self._open is not None:
                    raise
                return self.execute(query, values)

    def execute(self, statement: str, values: Mapping[str, object] | None = None) -> Rows:
        """Run a statement once, and return its rows.

        Raises StoreError. Even then the statement may have had its effect.
        """
        with self._using() as opened:
            cursor = opened.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def execute_prepared(self, statement: str, values: Sequence[bytes], formats: Sequence[Format]) -> list[str]:
        """Run a statement as a prepared statement, and return the first column of its rows.

        `values` are the encoded values of $1, $2 and so on, and `formats` their formats. `execute` would take twice as
        long. Raises StoreError. Even then the statement may have had its effect.
        """
        with self._using() as opened:
            library = opened.pgconn
            name = self._prepared.get(statement)
            if name is None:
                name = b"%d" % len(self._prepared)
                _checked(library.prepare(name, statement.encode()))
                self._prepared[statement] = name
            result = _checked(library.exec_prepared(name, values, formats))
            return [(result.get_value(row, 0) or b"").decode() for row in range(result.ntuples)]

    def transact(self, work: "Callable[[psycopg.Connection[tuple[Any, ...]]], None]") -> None:
        """Run `work` in a transaction, which any error undoes. Raises StoreError after a database error."""
        with self._using() as opened, opened.transaction():
            work(opened)

    @contextmanager
    def _using(self) -> "Iterator[psycopg.Connection[tuple[Any, ...]]]":
        """Yield the connection, and open it first if needed. An error of the database becomes a StoreError."""
        with self._lock:
            try:
                if self._open is None:
                    self._open = connect(self._url, self._settings)
                    self._prepared = {}
                yield self._open
            except psycopg.Error as error:
                if self._open is not None and (self._open.closed or self._open.broken):
                    self._open = None
                is_damage = isinstance(error, psycopg.errors.DataCorrupted | psycopg.errors.IndexCorrupted)
                kind = DamagedLog if is_damage else StoreError
                raise kind(f"the database {self.name}: {one_line(error)}") from None


def _checked(result: PGresult) -> PGresult:
    """Return `result` if the statement succeeded. Raises psycopg.Error if the statement failed."""
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise psycopg.errors.error_from_result(result)
    return result
