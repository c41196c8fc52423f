"""`rumble db repair`: readable rows go into a new file, which takes the database's place; damage is set aside."""

import shutil
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rumble_server.store.batch import Batch
from rumble_server.store.codec import Numbered
from rumble_server.store.copies import locked, take_place
from rumble_server.store.damage import Row, is_record, read_rows, verify
from rumble_server.store.errors import StoreError
from rumble_server.store.files import make_private
from rumble_server.store.keys import MAIN, split
from rumble_server.store.match_index import index_matches
from rumble_server.store.schema import WITH_CHECKSUMS, open_database, open_existing
from rumble_server.store.tournament_index import Told, note
from rumble_server.store.writer import write
from rumble_server.tournament.facts import (
    AdministratorSet,
    BotJoined,
    HostTokenRemoved,
    HostTokenSet,
    NameReset,
    NameUsed,
    ServerFact,
)

SERVER_ROWS_LOST = (
    "bans may be lost: `rumble ban list` shows those that are left",
    "every host's and administrator's token is taken back, since the taking back of one may be lost: the next "
    "`rumble serve` makes others",
)


def repair(path: str, backup: str, now_ms: int) -> list[str]:
    """Mend a database on which no server runs, and copy it to `backup` first. Return lines that describe the work.

    An undamaged database stays as it is. Damaged rows are kept in the table `set_aside`. Raises StoreError.
    """
    with locked(path) as real_path:
        if not verify(real_path).problems:
            return []
        try:
            _copy_files(real_path, backup)
            lines = [f"the database as it was is in {backup}"]
            part = f"{real_path}.part"
            Path(part).unlink(missing_ok=True)
            make_private(part)
            with closing(open_database(part)) as mended:
                with closing(open_existing(real_path)) as damaged:
                    lines += _Repair(damaged, mended).run(now_ms)
                mended.execute("PRAGMA journal_mode = DELETE")
            take_place(part, real_path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"cannot mend the database {path}: {error}") from None
        return lines + [f"not mended: {problem}" for problem in verify(real_path).problems]


def _copy_files(path: str, backup: str) -> None:
    """Copy the files byte by byte, damage included; no process has them open. Raises OSError, StoreError."""
    for suffix in ("", "-wal"):
        if Path(path + suffix).exists():
            if Path(backup + suffix).exists():
                raise StoreError(f"{backup + suffix} exists; choose another name with --backup")
            make_private(backup + suffix)
            shutil.copyfile(path + suffix, backup + suffix)


@dataclass(slots=True)
class _Known:
    """Readable facts of a club."""

    names: set[str] = field(default_factory=set)
    """Names, in lower case, that a bot has claimed or the host has freed."""
    entrants: dict[str, str] = field(default_factory=dict)
    """Names of entrants, by the name in lower case."""
    tokens: dict[str, None] = field(default_factory=dict)
    """Names of the valid host tokens."""
    has_administrator: bool = False


