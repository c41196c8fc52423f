"""`rumble db verify` in PostgreSQL. Nodes may run meanwhile.

PostgreSQL's own tools take care of the files, their backups and their free space.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from rumble_server.store.care import findings
from rumble_server.store.log.checksum import intact
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.rows import read_postgres
from rumble_server.store.postgres.schema import existing
from rumble_server.store.row_keys import prefix_of

PORTION_ROWS = 200
"""Number of rows read at a time."""


def verify(url: str) -> findings.Findings:
    """Check a whole database, and return the findings.

    Raises StoreError if the database is not Rumble's, or its tables have another version.
    """
    found = findings.Findings()
    flags: findings.Flags = {}
    with existing(url) as connection:
        # One statement reads the index and the numbers of the newest facts, so that later facts can be skipped.
        indexed = connection.read(
            "SELECT club, id, listed, over, last FROM clubs LEFT JOIN tournaments USING (club) ORDER BY place"
        )
        index = {prefix_of(club) + each: (listed, over) for club, each, listed, over, _ in indexed if each is not None}
        newest = {club: last for club, *_, last in indexed}
        for club, number, tournament, kind, text, sum_ in _rows(connection, "log", "number", 0):
            found.rows += 1
            key = prefix_of(club) + tournament
            if not text:
                found.note_lost(key)
                continue
            try:
                facts = findings.facts_in(intact(text.encode(), sum_, club, number, tournament, kind))
                if tournament and number <= newest.get(club, 0):
                    findings.update_flags(flags, key, facts)
            except ValueError as error:
                found.note_damage(number, key, error)
        for club, tournament, record, sum_ in _rows(connection, "ended", "id", ""):
            if not findings.is_record(intact(record.encode(), sum_, club, tournament), tournament):
                found.problems.append(f"the record of {findings.about(club, tournament)} is damaged")
        found.problems += findings.differences(flags, index, found.damaged)
    with closing(read_postgres(url)) as any_club:
        found.problems += findings.contradictions(any_club, index, found.damaged)
    return found


def _rows(connection: PostgresConnection, table: str, key: str, first: object) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table in order of club and `key`, and read a portion at a time. No `key` is below `first`."""
    query = f"SELECT * FROM {table} WHERE (club, {key}) > (%(club)s, %(key)s) ORDER BY club, {key} LIMIT {PORTION_ROWS}"
    club = ""
    while rows := connection.read(query, {"club": club, "key": first}):
        yield from rows
        club, first, *_ = rows[-1]
