"""`rumble db verify` in PostgreSQL. Nodes may run meanwhile.

PostgreSQL's own tools take care of the files, their backups and their free space.
"""

from contextlib import closing

from rumble_server.store.care import findings
from rumble_server.store.log.checksum import intact
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
        done: tuple[str, int] = ("", 0)
        query = f"""SELECT club, number, tournament, kind, facts, checksum FROM log
                    WHERE (club, number) > (%(club)s, %(number)s) ORDER BY club, number LIMIT {PORTION_ROWS}"""
        while rows := connection.read(query, {"club": done[0], "number": done[1]}):
            for club, number, tournament, kind, text, sum_ in rows:
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
            done = rows[-1][:2]
        after = ("", "")
        query = f"""SELECT club, id, record, checksum FROM ended
                    WHERE (club, id) > (%(club)s, %(id)s) ORDER BY club, id LIMIT {PORTION_ROWS}"""
        while rows := connection.read(query, {"club": after[0], "id": after[1]}):
            for club, tournament, record, sum_ in rows:
                if not findings.is_record(intact(record.encode(), sum_, club, tournament), tournament):
                    found.problems.append(f"the record of {findings.about(club, tournament)} is damaged")
            after = rows[-1][:2]
        found.problems += findings.differences(flags, index, found.damaged)
    with closing(read_postgres(url)) as any_club:
        found.problems += findings.contradictions(any_club, index, found.damaged)
    return found
