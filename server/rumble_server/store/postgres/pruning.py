"""`rumble db prune` in PostgreSQL: delete the plies of old tournaments. Nodes may run meanwhile."""

from collections.abc import Callable
from contextlib import closing

from rumble_server.store.errors import StoreError
from rumble_server.store.log.batch import Batch
from rumble_server.store.log.content import DETAIL
from rumble_server.store.log.old_tournaments import BATCH_ROWS, old_challenges, old_tournaments
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.rows import read_postgres
from rumble_server.store.postgres.schema import existing
from rumble_server.store.postgres.writer import Commits

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
    """Delete the plies and frames of tournaments that ended before `ended_before_ms` (ms since 1970).

    None for `club` means all clubs. Return the number of tournaments with deleted rows, and the number of
    deleted rows. Raises StoreError.
    """
    with existing(url) as connection, closing(read_postgres(url)) as any_club:
        commits = Commits(connection, index_s=0)
        clubs = connection.read("SELECT club, last, epoch, indexed FROM clubs ORDER BY club")
        if club is not None:
            clubs = [each for each in clubs if each[0] == club]
            if not clubs:
                raise StoreError(f"there is no club {club} in {connection.name}")
        for name, last, epoch, indexed in clubs:
            # The commit has no effect if a leader has changed `last` or the epoch; then the leader writes the index.
            if indexed < last:
                commits.write_once([Batch().content(name, last, epoch)])
        old = list(old_tournaments(any_club, [each[0] for each in clubs], ended_before_ms))
        deleted = [_delete_plies(connection, *each) for each in old]
    return sum(map(bool, deleted)), sum(deleted)


def prune_challenges(url: str, ended_before_ms: int, is_stopped: Callable[[], bool]) -> None:
    """Delete the plies and frames of challenges that ended before `ended_before_ms` (ms since 1970).

    `is_stopped` is called before each challenge, and stops the work by returning true. Raises StoreError.
    """
    query = "SELECT club, id FROM tournaments WHERE over AND NOT listed AND NOT pruned ORDER BY place"
    with existing(url) as connection, closing(read_postgres(url)) as any_club:
        for club, challenge in old_challenges(any_club, connection.read(query), ended_before_ms):
            if is_stopped():
                return
            _delete_plies(connection, club, challenge)


def _delete_plies(connection: PostgresConnection, club: str, tournament_id: str) -> int:
    values, deleted = {"club": club, "tournament": tournament_id, "kind": DETAIL, "portion": BATCH_ROWS}, 0
    while portion := connection.execute(_DELETE, values)[0][0]:
        deleted += portion
    return deleted
