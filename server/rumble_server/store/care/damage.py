"""`rumble db verify` for SQLite: find damage in a file's structure, in its rows and in its indexes.

The undamaged rows of a tournament may contradict each other, so that the tournament cannot be rebuilt. Such tournaments
are found, too.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.store.care import findings
from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import checksum, intact
from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.content import DETAIL
from rumble_server.store.row_keys import MAIN, prefix_of, readable, split
from rumble_server.store.sqlite.match_index import INDEXED, indexed, last_number
from rumble_server.store.sqlite.rows import read_sqlite
from rumble_server.store.sqlite.schema import open_existing
from rumble_server.store.sqlite.tournament_index import LOST_VALUES, has_lost_values

FACTS_AT_ONCE = 1_000
"""Number of facts whose rows are read in one query."""
_ROWS = """SELECT number, tournament, kind, CAST(facts AS BLOB), checksum FROM log NOT INDEXED
    WHERE number BETWEEN ? AND ? AND typeof(tournament) = 'text' AND typeof(kind) = 'integer' ORDER BY number"""
_INDEXED_ROWS = "FROM log INDEXED BY log_by_tournament WHERE tournament >= '' AND number <= ?"


@dataclass(slots=True)
class RawRow:
    """A row of the log as read from the file."""

    number: int
    tournament: str
    """Key of the tournament, which begins with the club's prefix."""
    kind: int
    content: bytes
    checksum: int

    @property
    def is_lost(self) -> bool:
        """True for a row that `rumble db repair` left empty."""
        return not self.content and self.checksum == checksum(b"", self.number, self.tournament, self.kind)

    def facts(self) -> list[Numbered]:
        """Return the row's facts. Raises ValueError with a line about the damage if the row is damaged."""
        if not self.content:
            raise ValueError("it cannot be read")
        return findings.facts_in(intact(self.content, self.checksum, self.number, self.tournament, self.kind))


def verify(path: str) -> findings.Findings:
    """Check a whole database, and return the findings. A server may run on the database meanwhile.

    Raises StoreError if the file is not a database of Rumble.
    """
    found = findings.Findings()
    with closing(open_existing(path)) as database:
        found.problems += structure_problems(database)
        indexes = _Indexes(database)
        for row in read_rows(database):
            found.rows += 1
            if row.is_lost:
                found.note_lost(row.tournament)
                continue
            try:
                indexes.check_row(row)
            except ValueError as error:
                found.note_damage(row.number, row.tournament, error)
        found.problems += [f"the record of {each} is damaged" for each in _damaged_records(database)]
        found.problems += indexes.problems(found.damaged)
    found.problems += _contradictions(path, found.damaged)
    return found


class _Indexes:
    """A comparison of the log with two indexes: the index of tournaments, and the index of matches.

    Rows that a server writes after the comparison began are skipped.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._flags: findings.Flags = {}
        self._astray: set[str] = set()
        """Matches whose start or end in the log lies outside the match's span in the index of matches."""
        self._has_lost_values = False
        try:
            with database:
                database.execute("BEGIN")
                self._has_lost_values = has_lost_values(database)
                self._last, self._indexed = last_number(database), indexed(database)
                rows = database.execute("SELECT id, listed, over FROM tournaments NOT INDEXED").fetchall()
            self._index = {key: (bool(listed), bool(over)) for key, listed, over in rows}
        except sqlite3.Error:  # `structure_problems` reports the error
            self._last = self._indexed = 0

    def check_row(self, row: RawRow) -> None:
        """Compare a row with the index of matches.

        Also remember whether the row's tournament is listed, and whether the tournament is over.

        Raises ValueError with a line about the damage if the row is damaged.
        """
        facts = row.facts()
        club, tournament = split(row.tournament)
        if tournament and row.number <= self._last:
            findings.update_flags(self._flags, row.tournament, facts)
        for number, fact in facts:
            if isinstance(fact, MatchStarted | MatchOver) and number <= self._indexed:
                match = prefix_of(club) + fact.match
                if not self._leads_to(match, number):
                    self._astray.add(match)

    def _leads_to(self, match: str, number: int) -> bool:
        query = "SELECT 1 FROM matches WHERE id = ? AND first <= ? AND coalesce(last, ?) >= ?"
        try:
            return self._database.execute(query, (match, number, number, number)).fetchone() is not None
        except sqlite3.Error:
            return False

    def problems(self, damaged: set[str]) -> Iterator[str]:
        """Yield a line for each problem of the indexes. `damaged` has the keys of tournaments with damaged rows."""
        if self._has_lost_values:
            yield LOST_VALUES
        if self._last:
            yield from findings.differences(self._flags, self._index, damaged)
        if self._astray:
            yield f"the index of matches is wrong for {len(self._astray)} matches, as {readable(min(self._astray))}"


