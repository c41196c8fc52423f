"""`rumble db repair`: copy everything readable from a damaged file to a new file, which then replaces the database.

What is lost depends on the content of the damaged row:
- A row with facts from which a tournament is rebuilt is replaced by an empty row. The next start of the server shows
  the tournament as damaged.
- A row with facts about a club as a whole is replaced by an empty row, too. The next start takes back every host token.
  After the start, nobody can claim the name of a bot in a tournament until the host resets the bot's key.
- A row with moves is left out. The next start finds that a match lacks moves, and has the match played again.
Indexes and missing records are made anew.
"""

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from rumble_server.store.care.copies import new_file
from rumble_server.store.care.copying import fill
from rumble_server.store.care.damage import read_rows, verify
from rumble_server.store.care.findings import Flags, about, is_record, update_flags
from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import intact
from rumble_server.store.log.codec import write_ended
from rumble_server.store.log.content import DETAIL, TOURNAMENT
from rumble_server.store.log.copied import CopiedRow, TournamentRow
from rumble_server.store.log.reader import LogReader
from rumble_server.store.row_keys import split
from rumble_server.store.sqlite.files import make_private
from rumble_server.store.sqlite.lock import locked
from rumble_server.store.sqlite.match_index import LAST_NUMBER
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_database, open_existing
from rumble_server.store.sqlite.writer import RECORD
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.rebuild import rebuild_tournament

log = logging.getLogger(__name__)

CLUB_FACTS_LOST = (
    "bans may be lost: `rumble ban list` shows those that are left",
    "the next `rumble serve` takes back every token, since the taking back of one may be lost, and makes others",
)


def repair(path: str, backup: str, now_ms: int) -> list[str]:
    """Copy a damaged database to `backup`, then mend the original. Return lines that describe the work.

    No server may run on the database. An undamaged database is not changed, and gives no lines. Raises StoreError.
    """
    with locked(path) as real_path:
        if not verify(real_path).problems:
            return []
        with new_file(real_path) as part:
            _copy_files(real_path, backup)
            with closing(open_existing(real_path)) as damaged, closing(open_database(part)) as mended:
                lines = _Repair(damaged, mended).run(now_ms)
                with closing(read_sqlite(part)) as any_club, mended:
                    mended.executemany(RECORD, list(_missing_records(mended, any_club)))
                mended.execute("PRAGMA journal_mode = DELETE")
        left = [f"not mended: {problem}" for problem in verify(real_path).problems]
        return [f"the database as it was is in {backup}", *lines, *left]


def _copy_files(path: str, backup: str) -> None:
    """Copy the database's files byte by byte, with the damage. No process may have them open.

    Raises StoreError if a file of the backup exists, and OSError if the copy fails.
    """
    for suffix in ("", "-wal"):
        if Path(path + suffix).exists():
            if Path(backup + suffix).exists():
                raise StoreError(f"{backup + suffix} exists; choose another name with --backup")
            make_private(backup + suffix)
            shutil.copyfile(path + suffix, backup + suffix)


class _Repair:
    def __init__(self, damaged: sqlite3.Connection, mended: sqlite3.Connection) -> None:
        self._damaged = damaged
        self._mended = mended
        self._whole, self._lost = 0, 0
        self._lost_of: dict[str, None] = {}
        """Keys of tournaments and clubs with lost facts, in the order found (a dictionary used as an ordered set)."""
        self._flags: Flags = {}

    def run(self, now_ms: int) -> list[str]:
        with self._mended:
            self._mended.execute("BEGIN IMMEDIATE")
            # If the number of the last run is lost, the time in ms replaces it: the time is greater than all earlier
            # numbers of runs. The number of the last fact is kept, so that no new fact gets the number of a lost fact.
            last = self._read(f"SELECT 'main/indexed', ({LAST_NUMBER})")
            values = [("main/runs", str(now_ms)), *self._read("SELECT key, value FROM meta"), *last]
            fill(self._mended, self._log(), self._tournaments(), self._records(), values)
        lines = [f"{self._whole} rows of the log are whole, {self._lost} are lost"]
        for key in self._lost_of:
            what = about(*split(key))
            losses = ("it stays damaged, since facts are lost",) if split(key)[1] else CLUB_FACTS_LOST
            lines += [f"{what}: {line}" for line in losses]
        return lines

    def _read(self, query: str) -> Iterator[Any]:
        """Yield the rows of a query until a row cannot be read."""
        with suppress(sqlite3.Error):
            yield from self._damaged.execute(query)

    def _log(self) -> Iterator[CopiedRow]:
        for row in read_rows(self._damaged):
            tournament = split(row.tournament)[1]
            try:
                facts = row.facts()
            except ValueError:
                self._lost += 1
                if row.kind != DETAIL or not tournament:
                    self._lost_of[row.tournament] = None
                    yield row.number, row.tournament, row.kind, ""
                continue
            self._whole += 1
            if tournament:
                update_flags(self._flags, row.tournament, facts)
            yield row.number, row.tournament, row.kind, row.content.decode()

    def _tournaments(self) -> Iterator[TournamentRow]:
        """Yield the rows of the new index of tournaments.

        The facts in the log show whether a tournament is listed, and whether it is over. If these facts are lost, the
        old index shows both. Whether plies were deleted always comes from the old index.
        """
        index = {key: flags for key, *flags in self._read("SELECT id, listed, over, pruned FROM tournaments")}
        created = "SELECT tournament FROM log WHERE kind = ? GROUP BY tournament ORDER BY min(number)"
        oldest_first = [key for (key,) in self._mended.execute(created, (TOURNAMENT,))]
        for key in dict.fromkeys([*oldest_first, *index]):
            was_listed, was_over, was_pruned = index.get(key, (True, False, False))
            listed, over = self._flags.get(key, (None, False))
            is_whole = key in self._flags and key not in self._lost_of
            yield key, was_listed if listed is None else listed, over if is_whole else over or was_over, was_pruned

    def _records(self) -> Iterator[tuple[str, str]]:
        for key, record, sum_ in self._read("SELECT id, CAST(record AS BLOB), checksum FROM ended"):
            text = intact(record, sum_, key)
            if text is not None and is_record(text, split(key)[1]):
                yield key, text


def _missing_records(database: sqlite3.Connection, any_club: LogReader) -> Iterator[tuple[str, str]]:
    """Yield the key and a new record of each ended tournament that has no record, and can be rebuilt."""
    query = "SELECT id FROM tournaments WHERE over = 1 AND id NOT IN (SELECT id FROM ended)"
    for (key,) in database.execute(query).fetchall():
        club, tournament_id = split(key)
        try:
            tournament = rebuild_tournament(any_club.of(club).tournament_facts(tournament_id))
        except Exception as error:  # noqa: BLE001  # contradicting facts raise anything; `verify` tells them
            log.debug("tournament %s cannot be rebuilt: %s", key, error)
        else:
            if tournament is not None:
                yield key, write_ended(EndedTournament.of(tournament))
