"""Backups of an SQLite database, which can be made while a server runs, and the restoration of backups."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rumble_server.store.errors import StoreError
from rumble_server.store.sqlite.files import make_private
from rumble_server.store.sqlite.lock import locked
from rumble_server.store.sqlite.schema import check_database, open_existing


def backup(path: str, to: str) -> None:
    """Copy a database to a new file. Raises StoreError.

    The copy has the state of a single moment, even if a server writes meanwhile.
    """
    if Path(to).exists():
        raise StoreError(f"{to} exists; choose another name")
    copy(path, to)


def restore(path: str, backup: str, *, replace: bool) -> None:
    """Copy the file `backup` to `path`. Raises StoreError, for example if a server runs on the database at `path`.

    An existing database at `path` is replaced only if `replace` is true. The next run of a server gets a greater number
    than all runs of the replaced database. Turn ids contain this number, so no turn id is used twice.
    """
    if not Path(backup).is_file():
        raise StoreError(f"there is no backup {backup}")
    check_database(backup)
    with locked(path, may_be_new=True) as real_path:
        if os.path.exists(real_path) and os.path.samefile(real_path, backup):
            raise StoreError(f"{backup} is the database itself")
        if Path(real_path).exists() and not replace:
            raise StoreError(f"the database {path} exists; --force replaces it")
        replaced = _runs(real_path) if os.path.exists(real_path) else 0
        copy(backup, real_path, least_run=max(replaced, int(1000 * time.time())))


def _runs(path: str) -> int:
    """Return the number of a server's last run on a database; 0 if there was no run, or the number cannot be read."""
    try:
        with closing(open_existing(path)) as database:
            return int(
                database.execute("SELECT coalesce(max(value), 0) FROM meta WHERE key = 'main/runs'").fetchone()[0]
            )
    except (StoreError, sqlite3.Error, ValueError):
        return 0


def copy(path: str, to: str, least_run: int = 0) -> None:
    """Copy the database at `path` to `to`, and replace an existing file only when the copy is complete.

    The next run of a server on the copy gets a number above `least_run`. Turn ids contain this number. If `path` is a
    backup, servers may have run after the backup was made. `least_run` must then be at least the number of the last
    run. Raises StoreError.
    """
    with closing(open_existing(path)) as database, new_file(to) as part, closing(sqlite3.connect(part)) as target:
        database.backup(target)  # in one step: in WAL mode a reader blocks no writer
        if least_run:
            target.execute(
                """INSERT INTO meta (key, value) VALUES ('main/runs', ?) ON CONFLICT (key)
                   DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))""",
                (str(least_run),),
            )
            target.commit()
        target.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def new_file(path: str) -> Iterator[str]:
    """Yield the path of a new, private file. Move the file to `path` if the block succeeds, else remove the file.

    Raises StoreError.
    """
    part = f"{path}.part"
    try:
        Path(part).unlink(missing_ok=True)
        make_private(part)
        yield part
        put_database(part, path)
    except sqlite3.Error as error:
        raise StoreError(f"cannot write the database {path}: {error}") from None
    except OSError as error:
        raise StoreError(f"cannot write the database {path}: {error.strerror}") from None
    finally:
        Path(part).unlink(missing_ok=True)


def put_database(part: str, path: str) -> None:
    """Move the database file `part` to `path`. Raises OSError.

    Call this function only while no process uses a database at `path`.
    """
    for suffix in ("-wal", "-shm"):  # first, since SQLite would take the old files for files of the new database
        Path(path + suffix).unlink(missing_ok=True)
    os.replace(part, path)
    if os.name == "posix":
        folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
