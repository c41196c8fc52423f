"""`rumble db verify`: damage in a file's structure, its rows and indexes, and tournaments that cannot be rebuilt.

`repair.py` and the same care of PostgreSQL (`postgres/care.py`) use parts of this module.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.store.checksum import intact
from rumble_server.store.codec import Numbered, read_ended, read_facts
from rumble_server.store.errors import StoreError
from rumble_server.store.keys import MAIN, prefix_of, split
from rumble_server.store.match_index import indexed, last_number
from rumble_server.store.reader import LogReader
from rumble_server.store.schema import WITH_CHECKSUMS, open_existing
from rumble_server.store.sqlite_rows import read_sqlite
from rumble_server.store.tournament_index import LOST_VALUES, Told, differences, has_lost_values, note
from rumble_server.tournament.facts import tournament_of
from rumble_server.tournament.rebuild import rebuild_tournament


@dataclass(slots=True)
class Row:
    """A row of the log as read from the file."""

    number: int
    tournament: str
    """Key of the tournament, with the club."""
    kind: int
    content: bytes
    checksum: int | None

    def facts(self) -> list[Numbered]:
        """Return the row's facts. Raises ValueError with a line about the damage."""
        text = intact(self.content, self.checksum, self.number, self.tournament, self.kind)
        return facts_in(text, self.number, split(self.tournament)[1])


def facts_in(text: str | None, number: int, tournament: str) -> list[Numbered]:
    """Return the facts of a row. Raises ValueError with a line about the damage."""
    if text is None:
        raise ValueError("it is not what was written")
    facts = read_facts(text)
    if not facts or facts[0][0] != number or any(tournament_of(each) != tournament for _, each in facts):
        raise ValueError("its facts belong elsewhere")
    return facts


@dataclass(slots=True)
class Findings:
    """Findings in a database. `unchecked` counts rows of earlier versions, which have no checksum."""

    rows: int = 0
    unchecked: int = 0
    problems: list[str] = field(default_factory=list)


def verify(path: str) -> Findings:
    """Check a whole database; a server may run on it. Raises StoreError if the file is not Rumble's, or is newer."""
    found = Findings()
    damaged: set[str] = set()
    with closing(open_existing(path)) as database:
        found.problems += structure_problems(database)
        indexes = _Indexes(database)
        for row in read_rows(database):
            if isinstance(row, range):
                indexes.is_log_whole = False
                found.problems.append(f"the rows from {row.start} to {row.stop - 1} of the log cannot be read")
                continue
            found.rows += 1
            found.unchecked += row.checksum is None
            try:
                indexes.note(row)
            except ValueError as error:
                found.problems.append(
                    f"row {row.number} of the log ({about(*split(row.tournament))}) is damaged: {line_of(error)}"
                )
                damaged.add(row.tournament)
        found.problems += [f"the record of {each} is damaged" for each in _damaged_records(database)]
        found.problems += indexes.problems(damaged)
    found.problems += _contradictions(path, damaged)
    return found


