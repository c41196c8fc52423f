"""The program that writes commits to PostgreSQL. The server runs it as a process (`store/log/commit_loop.py`).

A commit is one SQL statement, and a transaction by itself. For each club, the statement first sets `last` in the club's
row of `clubs` to the number of the commit's newest fact. The statement changes this row only if the row has the epoch
and the newest fact that the commit assumes. Only then are the club's rows in other tables written. Therefore a server
cannot write a club that has a newer leader. A repeated commit has no effect if the first try was successful. Some
commits also write the index of matches (`unindexed.py`).

If facts that were reported as written are missing in a club's log, the database was replaced by an older copy. The
nodes then know facts that are lost, so every node has to start again.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from json import JSONEncoder
from struct import Struct
from typing import Any

from psycopg.pq import Format

from rumble_server.store.errors import StoreError
from rumble_server.store.log.checksum import checksum
from rumble_server.store.log.commit_loop import answer_all
from rumble_server.store.log.content import DETAIL, Content, lead_id, sizes_of
from rumble_server.store.postgres.connection import PostgresConnection
from rumble_server.store.postgres.schema import NEXT_EPOCH
from rumble_server.store.postgres.unindexed import INDEX_S, Spans, Unindexed

URL_VARIABLE = "RUMBLE_WRITER_DB"
"""Environment variable that has the database's URL. Other users could read a URL on the command line."""

SETTINGS = {"statement_timeout": "8s", "plan_cache_mode": "force_generic_plan"}
"""PostgreSQL's settings for the writer: a statement that waits too long fails, and each statement is planned once."""

_CLUBS = "club text, epoch bigint, before bigint, last bigint, size bigint, indexed bigint"
_LED = """UPDATE clubs SET last = given.last, bytes = clubs.bytes + given.size,
        indexed = coalesce(given.indexed, clubs.indexed)
    FROM {given} WHERE clubs.club = given.club AND clubs.epoch = given.epoch AND clubs.last = given.before
    RETURNING clubs.club, clubs.epoch"""
_PARTS = {
    "led": (_CLUBS, _LED),
    "logged": (
        "epoch bigint, club text, number bigint, tournament text, kind smallint, facts text, checksum bigint",
        """INSERT INTO log (club, number, tournament, kind, facts, checksum)
        SELECT club, number, tournament, kind, facts, checksum FROM {given}""",
    ),
    "created": (
        "club text, epoch bigint, id text, listed boolean, over boolean",
        """INSERT INTO tournaments (club, id, listed, over)
        SELECT club, id, listed, over FROM {given} ORDER BY place
        ON CONFLICT (club, id) DO UPDATE
        SET listed = excluded.listed, over = tournaments.over OR excluded.over""",
    ),
    "over": (
        "club text, epoch bigint, id text",
        """UPDATE tournaments SET over = true FROM {given}
        WHERE tournaments.club = given.club AND tournaments.id = given.id""",
    ),
    "filed": (
        "epoch bigint, club text, id text, record text, checksum bigint",
        """INSERT INTO ended (club, id, record, checksum)
        SELECT club, id, record, checksum FROM {given}
        ON CONFLICT (club, id) DO UPDATE SET record = excluded.record, checksum = excluded.checksum""",
    ),
    "dropped": (
        "club text, epoch bigint, tournament text, kind smallint, oldest bigint",
        """DELETE FROM log USING {given} WHERE log.club = given.club AND log.tournament = given.tournament
        AND log.kind = given.kind AND log.number < given.oldest""",
    ),
    "indexed": (
        "club text, epoch bigint, id text, first bigint, last bigint",
        """INSERT INTO matches (club, id, first, last)
        SELECT club, id, first, last FROM {given}
        ON CONFLICT (club, id) DO UPDATE SET last = excluded.last""",
    ),
}
"""The parts of a commit's statement, by name. Each part has the columns of its rows, and the SQL that writes the rows.

The part `led` comes first, and changes the rows of `clubs`. Later parts only write rows of clubs that `led` has
changed, under the same epoch. A part without rows is left out; most commits have only the parts `led` and `logged`.
"""
_LONG = ("facts", "record")
"""Columns with long texts, which are sent in PostgreSQL's binary format. Other columns are sent in the text format."""
_ARRAY_OF_TEXTS = Struct("!5i")
"""Header of a binary array of texts: 1 dimension, 0 (no NULL), type 25 (text), number of texts, first index 1."""
_LENGTH = Struct("!i")
_JSON = JSONEncoder(ensure_ascii=False)
Rows = Sequence[tuple[Any, ...]]
_START_AGAIN = f"""
WITH gone AS (DELETE FROM nodes)
UPDATE clubs SET node = NULL, wanted = NULL, offered = NULL, epoch = {NEXT_EPOCH} WHERE node IS NOT NULL
"""
"""SQL to make every node start again: a node ends when its row is gone (`nodes/lease.py`). Each led club gets a new
epoch, so that late writes of the nodes have no effect."""
_LOOK = "SELECT club, epoch, last FROM clubs WHERE club = ANY(%(clubs)b::text[])"