class _Repair:
    def __init__(self, damaged: sqlite3.Connection, mended: sqlite3.Connection) -> None:
        self._damaged = damaged
        self._mended = mended
        self._last = 0
        self._rows, self._aside, self._ranges = 0, 0, 0
        self._clubs: defaultdict[str, _Known] = defaultdict(_Known)
        self._aside_of: set[str] = set()
        """Keys of damaged rows' tournaments, or of a club as a whole. The keys may be wrong, since they are damaged,
        too."""
        self._tournaments: Told = {}

    def run(self, now_ms: int) -> list[str]:
        self._mended.execute(
            "CREATE TABLE set_aside"
            " (number INTEGER, tournament TEXT, kind INTEGER, facts BLOB, checksum INTEGER, problem TEXT NOT NULL)"
        )
        with self._mended:
            self._mended.execute("BEGIN IMMEDIATE")
            self._copy("meta", "key, value")
            # If the number of runs is lost: no run may have the number of an earlier run.
            runs = (str(now_ms // 1000),)
            self._mended.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('runs', ?)", runs)
            self._copy("set_aside", "number, tournament, kind, facts, checksum, problem")
            for row in read_rows(self._damaged):
                self._take(row)
            self._copy_tournaments()
            records = self._copy_records()
            self._mended.execute("DELETE FROM meta WHERE key = 'indexed' OR key LIKE '%/bytes'")
            index_matches(self._mended, self._last)
        lines = [
            f"{self._rows} rows of the log are whole, {self._aside} are damaged and set aside, "
            f"{self._ranges} ranges of rows are lost",
            f"{records} records of tournaments are whole; any other is made again when it is asked for",
            "the indexes of tournaments and matches are made anew",
        ]
        lost = {split(key)[0] for key in self._aside_of - self._tournaments.keys()}
        everywhere = self._ranges or not lost <= {*self._clubs, MAIN}
        for club in sorted({*self._clubs, MAIN} if everywhere else lost):
            of = "" if club == MAIN else f"club {club}: "
            lines += [of + line for line in SERVER_ROWS_LOST]
            held = self._close_doors(club, now_ms)
            lines += [
                f"{of}the claim to {name} is lost: `rumble tournament reset-key {name}` frees it" for name in held
            ]
        return lines

    def _copy(self, table: str, columns: str) -> None:
        try:
            rows = self._damaged.execute(f"SELECT {columns} FROM {table}").fetchall()
        except sqlite3.Error:  # a missing or unreadable table begins empty
            return
        places = ", ".join("?" * (columns.count(",") + 1))
        self._mended.executemany(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({places})", rows)

    def _take(self, row: Row | range) -> None:
        if isinstance(row, range):
            self._ranges += 1
            self._last = max(self._last, row.stop)
            self._set_aside(row.start, None, None, None, None, f"unreadable up to {row.stop - 1}")
            return
        try:
            facts = row.facts()
        except ValueError as error:
            self._aside += 1
            self._aside_of.add(row.tournament)
            # The row's last number is unknown. Each fact has at least a character, so the row's length is an upper
            # bound.
            self._last = max(self._last, row.number + len(row.content))
            self._set_aside(row.number, row.tournament, row.kind, row.content, row.checksum, str(error))
            return
        self._rows += 1
        self._last = max(self._last, facts[-1][0])
        self._note(row.tournament, facts)
        place = (row.number, row.tournament, row.kind)
        self._mended.execute(
            "INSERT INTO log (number, tournament, kind, facts, checksum) VALUES (?, ?, ?, ?, checksum(?, ?, ?, ?))",
            (*place, row.content.decode(), row.content, *place),
        )

    def _set_aside(self, *values: object) -> None:
        self._mended.execute("INSERT INTO set_aside VALUES (?, ?, ?, ?, ?, ?)", values)

    def _note(self, key: str, facts: list[Numbered]) -> None:
        club, tournament = split(key)
        known = self._clubs[club]
        if tournament:
            note(self._tournaments, key, facts)
        for _, fact in facts:
            match fact:
                case NameUsed() | NameReset():
                    known.names.add(fact.name.casefold())
                case HostTokenSet():
                    known.tokens[fact.name] = None
                case HostTokenRemoved():
                    known.tokens.pop(fact.name, None)
                case AdministratorSet():
                    known.has_administrator = True
                case BotJoined():
                    known.entrants.setdefault(fact.bot.casefold(), fact.bot)

    def _copy_tournaments(self) -> None:
        self._mended.executemany(
            "INSERT INTO tournaments (id, listed, over) VALUES (?, ?, ?)",
            [(each, listed is not False, over) for each, (listed, over) in self._tournaments.items()],
        )
        pruned = "pruned" if _version(self._damaged) >= WITH_CHECKSUMS else "0"
        try:
            rows = self._damaged.execute(f"SELECT id, listed, over, {pruned} FROM tournaments").fetchall()
        except sqlite3.Error:  # only the log tells of tournaments then
            return
        # For a tournament whose rows were all read, the log knows better than the index whether the tournament is over.
        rows = [
            (key, listed, over and bool(self._ranges or key in self._aside_of or key not in self._tournaments), pruned)
            for key, listed, over, pruned in rows
        ]
        # A tournament whose creation is lost stays in the index, so that it is shown as damaged.
        self._mended.executemany(
            """INSERT INTO tournaments (id, listed, over, pruned) VALUES (?, ?, ?, ?)
               ON CONFLICT (id) DO UPDATE SET pruned = excluded.pruned, over = max(over, excluded.over)""",
            rows,
        )

    def _copy_records(self) -> int:
        version = _version(self._damaged)
        checksum = "checksum" if version >= WITH_CHECKSUMS else "NULL"
        try:
            rows = self._damaged.execute(f"SELECT id, CAST(record AS BLOB), {checksum} FROM ended").fetchall()
        except sqlite3.Error:  # records are made again from the log
            return 0
        whole = [(each, record.decode(), record, each) for each, record, sum_ in rows if is_record(each, record, sum_)]
        self._mended.executemany("INSERT INTO ended (id, record, checksum) VALUES (?, ?, checksum(?, ?))", whole)
        return len(whole)

    def _close_doors(self, club: str, now_ms: int) -> list[str]:
        """Take back every host token, and claim the names of bots whose claims are lost; return these names.

        The claims have no key: no bot may use the names until the host frees them.
        """
        known = self._clubs[club]
        held = [name for folded, name in sorted(known.entrants.items()) if folded not in known.names]
        removed = [HostTokenRemoved(name, now_ms) for name in known.tokens]
        facts: list[ServerFact] = [*removed, *(NameUsed(name, "", "", now_ms) for name in held)]
        if known.has_administrator:
            facts.append(AdministratorSet("", "", now_ms))
        batch = Batch()
        for fact in facts:
            self._last += 1
            batch.add(self._last, fact)
        if facts:
            write(self._mended, [batch.content(club)], index=True)
        return held


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])
