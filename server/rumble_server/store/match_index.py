"""The index of matches: between which facts of the log each match is. It is filled from the log itself.

Each club but `main` has beside it the sum of its rows' sizes up to there: `bytes` of `meta`, for its quota.

Matches come in no order of their ids, so a row for each in every commit would touch many pages. The index is written
about once a second, in the order of its keys; `meta` has the number up to which it is complete ("indexed"), and readers
look through the rows of the log that are later.
"""

import re
import sqlite3

from rumble_server.store.keys import MAIN, prefix_of, split

_START_OR_END = re.compile(r'\[(\d+),"match_(started|over)","([^"]+)"')
"""In the text of a row. Text that somebody chose cannot look like it: its quotation marks are escaped."""


def indexed(database: sqlite3.Connection) -> int:
    """Return the number of the last fact that the index reaches. Raises sqlite3.Error."""
    row = database.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed'").fetchone()
    return row[0] if row else 0


def last_number(database: sqlite3.Connection) -> int:
    """Return the number of the last fact of the log. Raises sqlite3.Error.

    A damaged row does not tell it; each of its facts had at least a character.
    """
    done = indexed(database)
    found = database.execute(
        """SELECT max(CASE WHEN json_valid(facts) AND json_type(facts, '$.facts[#-1][0]') = 'integer'
                           THEN max(json_extract(facts, '$.facts[#-1][0]'), number)
                           ELSE number + length(CAST(facts AS BLOB)) END)
           FROM log WHERE number > ?""",
        (done,),
    ).fetchone()[0]
    return done if found is None else found


def matches_in(facts: str) -> set[str]:
    """Return the ids of the matches that start or end in the text of a row."""
    return {match_id for _, _, match_id in _START_OR_END.findall(facts)}


def index_matches(database: sqlite3.Connection, last: int) -> None:
    """Bring the index up to the log, whose last fact has this number. In a transaction. Raises sqlite3.Error."""
    done = indexed(database)
    spans: dict[str, tuple[int, int | None]] = {}
    rows = database.execute(
        "SELECT tournament, CAST(facts AS BLOB) FROM log WHERE number > ? AND kind = 0 ORDER BY number", (done,)
    )
    for tournament, facts in rows:
        club = prefix_of(split(tournament)[0])
        for number, event, short_id in _START_OR_END.findall(facts.decode(errors="replace")):
            match_id = club + short_id
            first = spans[match_id][0] if match_id in spans else int(number)
            spans[match_id] = (first, int(number) if event == "over" else None)
    # A match that starts again is in the index with its first start.
    database.executemany(
        """INSERT INTO matches (id, first, last) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET last = excluded.last""",
        [(match_id, *span) for match_id, span in sorted(spans.items())],
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
    """Return how many bytes the rows of a club take, or of `main` the rows of all. Raises sqlite3.Error."""
    if club == MAIN:
        return int(
            database.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
        )
    row = database.execute("SELECT value FROM meta WHERE key = ?", (f"{prefix_of(club)}bytes",)).fetchone()
    return int(row[0] if row else 0) + sizes_after(database, indexed(database)).get(club, 0)