class Commits:
    """A writer of commits on one connection. It writes a single commit at a time."""

    def __init__(self, connection: PostgresConnection, index_s: float = INDEX_S) -> None:
        """`index_s` is the minimum time in s between two writes of a club's index of matches."""
        self._connection = connection
        self._unindexed = Unindexed(connection, index_s)

    def commit(self, contents: Sequence[Content], again: bool) -> list[str]:
        """Write a commit, and return `lead_id` of each content whose club another server leads.

        Such a content is not written. If `again` is true, an earlier try may have written the commit. Contents written
        already are skipped. Raises StoreError.
        """
        fenced: list[str] = []
        if again:
            contents = self._unwritten(contents, fenced)
        if contents:
            led = self.write_once(contents)
            missed = self._unwritten([each for each in contents if lead_id(each) not in led], fenced)
            if missed:
                clubs = ", ".join(each["club"] for each in missed)
                raise StoreError(f"the log of {clubs} does not go on where it ended")
        return fenced

    def write_once(self, contents: Sequence[Content]) -> set[str]:
        """Write each content whose club has the epoch and newest fact that the content assumes, in its row of `clubs`.

        Return `lead_id` of each content that was written. Raises StoreError.
        """
        due = {lead_id(each): spans for each in contents if (spans := self._unindexed.add_matches(each)) is not None}
        rows = _rows(contents, due)
        statement, formats = _statement(len(contents) == 1, *rows)
        values = [_array(values) for of_part in rows.values() for values in zip(*of_part, strict=True)]
        led = set(self._connection.execute_prepared(statement, values, formats))
        for each in contents:
            if (lead := lead_id(each)) in led and lead in due:
                self._unindexed.on_written(each["club"])
        return led

    def _unwritten(self, contents: Sequence[Content], fenced: list[str]) -> list[Content]:
        """Return the contents that are not written yet and can be written.

        Add `lead_id` of each content whose club another server leads to the list `fenced`. If the database was
        replaced by an older copy, make all nodes start again.
        """
        if not contents:
            return []
        has_gone_back = False
        clubs = [content["club"] for content in contents]
        written = {club: (epoch, last) for club, epoch, last in self._connection.execute(_LOOK, {"clubs": clubs})}
        left = []
        for content in contents:
            epoch, last = written.get(content["club"], (None, None))
            is_behind = epoch is not None and (epoch < content["epoch"] or last < content["before"])
            has_gone_back |= is_behind
            if is_behind or epoch != content["epoch"]:
                fenced.append(lead_id(content))
                self._unindexed.forget(content["club"])
            elif last != content["last"] or content["last"] == content["before"]:
                left.append(content)
        if has_gone_back:
            self._connection.execute(_START_AGAIN)
        return left