def structure_problems(database: sqlite3.Connection) -> list[str]:
    """Return a line for each problem that SQLite finds in the structure of the file."""
    try:
        lines = [str(row[0]) for row in database.execute("PRAGMA integrity_check(20)")]
    except sqlite3.Error as error:
        lines = [str(error)]
    return [f"the file: {findings.line_of(text)}" for text in lines if text != "ok"]


def read_rows(database: sqlite3.Connection) -> Iterator[RawRow]:
    """Yield the rows of the log in order of number, then an empty row for each one that can no longer be read.

    The log's index shows to which tournament an unreadable row belongs. If the index cannot be read either, nobody
    knows the tournaments of the lost rows. In this case, yield an empty row about each club as a whole.
    """
    last = _last_row(database)
    readable_rows, has_gaps, clubs = 0, False, {MAIN}
    for first in range(1, last + 1, FACTS_AT_ONCE):
        for row in _portion(database, first, min(first + FACTS_AT_ONCE - 1, last)):
            if row is None:
                has_gaps = True
                continue
            readable_rows += 1
            clubs.add(split(row.tournament)[0])
            yield row
    try:
        if database.execute(f"SELECT count(*) {_INDEXED_ROWS}", (last,)).fetchone()[0] <= readable_rows:
            return
        for number, tournament, kind in database.execute(f"SELECT number, tournament, kind {_INDEXED_ROWS}", (last,)):
            if not any(_portion(database, number, number)):
                yield RawRow(number, tournament, kind, b"", 0)
    except sqlite3.Error:
        if has_gaps:
            for number, club in enumerate(sorted(clubs), last + 1):
                yield RawRow(number, prefix_of(club), DETAIL, b"", 0)


def _portion(database: sqlite3.Connection, first: int, last: int) -> Iterator[RawRow | None]:
    """Yield the rows with numbers from `first` to `last`, and None for each number whose row cannot be read.

    If the query fails, each half of the range is tried by itself, and so on down to single rows.
    """
    try:
        rows = [RawRow(*row) for row in database.execute(_ROWS, (first, last))]
    except sqlite3.Error:
        if first == last:
            yield None
            return
        middle = (first + last) // 2
        yield from _portion(database, first, middle)
        yield from _portion(database, middle + 1, last)
    else:
        yield from rows


def _last_row(database: sqlite3.Connection) -> int:
    """Return the greatest row number found in the log, in the log's index, or in the index of matches.

    No row has a greater number. Raises StoreError if none of the three can be read.
    """
    numbers = list[int]()
    for query in (
        "SELECT max(number) FROM log NOT INDEXED",
        "SELECT max(number) FROM log INDEXED BY log_by_tournament WHERE tournament >= ''",
        f"SELECT {INDEXED}",
    ):
        with suppress(sqlite3.Error):
            numbers.append(database.execute(query).fetchone()[0] or 0)
    if not numbers:
        raise StoreError("the log cannot be read at all; restore a backup")
    return max(numbers)


def _damaged_records(database: sqlite3.Connection) -> Iterator[str]:
    try:
        rows = database.execute("SELECT id, CAST(record AS BLOB), checksum FROM ended")  # read one by one
        for key, record, sum_ in rows:
            if not findings.is_record(intact(record, sum_, key), split(key)[1]):
                yield readable(key)
    except sqlite3.Error as error:
        yield f"some tournament ({findings.line_of(error)})"


def _contradictions(path: str, damaged: set[str]) -> Iterator[str]:
    """Yield a line for each tournament that has no damaged row, but cannot be rebuilt from its rows."""
    with closing(open_existing(path)) as database, closing(read_sqlite(path)) as any_club:
        try:
            keys = [str(key) for (key,) in database.execute("SELECT id FROM tournaments ORDER BY rowid")]
        except sqlite3.Error as error:
            yield f"cannot read the database {path}: {error}"
        else:
            yield from findings.contradictions(any_club, keys, damaged)
