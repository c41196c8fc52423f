"""`rumble db verify` and `prune` in PostgreSQL. Nodes may run meanwhile.

PostgreSQL's own tools take care of the files, their backups and their free space.
"""

from collections.abc import Callable
from contextlib import closing

from rumble_server.store.batch import Batch
from rumble_server.store.checksum import intact
from rumble_server.store.content import PLY
from rumble_server.store.damage import Findings, about, contradictions, facts_in, is_record, line_of
from rumble_server.store.errors import StoreError
from rumble_server.store.keys import prefix_of, split
from rumble_server.store.postgres.connection import Connection
from rumble_server.store.postgres.rows import read_postgres
from rumble_server.store.postgres.schema import has_tables
from rumble_server.store.postgres.writer import Commits
from rumble_server.store.pruning import PORTION, old_challenges, old_tournaments
from rumble_server.store.tournament_index import Told, differences, note

PORTION_ROWS = 200
"""Number of rows read at a time."""

_DELETE = """
WITH old AS (
    SELECT number FROM log WHERE club = %(club)s AND tournament = %(tournament)s AND kind = %(kind)s
    ORDER BY number LIMIT %(portion)s
), gone AS (
    DELETE FROM log USING old WHERE club = %(club)s AND log.number = old.number RETURNING length(facts) AS size
), marked AS (
    UPDATE tournaments SET pruned = true
    WHERE club = %(club)s AND id = %(tournament)s AND NOT pruned
), counted AS (
    UPDATE clubs SET bytes = bytes - (SELECT coalesce(sum(size), 0) FROM gone) WHERE club = %(club)s
)
SELECT count(*) FROM gone
"""


def prune(url: str, ended_before_ms: int, club: str | None = None) -> tuple[int, int]:
    """Delete the plies and frames of tournaments that ended before a time in ms since the epoch.

    Return the number of tournaments with deleted rows, and of deleted rows. Raises StoreError.
    """
    pruned, rows = 0, 0
    with _existing(url) as connection, closing(read_postgres(url)) as any_club:
        commits = Commits(connection, index_s=0)
        clubs = connection.read("SELECT club, last, epoch, indexed FROM clubs ORDER BY club")
        if club is not None:
            clubs = [each for each in clubs if each[0] == club]
            if not clubs:
                raise StoreError(f"there is no club {club} in {connection.name}")
        for (
            name,
            last,
            epoch,
            indexed,
        ) in clubs:
            # The commit has no effect if a leader has moved `last` or the epoch on; that leader writes the index.
            if indexed < last:
                commits.attempt([Batch().content(name, last, epoch)])
        for of_club, tournament_id in list(old_tournaments(any_club, [each[0] for each in clubs], ended_before_ms)):
            deleted = _delete_plies(connection, of_club, tournament_id)
            pruned, rows = pruned + (deleted > 0), rows + deleted
    return pruned, rows


def prune_challenges(url: str, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
    """Delete the plies and frames of challenges that ended before a time, as `pruning.prune_challenges` does."""
    query = "SELECT club, id FROM tournaments WHERE over AND NOT listed AND NOT pruned ORDER BY place"
    with _existing(url) as connection, closing(read_postgres(url)) as any_club:
        for club, challenge in old_challenges(any_club, connection.read(query), ended_before_ms):
            if is_stopped():
                return
            _delete_plies(connection, club, challenge)


def _delete_plies(connection: Connection, club: str, tournament_id: str) -> int:
    values, deleted = {"club": club, "tournament": tournament_id, "kind": PLY, "portion": PORTION}, 0
    while portion := connection.execute(_DELETE, values)[0][0]:
        deleted += portion
    return deleted


def verify(url: str) -> Findings:
    """Check a whole database. Raises StoreError if the database is not Rumble's, or has another version."""
    found = Findings()
    damaged: set[tuple[str, str]] = set()
    told: Told = {}
    with _existing(url) as connection:
        # One statement reads the index and the numbers of the newest facts, so that later facts can be skipped.
        indexed = connection.read(
            "SELECT club, id, listed, over, last FROM clubs LEFT JOIN tournaments USING (club) ORDER BY place"
        )
        index = {prefix_of(club) + each: (listed, over) for club, each, listed, over, _ in indexed if each is not None}
        newest = {club: last for club, *_, last in indexed}
        place: tuple[str, int] = ("", 0)
        query = f"""SELECT club, number, tournament, kind, facts, checksum FROM log
                    WHERE (club, number) > (%(club)s, %(number)s) ORDER BY club, number LIMIT {PORTION_ROWS}"""
        while rows := connection.read(query, {"club": place[0], "number": place[1]}):
            for club, number, tournament, kind, text, sum_ in rows:
                found.rows += 1
                if not text:
                    found.lost += 1
                    damaged.add((club, tournament))
                    continue
                try:
                    facts = facts_in(intact(text.encode(), sum_, club, number, tournament, kind))
                    if tournament and number <= newest.get(club, 0):
                        note(told, prefix_of(club) + tournament, facts)
                except ValueError as error:
                    what = f"row {number} of the log ({about(club, tournament)}) is damaged"
                    found.problems.append(f"{what}: {line_of(error)}")
                    damaged.add((club, tournament))
            place = rows[-1][:2]
        for club, tournament, record, sum_ in connection.read("SELECT club, id, record, checksum FROM ended"):
            if not is_record(intact(record.encode(), sum_, club, tournament), tournament):
                found.problems.append(f"the record of {about(club, tournament)} is damaged")
        found.problems += differences(told, index, {prefix_of(club) + each for club, each in damaged})
    with closing(read_postgres(url)) as any_club:
        for club, tournament in map(split, index):
            if (club, tournament) not in damaged:
                found.problems += contradictions(any_club, club, tournament)
    return found


def _existing(url: str) -> "closing[Connection]":
    """Open a database with the tables of this version. Raises StoreError."""
    connection = Connection(url)
    try:
        if not has_tables(connection):
            raise StoreError(f"{connection.name} is not a database of Rumble; start a server on it")
    except StoreError:
        connection.close()
        raise
    return closing(connection)