def _rows(contents: Sequence[Content], due: Mapping[str, Spans]) -> dict[str, Rows]:
    """Return the rows for the parts (`_PARTS`) of a commit's statement, by part. Parts without rows are left out.

    Long texts are encoded. `due` has the matches to write to the index of matches, by `lead_id`.
    """
    of = [(each["club"], each["epoch"], each) for each in contents]
    log = [
        (epoch, (club, number, tournament, kind), facts.encode())
        for club, epoch, each in of
        for number, tournament, kind, facts in each["log"]
    ]
    ended = [
        (epoch, (club, tournament), record.encode()) for club, epoch, each in of for tournament, record in each["ended"]
    ]
    rows: dict[str, Rows] = {
        "led": [
            (
                club,
                epoch,
                each["before"],
                each["last"],
                sizes_of(each).total(),
                each["last"] if lead_id(each) in due else None,
            )
            for club, epoch, each in of
        ],
        "logged": [(epoch, *key, facts, checksum(facts, *key)) for epoch, key, facts in log],
        "created": [
            (club, epoch, tournament, listed, tournament in each["over"])
            for club, epoch, each in of
            for tournament, listed in each["created"]
        ],
        "over": [
            (club, epoch, tournament)
            for club, epoch, each in of
            for tournament in each["over"]
            if tournament not in dict(each["created"])  # no statement may write a row twice
        ],
        "filed": [(epoch, *key, record, checksum(record, *key)) for epoch, key, record in ended],
        "dropped": [
            (club, epoch, versions, DETAIL, oldest)
            for club, epoch, each in of
            for versions, oldest, _ in each["dropped"]
        ],
        "indexed": sorted(
            (club, epoch, match_id, *span)
            for club, epoch, each in of
            for match_id, span in due.get(lead_id(each), {}).items()
        ),
    }
    return {part: of_part for part, of_part in rows.items() if of_part}


@cache
def _statement(is_of_one: bool, *parts: str) -> tuple[str, list[Format]]:
    """Return the SQL of a commit that has the parts `parts`, and the format of each value in the SQL.

    If the commit is of a single club (`is_of_one`), the SQL has no joins, for speed. In a small part, a join takes as
    long as writing the rows.
    """
    written, formats = list[str](), list[Format]()
    for part in parts:
        columns, change = _PARTS[part]
        names, arrays = list[str](), list[str]()
        for column in columns.split(", "):
            name, type_ = column.split()
            names.append(name)
            formats.append(Format.BINARY if name in _LONG else Format.TEXT)
            arrays.append(f"${len(formats)}::{type_}[]")
        given = f"unnest({', '.join(arrays)}) WITH ORDINALITY AS given ({', '.join(names)}, place)"
        if written:
            of_led = f"(SELECT * FROM {given} WHERE EXISTS (SELECT FROM led)) AS given"
            given = of_led if is_of_one else f"{given} JOIN led USING (club, epoch)"
        written.append(f"{part} AS ({change.format(given=given)})")
    return f"WITH {', '.join(written)} SELECT club || '@' || epoch FROM led", formats


def _array(values: Sequence[Any]) -> bytes:
    """Return an array of `values` in one of PostgreSQL's formats.

    Values of type bytes (encoded texts) give a binary array. Other values give a text like a JSON list, but in braces.
    """
    if not isinstance(values[0], bytes):
        return f"{{{_JSON.encode(values)[1:-1]}}}".encode()
    array = [_ARRAY_OF_TEXTS.pack(1, 0, 25, len(values), 1)]
    for text in values:
        array += (_LENGTH.pack(len(text)), text)
    return b"".join(array)


def main() -> None:
    """Run the writing program: write commits until standard input ends."""
    connection = PostgresConnection(os.environ.pop(URL_VARIABLE), SETTINGS)
    with suppress(StoreError):  # after an error, the first commit tries again and reports the problem
        connection.read("SELECT")
    answer_all(Commits(connection).commit)


if __name__ == "__main__":
    main()
