"""The index of matches: between which facts of the log each match is. It is filled from the log itself.

Each club but `main` has beside it the sum of its rows' sizes up to there: `bytes` of `meta`, for its quota.

Matches come in no order of their ids, so a row for each in every commit would touch many pages. In SQLite the index is
written about once a second, in the order of its keys; `meta` has the number up to which it is complete ("indexed"), and
readers look through the rows of the log that are later. PostgreSQL does much the same (`store/postgres/unindexed.py`).
"""

import re
import sqlite3
from collections.abc import Iterable

from rumble_server.store.keys import MAIN, prefix_of, split

_START_OR_END = re.compile(r'\[(\d+),"match_(started|over)","([^"]+)"')
"""In the text of a row. Text that somebody chose cannot look like it: its quotation marks are escaped."""


INDEXED = "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed'), 0)"
"""The number of the last fact that the index reaches, in SQL."""
LAST_NUMBER = f"""SELECT coalesce(max(
        CASE WHEN json_valid(facts) AND json_type(facts, '$.facts[#-1][0]') = 'integer'
             THEN max(json_extract(facts, '$.facts[#-1][0]'), number)
             ELSE number + length(CAST(facts AS BLOB)) END), {INDEXED})
    FROM log WHERE number > {INDEXED}"""
"""The number of the last fact of the log, in SQL. A damaged row does not tell it; each of its facts had a character."""


_BYTES_OF_MAIN = """SELECT max(0, (page_count - freelist_count) * page_size - (
        SELECT coalesce(sum(CAST(value AS INTEGER)), 0) FROM meta WHERE key LIKE '%/bytes'))
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""


def indexed(database: sqlite3.Connection) -> int:
    """Return the number of the last fact that the index reaches. Raises sqlite3.Error."""
    return int(database.execute(f"SELECT {INDEXED}").fetchone()[0])


def last_number(database: sqlite3.Connection) -> int:
    """Return the number of the last fact of the log. Raises sqlite3.Error."""
    return int(database.execute(LAST_NUMBER).fetchone()[0])


def matches_in(facts: str) -> set[str]:
    """Return the ids of the matches that start or end in the text of a row."""
    return {match_id for _, _, match_id in _START_OR_END.findall(facts)}


def spans(rows: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    """Return the matches that start or end in rows of a club, in order: the numbers of their first and last facts.

    The first is that of the match's first start among these rows. There is no last one where it has started again.
    """
    found: dict[str, tuple[int, int | None]] = {}
    for facts in rows:
        for number, event, match_id in _START_OR_END.findall(facts):
            first = found[match_id][0] if match_id in found else int(number)
            found[match_id] = (first, int(number) if event == "over" else None)
    return found


def index_matches(database: sqlite3.Connection, last: int) -> None:
    """Bring the index up to the log, whose last fact has this number. In a transaction. Raises sqlite3.Error."""
    done = indexed(database)
    rows = database.execute(
        "SELECT tournament, CAST(facts AS BLOB) FROM log WHERE number > ? AND kind = 0 ORDER BY number", (done,)
    )
    of_clubs: dict[str, list[str]] = {}
    for tournament, facts in rows:
        of_clubs.setdefault(prefix_of(split(tournament)[0]), []).append(facts.decode(errors="replace"))
    found = [(club + match_id, *span) for club, texts in of_clubs.items() for match_id, span in spans(texts).items()]
    # A match that starts again is in the index with its first start.
    database.executemany(
        """INSERT INTO matches (id, first, last) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET last = excluded.last""",
        sorted(found),
    )
    for club, size in sizes_after(database, done).items():
        add_bytes(database, club, size)
    database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('indexed', ?)", (str(last),))


def sizes_after(database: sqlite3.Connection, number: int) -> dict[str, int]:
    """Return how many bytes the rows after a fact take, by club; without `main`. Raises sqlite3.Error."""
    sizes: dict[str, int] = {}
    for tournament, size in database.execute(
        """SELECT tournament, sum(length(CAST(facts AS BLOB))) FROM log
           WHERE number > ? AND instr(tournament, '/') GROUP BY tournament""",
        (number,),
    ):
        club = split(tournament)[0]
        sizes[club] = sizes.get(club, 0) + size
    return sizes


def add_bytes(database: sqlite3.Connection, club: str, size: int) -> None:
    """Add to the sum of a club's bytes. In a transaction. Raises sqlite3.Error."""
    database.execute(
        """INSERT INTO meta (key, value) VALUES (?, ?)
           ON CONFLICT (key) DO UPDATE SET value = CAST(value + excluded.value AS TEXT)""",
        (f"{prefix_of(club)}bytes", str(size)),
    )


def bytes_of(database: sqlite3.Connection, club: str) -> int:
    """Return about how many bytes the rows of a club take. Raises sqlite3.Error.

    To `main` counts what the file uses beside the rows of other clubs: to sum its own up would be to read the whole
    log, and to keep the sum would cost each commit.
    """
    if club == MAIN:
        return int(database.execute(_BYTES_OF_MAIN).fetchone()[0])
    row = database.execute("SELECT value FROM meta WHERE key = ?", (f"{prefix_of(club)}bytes",)).fetchone()
    return int(row[0] if row else 0) + sizes_after(database, indexed(database)).get(club, 0)
