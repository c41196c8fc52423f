"""Writing to PostgreSQL: the statement, and the program that the server runs for it (`store/commit_loop.py`).

A commit is one statement that commits by itself: it moves each club's row on under its epoch, from the newest fact so
far to that of the commit, and inserts rows only for clubs whose row did move. So whoever no longer leads a club writes
nothing, and of a commit and its repetition exactly one takes effect, in whatever order the database comes to them.
No lock outlives the statement.
"""

import os
from collections.abc import Sequence

from rumble_server.store.checksum import checksum
from rumble_server.store.commit_loop import answer_all
from rumble_server.store.content import TOURNAMENT, Content, size_of
from rumble_server.store.errors import StoreError
from rumble_server.store.match_index import spans
from rumble_server.store.postgres.connection import Connection

URL_VARIABLE = "RUMBLE_WRITER_DB"
"""The variable that has the database's URL: a command line could be read by others."""

SETTINGS = {"statement_timeout": "8s", "plan_cache_mode": "force_generic_plan"}
"""The database gives a statement up for which somebody holds a lock too long, and plans that of a commit once."""

_COMMIT = """
WITH held AS (
    UPDATE clubs SET last = given.last, bytes = clubs.bytes + given.size
    FROM unnest(%(clubs)b::text[], %(epochs)b::bigint[], %(before)b::bigint[], %(last)b::bigint[], %(sizes)b::bigint[])
        AS given (club, epoch, before, last, size)
    WHERE clubs.club = given.club AND clubs.epoch = given.epoch AND clubs.last = given.before
    RETURNING clubs.club
), logged AS (
    INSERT INTO log (club, number, tournament, kind, facts, checksum)
    SELECT club, number, tournament, kind, facts, checksum FROM unnest(
        %(log_clubs)b::text[], %(numbers)b::bigint[], %(tournaments)b::text[], %(kinds)b::smallint[],
        %(facts)b::text[], %(checksums)b::bigint[]
    ) AS row (club, number, tournament, kind, facts, checksum) JOIN held USING (club)
), created AS (
    INSERT INTO tournaments (club, id, listed, over)
    SELECT club, id, listed, over FROM unnest(
        %(created_clubs)b::text[], %(created)b::text[], %(listed)b::boolean[], %(created_over)b::boolean[]
    ) WITH ORDINALITY AS row (club, id, listed, over, place) JOIN held USING (club) ORDER BY place
    ON CONFLICT (club, id) DO NOTHING
), over AS (
    UPDATE tournaments SET over = true
    FROM unnest(%(over_clubs)b::text[], %(over)b::text[]) AS row (club, id) JOIN held USING (club)
    WHERE tournaments.club = row.club AND tournaments.id = row.id
), filed AS (
    INSERT INTO ended (club, id, record, checksum)
    SELECT club, id, record, checksum FROM unnest(
        %(ended_clubs)b::text[], %(ended)b::text[], %(records)b::text[], %(record_checksums)b::bigint[]
    ) AS row (club, id, record, checksum) JOIN held USING (club)
    ON CONFLICT (club, id) DO UPDATE SET record = excluded.record, checksum = excluded.checksum
), indexed AS (
    INSERT INTO matches (club, id, first, last)
    SELECT club, id, first, last FROM unnest(
        %(match_clubs)b::text[], %(matches)b::text[], %(firsts)b::bigint[], %(lasts)b::bigint[]
    ) AS row (club, id, first, last) JOIN held USING (club)
    ON CONFLICT (club, id) DO UPDATE SET last = excluded.last
)
SELECT club FROM held
"""
_LOOK = "SELECT club, epoch, last FROM clubs WHERE club = ANY(%(clubs)b::text[])"


def commit(connection: Connection, contents: Sequence[Content], again: bool) -> list[str]:
    """Write a commit, and return the clubs of which nothing was written: somebody else leads them. Raises StoreError.

    `again`: it may be written already, so that is looked at first.
    """
    fenced: list[str] = []
    if again:
        contents = _unwritten(connection, contents, fenced)
    if contents:
        held = {club for (club,) in connection.execute(_COMMIT, _values(contents))}
        missed = _unwritten(connection, [each for each in contents if each["club"] not in held], fenced)
        if missed:
            clubs = ", ".join(each["club"] for each in missed)
            raise StoreError(f"the log of {clubs} does not go on where it ended")
    return fenced


def _unwritten(connection: Connection, contents: Sequence[Content], fenced: list[str]) -> list[Content]:
    """Return what is not written yet, but for clubs that somebody else leads: they go to `fenced`."""
    if not contents:
        return []
    clubs = [each["club"] for each in contents]
    found = {club: (epoch, last) for club, epoch, last in connection.execute(_LOOK, {"clubs": clubs})}
    left = []
    for each in contents:
        epoch, last = found.get(each["club"], (None, None))
        if epoch != each["epoch"]:
            fenced.append(each["club"])
        elif last != each["last"] or each["last"] == each["before"]:
            left.append(each)
    return left


def _values(contents: Sequence[Content]) -> dict[str, object]:
    log = [(each["club"], *row) for each in contents for row in each["log"]]
    created = [
        (each["club"], tournament, listed, tournament in each["over"])
        for each in contents
        for tournament, listed in each["created"]
    ]
    over = [(each["club"], tournament) for each in contents for tournament in each["over"]]
    ended = [(each["club"], *record) for each in contents for record in each["ended"]]
    matches = [
        (each["club"], match_id, *span)
        for each in contents
        for match_id, span in spans(facts for _, _, kind, facts in each["log"] if kind == TOURNAMENT).items()
    ]
    return {
        "clubs": [each["club"] for each in contents],
        "epochs": [each["epoch"] for each in contents],
        "before": [each["before"] for each in contents],
        "last": [each["last"] for each in contents],
        "sizes": [size_of(each) for each in contents],
        "log_clubs": [row[0] for row in log],
        "numbers": [row[1] for row in log],
        "tournaments": [row[2] for row in log],
        "kinds": [row[3] for row in log],
        "facts": [row[4] for row in log],
        "checksums": [checksum(row[4].encode(), *row[:4]) for row in log],
        "created_clubs": [row[0] for row in created],
        "created": [row[1] for row in created],
        "listed": [row[2] for row in created],
        "created_over": [row[3] for row in created],
        "over_clubs": [row[0] for row in over],
        "over": [row[1] for row in over],
        "ended_clubs": [row[0] for row in ended],
        "ended": [row[1] for row in ended],
        "records": [row[2] for row in ended],
        "record_checksums": [checksum(row[2].encode(), *row[:2]) for row in ended],
        "match_clubs": [row[0] for row in matches],
        "matches": [row[1] for row in matches],
        "firsts": [row[2] for row in matches],
        "lasts": [row[3] for row in matches],
    }


def main() -> None:
    """Write until standard input ends."""
    connection = Connection(os.environ.pop(URL_VARIABLE), SETTINGS)
    answer_all(lambda contents, again: commit(connection, contents, again))


if __name__ == "__main__":
    main()
