"""A connection to PostgreSQL that opens when needed, and opens again after it was lost."""

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult
from psycopg.rows import tuple_row

from rumble_server.store.errors import StoreError

CONNECT_S = 5
"""Maximum time in s to make a connection."""
SILENT_MS = 10_000
"""Maximum time in ms without acknowledgement of sent bytes before the connection counts as lost."""
SETTINGS = """
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
UNION ALL
SELECT set_config(name, 'lz4', false) FROM pg_settings
WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)
"""
"""SQL that every connection runs first, to change two settings.

If the database is set to `synchronous_commit = off`, the setting becomes `on`, so that a reported commit is on disk;
any other value stays. If the database has LZ4 (from release 14 on), long texts are compressed by LZ4, in a fraction of
the time that PGLZ takes.
"""

Rows = list[tuple[Any, ...]]


def shown(url: str) -> str:
    """Return the name of a database for messages, without user and password. Raises StoreError for a bad URL."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:  # psycopg's message may have the password
        raise StoreError("--db: this is no address of a PostgreSQL database: postgresql://USER@HOST/NAME") from None
    return f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"


def told(error: psycopg.Error) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return "it takes no writes: it is a standby, or set to be read only"
    return " ".join((error.diag.message_primary or str(error)).split()) or type(error).__name__


def connect(url: str, settings: Mapping[str, str] | None = None) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open a connection with these settings. Each statement commits by itself. Raises psycopg.Error."""
    connection = psycopg.connect(
        url,
        autocommit=True,
        row_factory=tuple_row,
        client_encoding="UTF8",  # the encoding of facts, whatever PGCLIENTENCODING or the role says
        connect_timeout=CONNECT_S,
        tcp_user_timeout=SILENT_MS,
        keepalives_idle=5,
        keepalives_interval=2,
        application_name="rumble",
    )
    connection.execute(SETTINGS)
    for name, value in (settings or {}).items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


class PostgresConnection:
    """A connection for use from any thread, with one statement at a time."""

    def __init__(self, url: str, settings: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._settings = settings
        self.name = shown(url)
        self._open: psycopg.Connection[tuple[Any, ...]] | None = None
        self._prepared: dict[str, bytes] = {}
        """Names of the statements that the open connection has prepared."""
        self._lock = RLock()

    def close(self) -> None:
        """Close the connection; the next statement opens another."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def read(self, query: str, values: Mapping[str, object] | None = None) -> Rows:
        """Return the rows of a query, which is repeated once if the connection was lost. Raises StoreError."""
        with self._lock:
            was_open = self._open is not None
            try:
                return self.execute(query, values)
            except StoreError:
                if not was_open or self._open is not None:
                    raise
                return self.execute(query, values)

    def execute(self, statement: str, values: Mapping[str, object] | None = None) -> Rows:
        """Run a statement, and return its rows. Raises StoreError; the statement may have taken effect nevertheless."""
        with self._lock:
            try:
                cursor = self._opened().execute(statement.encode(), values)
                return cursor.fetchall() if cursor.description else []
            except psycopg.Error as error:
                raise self._failed(error) from None

    def execute_prepared(self, statement: str, values: Sequence[bytes], formats: Sequence[Format]) -> list[str]:
        """Run a statement with encoded values $1, $2 and so on, and return its first column.

        Raises StoreError; the statement may have taken effect nevertheless. `execute` takes twice as long.
        """
        with self._lock:
            try:
                library = self._opened().pgconn
                name = self._prepared.get(statement)
                if name is None:
                    name = b"%d" % len(self._prepared)
                    _checked(library.prepare(name, statement.encode()))
                    self._prepared[statement] = name
                result = _checked(library.exec_prepared(name, values, formats))
                return [(result.get_value(row, 0) or b"").decode() for row in range(result.ntuples)]
            except psycopg.Error as error:
                raise self._failed(error) from None

    def transact(self, work: "Callable[[psycopg.Connection[tuple[Any, ...]]], None]") -> None:
        """Run `work` in a transaction. Raises StoreError; the transaction is then undone."""
        with self._lock:
            try:
                opened = self._opened()
                with opened.transaction():
                    work(opened)
            except psycopg.Error as error:
                raise self._failed(error) from None

    def _opened(self) -> "psycopg.Connection[tuple[Any, ...]]":
        if self._open is None:
            self._open = connect(self._url, self._settings)
            self._prepared = {}
        return self._open

    def _failed(self, error: psycopg.Error) -> StoreError:
        if self._open is not None and (self._open.closed or self._open.broken):
            self._open = None
        return StoreError(f"the database {self.name}: {told(error)}")


def _checked(result: PGresult) -> PGresult:
    """Return the result if it is a success. Raises psycopg.Error."""
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise psycopg.errors.error_from_result(result)
    return result
