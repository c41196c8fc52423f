"""Opening the database that the option `--db` names, in SQLite or PostgreSQL.

The modules for PostgreSQL are imported only when needed, because the library psycopg is optional.
"""

from importlib import import_module
from pathlib import Path

from rumble_server.limits.bounds import Bounds
from rumble_server.store.errors import StoreError
from rumble_server.store.log.club_store import ClubStore
from rumble_server.store.sqlite.store import SqliteStore

POSTGRES = ("postgresql://", "postgres://")
"""Beginnings of URLs that name a database in PostgreSQL."""


def is_postgres(url: str) -> bool:
    """Return true if a URL names a database in PostgreSQL."""
    return url.startswith(POSTGRES)


def database_path(url: str) -> str:
    """Return the file path from the value of `--db`: a path, `sqlite:///relative` or `sqlite:////absolute`.

    Raises StoreError for any other URL.
    """
    if is_postgres(url):
        raise StoreError("this is for files; PostgreSQL has tools of its own (pg_dump, pg_restore, VACUUM)")
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    if scheme != "sqlite" or not rest.startswith("/") or len(rest) < 2:
        raise StoreError(f"--db takes a path, sqlite:///relative or sqlite:////absolute, not {url!r}")
    return str(Path(rest[1:]))


def need_postgres() -> None:
    """Raise StoreError if the library for PostgreSQL is not installed."""
    try:
        import_module("psycopg")
    except ImportError as error:
        raise StoreError("postgresql:// needs an extra; in a checkout of Rumble: pip install '.[postgres]'") from error


def open_store(url: str, bounds: Bounds | None = None) -> ClubStore:
    """Open a database, or create it if it is missing. Raises StoreError."""
    if not is_postgres(url):
        return SqliteStore(database_path(url), bounds)
    need_postgres()
    from rumble_server.store.postgres.store import PostgresStore

    return PostgresStore(url, bounds)
