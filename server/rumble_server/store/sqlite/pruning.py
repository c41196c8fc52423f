"""`rumble db prune`, which deletes the plies of old tournaments, and `rumble db vacuum`, which shrinks the file."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rumble_server.store.errors import StoreError
from rumble_server.store.log.content import DETAIL
from rumble_server.store.log.old_tournaments import BATCH_ROWS, old_challenges, old_tournaments
from rumble_server.store.row_keys import MAIN, prefix_of, split
from rumble_server.store.sqlite.lock import locked
from rumble_server.store.sqlite.match_index import delete_rows
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import empty_wal, open_existing, store_errors

PAUSE_S = 0.01
"""Pause in s between two transactions, so that a running server can write."""


def prune(path: str, ended_before_ms: int, club: str | None = None) -> tuple[int, int]:
    """Delete the plies and frames of tournaments that ended before `ended_before_ms` (ms since 1970).

    None for `club` means all clubs. Results, standings and records stay. `LogReader.match_facts` raises
    Pruned for a match whose plies were deleted. A server may run on the database meanwhile. Return the number of
    tournaments with deleted rows, and the number of deleted rows. Raises StoreError.
    """
    with closing(open_existing(path)) as database, store_errors("write to", path):
        keys = database.execute("SELECT DISTINCT tournament FROM log")
        clubs = sorted({MAIN, *(split(key)[0] for (key,) in keys)})
        if club is not None and club not in clubs:
            raise StoreError(f"there is no club {club} in {path}")
        with closing(read_sqlite(path)) as any_club:
            old = list(old_tournaments(any_club, clubs if club is None else [club], ended_before_ms))
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("PRAGMA synchronous = FULL")
        deleted = [_delete_plies(database, *each) for each in old]
    return sum(map(bool, deleted)), sum(deleted)


def prune_challenges(path: str, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
    """Delete the plies and frames of challenges that ended before `ended_before_ms` (ms since 1970).

    The running server calls the function. `is_stopped` is called before each challenge, and stops the
    work by returning true. Raises StoreError.
    """
    with (
        closing(open_existing(path)) as database,
        closing(read_sqlite(path)) as any_club,
        store_errors("write to", path),
    ):
        query = "SELECT id FROM tournaments WHERE over AND NOT listed AND NOT pruned ORDER BY rowid"
        unlisted = [split(key) for (key,) in database.execute(query)]
        for club, challenge in old_challenges(any_club, unlisted, ended_before_ms):
            if is_stopped():
                return
            _delete_plies(database, club, challenge)


def _delete_plies(database: sqlite3.Connection, club: str, tournament_id: str) -> int:
    rows, key = 0, prefix_of(club) + tournament_id
    portion = "SELECT number FROM log WHERE tournament = ? AND kind = ? ORDER BY number LIMIT ?"
    while True:
        with database:
            database.execute("BEGIN IMMEDIATE")
            deleted = delete_rows(database, club, f"number IN ({portion})", key, DETAIL, BATCH_ROWS)
            if not rows:
                database.execute("UPDATE tournaments SET pruned = 1 WHERE id = ?", (key,))
        rows += deleted
        if deleted < BATCH_ROWS:
            return rows
        time.sleep(PAUSE_S)


def vacuum(path: str) -> tuple[int, int]:
    """Shrink the database file by its free space, and return the file's size in bytes before and after.

    Call this function only while no server runs on the database. Raises StoreError.
    """
    with locked(path) as real_path, closing(open_existing(real_path)) as database:
        with store_errors("write to", path):
            empty_wal(database)
            before = Path(real_path).stat().st_size
            database.execute("VACUUM")
            empty_wal(database)
        return before, Path(real_path).stat().st_size
