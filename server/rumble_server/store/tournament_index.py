"""The index of tournaments, compared with the log.

A server lists and takes up only tournaments of the index, so one that the index lacks would be gone in silence.
"""

import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping

from rumble_server.store.codec import Numbered
from rumble_server.tournament.facts import TournamentCreated, TournamentEnded

Told = dict[str, tuple[bool | None, bool]]
"""Flags of each tournament by its key: listed (None: its creation was not read) and over."""

LOST_VALUES = "the values beside the log are lost"

_UNINDEXED = """WITH RECURSIVE keys (key) AS (
        SELECT min(tournament) FROM log
        UNION ALL SELECT (SELECT min(tournament) FROM log WHERE tournament > key) FROM keys WHERE key IS NOT NULL)
    SELECT key FROM (SELECT key FROM keys EXCEPT SELECT id FROM tournaments NOT INDEXED)
    WHERE EXISTS (SELECT 1 FROM log WHERE tournament = key AND kind = 0 AND facts LIKE '%"tournament_created":%')"""
"""The recursion makes one step in the log's own index for each tournament, not for each row."""


def note(told: Told, key: str, facts: Iterable[Numbered]) -> None:
    """Note what a row of a tournament tells."""
    listed, over = told.get(key, (None, False))
    for _, fact in facts:
        if isinstance(fact, TournamentCreated):
            listed = fact.config.listed
        over = over or isinstance(fact, TournamentEnded)
    told[key] = (listed, over)


def differences(told: Told, index: Mapping[str, tuple[bool, bool]], unsure: Container[str]) -> Iterator[str]:
    """Yield how the index differs from the log. Some rows of the tournaments `unsure` were not read."""
    for key, (listed, over) in told.items():
        if key not in index:
            yield f"tournament {key} is not in the index of tournaments"
        elif key not in unsure and index[key] != (index[key][0] if listed is None else listed, over):
            yield f"tournament {key} is in the index of tournaments with another status than in the log"


def has_lost_values(database: sqlite3.Connection) -> bool:
    """Tell whether a log has lost the values beside it. Raises sqlite3.Error.

    A start would then count runs from 1 again, and turns of two runs would have the same ids.
    """
    query = "SELECT EXISTS (SELECT 1 FROM log) AND NOT EXISTS (SELECT 1 FROM meta WHERE key IN ('indexed', 'last'))"
    return bool(database.execute(query).fetchone()[0])


def check_index(database: sqlite3.Connection) -> str | None:
    """Return a line that tells why the index of a file is damaged, or None. Raises sqlite3.Error.

    The index is whole if it has each tournament that the log creates.
    """
    if has_lost_values(database):
        return LOST_VALUES
    problem = str(database.execute("PRAGMA integrity_check(tournaments)").fetchone()[0])
    if problem != "ok":
        return " ".join(problem.split())
    lost = [key for (key,) in database.execute(_UNINDEXED)]
    return f"{len(lost)} tournaments are not in the index of tournaments, as {min(lost)}" if lost else None
