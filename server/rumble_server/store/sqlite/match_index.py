"""The index of matches: the numbers of each match's first and last fact, so that a reader finds a match in the log.

An index is written fastest in the order of its keys, but matches start and end in another order. Therefore the index is
not written in every commit. In SQLite the index is written about once a second, with the matches sorted by id. The
value `indexed` in the table `meta` is the number of the last fact that the index covers. Readers search all later rows
of the log. PostgreSQL has a similar index (`store/postgres/unindexed.py`).

The value `bytes` of a club in `meta` is the size of the club's rows up to the fact `indexed`. The quota needs it.
"""

import sqlite3

from rumble_server.store.log.match_spans import spans
from rumble_server.store.row_keys import prefix_of, split

INDEXED = "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'main/indexed'), 0)"
"""SQL expression for the number of the last indexed fact."""
LAST_NUMBER = f"""SELECT coalesce(max(
        CASE WHEN json_valid(facts) AND json_type(facts, '$.facts[#-1][0]') = 'integer'
             THEN max(json_extract(facts, '$.facts[#-1][0]'), number)
             ELSE number + length(CAST(facts AS BLOB)) END), {INDEXED})
    FROM log WHERE number > {INDEXED}"""
"""SQL query for the number of the log's last fact. If the last row is damaged, the result is a safe upper bound."""


def indexed(database: sqlite3.Connection) -> int:
    """Return the number of the last fact that the index of matches covers. Raises sqlite3.Error."""
    return int(database.execute(f"SELECT {INDEXED}").fetchone()[0])


def last_number(database: sqlite3.Connection) -> int:
    """Return the number of the log's last fact. Raises sqlite3.Error."""
    return int(database.execute(LAST_NUMBER).fetchone()[0])


def index_matches(database: sqlite3.Connection, last: int) -> None:
    """Bring the index of matches up to date. `last` is the number of the log's last fact.

    Call the function inside a transaction. Raises sqlite3.Error.
    """
    done = indexed(database)
    rows = database.execute(
        "SELECT tournament, CAST(facts AS BLOB) FROM log WHERE number > ? AND kind = 0 ORDER BY number", (done,)
    )
    of_clubs: dict[str, list[str]] = {}
    for tournament, facts in rows:
        of_clubs.setdefault(prefix_of(split(tournament)[0]), []).append(facts.decode(errors="replace"))
    matches = [(club + match_id, *span) for club, texts in of_clubs.items() for match_id, span in spans(texts).items()]
    # If a match starts again, `first` in the index stays the number of its first start.
    database.executemany(
        """INSERT INTO matches (id, first, last) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET last = excluded.last""",
        sorted(matches),
    )
    for club, size in sizes_after(database, done).items():
        add_bytes(database, club, size)
    database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('main/indexed', ?)", (str(last),))


def sizes_after(database: sqlite3.Connection, number: int) -> dict[str, int]:
    """Return the size in bytes of each club's rows after the fact `number`, by club. Raises sqlite3.Error."""
    sizes: dict[str, int] = {}
    size_of = "coalesce(length(CAST(facts AS BLOB)), 0)"  # a reader's connection gives NULL for a damaged row
    for tournament, size in database.execute(f"SELECT tournament, {size_of} FROM log WHERE number > ?", (number,)):
        club = split(tournament)[0]
        sizes[club] = sizes.get(club, 0) + size
    return sizes


def add_bytes(database: sqlite3.Connection, club: str, size: int) -> None:
    """Add `size` to the value `bytes` of a club in `meta`. Call it inside a transaction. Raises sqlite3.Error."""
    database.execute(
        """INSERT INTO meta (key, value) VALUES (?, ?)
           ON CONFLICT (key) DO UPDATE SET value = CAST(value + excluded.value AS TEXT)""",
        (f"{prefix_of(club)}bytes", str(size)),
    )


def delete_rows(database: sqlite3.Connection, club: str, condition: str, *values: object) -> int:
    """Delete rows of a club's log, and subtract their size from the value `bytes` of the club in `meta`.

    `bytes` does not count rows after the last indexed fact yet, so the size of such rows is not subtracted. Return the
    number of deleted rows. Call the function inside a transaction. Raises sqlite3.Error.
    """
    query = f"SELECT total(length(CAST(facts AS BLOB))) FROM log WHERE {condition} AND number <= ?"
    add_bytes(database, club, -int(database.execute(query, (*values, indexed(database))).fetchone()[0]))
    return database.execute(f"DELETE FROM log WHERE {condition}", values).rowcount


def bytes_of(database: sqlite3.Connection, club: str) -> int:
    """Return the size in bytes of a club's rows. Raises sqlite3.Error."""
    row = database.execute("SELECT value FROM meta WHERE key = ?", (f"{prefix_of(club)}bytes",)).fetchone()
    return int(row[0] if row else 0) + sizes_after(database, indexed(database)).get(club, 0)