class _Indexes:
    """The indexes of tournaments and matches, compared with the log. Rows written meanwhile are skipped."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.is_log_whole = True
        """True while every row of the log could be read."""
        self._database = database
        self._told: Told = {}
        self._astray: set[str] = set()
        """Matches of which a start or end lies outside their span in the index of matches."""
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

    def note(self, row: Row) -> None:
        """Compare a row with the index of matches. Raises ValueError with a line about the damage."""
        facts = row.facts()
        club, tournament = split(row.tournament)
        if tournament and row.number <= self._last:
            note(self._told, row.tournament, facts)
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
        """Yield a line for each problem of the indexes; `damaged` has the keys of tournaments with damaged rows."""
        if self._has_lost_values:
            yield LOST_VALUES
        if self._last:
            yield from differences(self._told, self._index, damaged if self.is_log_whole else self._told)
        if self._astray:
            yield f"the index of matches is wrong for {len(self._astray)} matches, as {min(self._astray)}"


def about(club: str, tournament: str) -> str:
    """Return the subject of a row of the log, for people."""
    if tournament:
        return f"tournament {prefix_of(club)}{tournament}"
    return "names, hosts and bans" + ("" if club == MAIN else f" of the club {club}")


def structure_problems(database: sqlite3.Connection) -> list[str]:
    """Return a line for each problem that SQLite finds in the structure of the file."""
    try:
        told = [str(row[0]) for row in database.execute("PRAGMA integrity_check(20)")]
    except sqlite3.Error as error:
        told = [str(error)]
    return [f"the file: {line_of(text)}" for text in told if text != "ok"]


def read_rows(database: sqlite3.Connection) -> Iterator[Row | range]:
    """Yield every row of the log in order, and ranges of numbers whose rows SQLite cannot read."""
    checksum = "checksum" if database.execute("PRAGMA user_version").fetchone()[0] >= WITH_CHECKSUMS else "NULL"
    query = (
        f"SELECT number, tournament, kind, CAST(facts AS BLOB), {checksum} FROM log"
        " WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
    )
    yield from _halves(database, query, 1, _last_row(database))


def _halves(database: sqlite3.Connection, query: str, first: int, last: int) -> Iterator[Row | range]:
    """Yield the rows from `first` to `last`; after an error, read each half of the rest by itself."""
    while first <= last:
        try:
            portion = [Row(*row) for row in database.execute(query, (first, last, 500))]
        except sqlite3.Error:
            break
        yield from portion
        if len(portion) < 500:
            return
        first = portion[-1].number + 1
    if first > last:
        return
    if first == last:
        yield range(first, last + 1)
        return
    middle = (first + last) // 2
    lost: range | None = None
    for half in (_halves(database, query, first, middle), _halves(database, query, middle + 1, last)):
        for each in half:
            if isinstance(each, range) and lost is not None and lost.stop == each.start:
                lost = range(lost.start, each.stop)
            elif isinstance(each, range):
                if lost is not None:
                    yield lost
                lost = each
            else:
                if lost is not None:
                    yield lost
                    lost = None
                yield each
    if lost is not None:
        yield lost


def _last_row(database: sqlite3.Connection) -> int:
    """Return the number of the last row, from the table, or from the index of a damaged table. Raises StoreError."""
    for table in ("log", "log INDEXED BY log_by_tournament WHERE tournament >= ''"):
        try:
            return int(database.execute(f"SELECT coalesce(max(number), 0) FROM {table}").fetchone()[0])
        except sqlite3.Error:
            continue
    raise StoreError("the log cannot be read at all; restore a backup")


def _damaged_records(database: sqlite3.Connection) -> list[str]:
    try:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version < 2:
            return []
        checksum = "checksum" if version >= WITH_CHECKSUMS else "NULL"
        rows = database.execute(f"SELECT id, CAST(record AS BLOB), {checksum} FROM ended").fetchall()
    except sqlite3.Error as error:
        return [f"some tournament ({line_of(error)})"]
    return [str(tournament_id) for tournament_id, record, sum_ in rows if not is_record(tournament_id, record, sum_)]


def is_record(tournament_id: str, record: bytes, expected: int | None) -> bool:
    """Return true if the record of a tournament can be read and is undamaged."""
    text = intact(record, expected, tournament_id)
    try:
        return text is not None and read_ended(text).id == split(tournament_id)[1]
    except ValueError:
        return False


def _contradictions(path: str, damaged: set[str]) -> Iterator[str]:
    """Yield a line for each tournament that cannot be rebuilt, although its rows are undamaged."""
    with closing(open_existing(path)) as database, closing(read_sqlite(path)) as any_club:
        try:
            keys = [str(key) for (key,) in database.execute("SELECT id FROM tournaments ORDER BY rowid")]
        except sqlite3.Error as error:
            yield f"cannot read the database {path}: {error}"
            return
        for key in keys:
            if key in damaged:
                continue
            yield from contradictions(any_club, *split(key))


def contradictions(any_club: LogReader, club: str, tournament_id: str) -> Iterator[str]:
    """Yield a line if a tournament with undamaged rows cannot be rebuilt."""
    what = about(club, tournament_id)
    try:
        if rebuild_tournament(any_club.of(club).tournament_facts(tournament_id)) is None:
            yield f"{what} cannot be rebuilt: its creation is not in the log"
    except Exception as error:  # noqa: BLE001  # contradicting facts raise anything
        yield f"{what} cannot be rebuilt: {line_of(error)}"


def line_of(error: object) -> str:
    """Return an error as a line."""
    text = " ".join(str(error).partition("\n")[0].split())
    return text or repr(error)
