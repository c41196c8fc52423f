"""A connection to PostgreSQL that is opened when it is needed, and again when it was lost."""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row

from rumble_server.store.errors import StoreError

CONNECT_S = 5
"""How long a connection may take to be made, in s."""
SILENT_MS = 10_000
"""How long what was sent may stay without an acknowledgement, in ms, before the connection counts as lost."""
DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
"""Whatever the database is set to, a commit that is told is on disk. `remote_apply` and the like stay."""

Rows = list[tuple[Any, ...]]


def shown(url: str) -> str:
    """Return how a database is called in messages: without user and password. Raises StoreError for a bad URL."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:  # what it says may have the password
        raise StoreError("--db: this is no address of a PostgreSQL database: postgresql://USER@HOST/NAME") from None
    return f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"


def connect(url: str, settings: Mapping[str, str] | None = None) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open a connection with settings of its own, on which each statement commits by itself. Raises psycopg.Error."""
    connection = psycopg.connect(
        url,
        autocommit=True,
        row_factory=tuple_row,
        connect_timeout=CONNECT_S,
        tcp_user_timeout=SILENT_MS,
        keepalives_idle=5,
        keepalives_interval=2,
        application_name="rumble",
    )
    connection.execute(DURABLE)
    for name, value in (settings or {}).items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


class Connection:
    """Runs statements, one at a time, for any thread."""

    def __init__(self, url: str, settings: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._settings = settings
        self.name = shown(url)
        self._open: psycopg.Connection[tuple[Any, ...]] | None = None
        self._lock = RLock()

    def close(self) -> None:
        """Close the connection; the next statement opens another."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def read(self, query: str, values: Mapping[str, object] | None = None) -> Rows:
        """Return the rows of a query, which is asked again if the connection was lost. Raises StoreError."""
        with self._lock:
            was_open = self._open is not None
            try:
                return self.execute(query, values)
            except StoreError:
                if not was_open or self._open is not None:
                    raise
                return self.execute(query, values)

    def execute(self, statement: str, values: Mapping[str, object] | None = None) -> Rows:
        """Run a statement, and return what it returns. It may have been done even if it fails. Raises StoreError."""
        with self._lock:
            try:
                cursor = self._opened().execute(statement.encode(), values)
                return cursor.fetchall() if cursor.description else []
            except psycopg.Error as error:
                raise self._failed(error) from None

    def transact(self, work: "Callable[[psycopg.Connection[tuple[Any, ...]]], None]") -> None:
        """Do some work in a transaction. Raises StoreError, and then nothing of it is done."""
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
        return self._open

    def _failed(self, error: psycopg.Error) -> StoreError:
        if self._open is not None and (self._open.closed or self._open.broken):
            self._open = None
        text = " ".join(str(error).split())
        return StoreError(f"the database {self.name}: {text or type(error).__name__}")
