"""A check at the start of a server: is the index of tournaments complete and undamaged?

A server lists and resumes only tournaments in the index. A tournament missing there would be lost without a message.
"""

import sqlite3

from rumble_server.store.row_keys import readable

LOST_VALUES = "the values beside the log are lost"

_UNINDEXED = """WITH RECURSIVE keys (key) AS (
        SELECT min(tournament) FROM log
        UNION ALL SELECT (SELECT min(tournament) FROM log WHERE tournament > key) FROM keys WHERE key IS NOT NULL)
    SELECT key FROM (SELECT key FROM keys EXCEPT SELECT id FROM tournaments NOT INDEXED)
    WHERE EXISTS (SELECT 1 FROM log WHERE tournament = key AND kind = 0 AND facts LIKE '%"tournament_created":%')"""
"""SQL query for tournaments that are in the log, but not in the index of tournaments.

The recursion finds one tournament after another in the log's index. A look at each row would be slower.
"""


def has_lost_values(database: sqlite3.Connection) -> bool:
    """Return true if the log has rows, but the values in `meta` are lost. Raises sqlite3.Error.

    A server must not start without these values. The server would number its runs from 1 again, and give
    new turns the ids of earlier turns.
    """
    query = "SELECT EXISTS (SELECT 1 FROM log) AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'main/indexed')"
    return bool(database.execute(query).fetchone()[0])


def check_index(database: sqlite3.Connection) -> str | None:
    """Return a line about damage of the index of tournaments or of `meta`; None without damage. Raises sqlite3.Error.

    A tournament that is in the log, but not in the index, counts as damage, too.
    """
    if has_lost_values(database):
        return LOST_VALUES
    problem = str(database.execute("PRAGMA integrity_check(tournaments)").fetchone()[0])
    if problem != "ok":
        return " ".join(problem.split())
    lost = [key for (key,) in database.execute(_UNINDEXED)]
    return f"{len(lost)} tournaments are not in the index of tournaments, as {readable(min(lost))}" if lost else None
