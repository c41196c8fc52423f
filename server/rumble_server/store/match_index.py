"""The index of matches: between which facts of the log each match is. It is filled from the log itself.

Matches come in no order of their ids, so a row for each in every commit would touch many pages. The index is written
about once a second, in the order of its keys; `meta` has the number up to which it is complete ("indexed"), and readers
look through the rows of the log that are later.
"""

import re
import sqlite3

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
    spans: dict[str, tuple[int, int | None]] = {}
    rows = database.execute(
        "SELECT CAST(facts AS BLOB) FROM log WHERE number > ? AND kind = 0 ORDER BY number", (indexed(database),)
    )
    for (facts,) in rows:
        for number, event, match_id in _START_OR_END.findall(facts.decode(errors="replace")):
            first = spans[match_id][0] if match_id in spans else int(number)
            spans[match_id] = (first, int(number) if event == "over" else None)
    # A match that starts again is in the index with its first start.
    database.executemany(
        """INSERT INTO matches (id, first, last) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET last = excluded.last""",
        [(match_id, *span) for match_id, span in sorted(spans.items())],
    )
    database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('indexed', ?)", (str(last),))
