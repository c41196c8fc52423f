"""The rows of a club in PostgreSQL, for the readers of logs (`store/reader.py`)."""

from collections import Counter
from collections.abc import Collection, Iterable

from rumble_server.store.checksum import intact
from rumble_server.store.content import TOURNAMENT
from rumble_server.store.keys import MAIN
from rumble_server.store.postgres.connection import Connection
from rumble_server.store.reader import LogReader
from rumble_server.store.rows import Counted, Row, Span

_LOG = "SELECT number, kind, facts, checksum FROM log WHERE club = %(club)s AND tournament = %(tournament)s"
_FROM_FIRST = """number >= coalesce((SELECT max(number) FROM log
    WHERE club = %(club)s AND tournament = %(tournament)s AND kind = %(kind)s AND number <= %(first)s), %(first)s, 0)"""
"""SQL condition of rows from the fact `first` on.

A row has the number of its first fact, so the row before `first` may hold the fact.
"""


def read_postgres(url: str, club: str = MAIN) -> LogReader:
    """Make a reader of a club with a connection of its own, opened when needed. Raises StoreError for a bad URL."""
    return LogReader(PostgresRows(Connection(url), club))


class PostgresRows:
    """The rows of one club."""

    def __init__(self, connection: Connection, club: str = MAIN) -> None:
        self._connection = connection
        self._club = club
        self.name = connection.name

    def of(self, club: str) -> "PostgresRows":
        return PostgresRows(self._connection, club)

    def close(self) -> None:
        self._connection.close()

    def tournament_ids(self, over: bool | None) -> list[str]:
        which = "" if over is None else "AND over = %(over)s"
        return self._ids(f"SELECT id FROM tournaments WHERE club = %(club)s {which} ORDER BY place", over=over)

    def listed_ids(self, limit: int) -> list[str]:
        return self._ids(
            "SELECT id FROM tournaments WHERE club = %(club)s AND over AND listed ORDER BY place DESC LIMIT %(limit)s",
            limit=limit,
        )

    def only_listed(self, tournament_ids: Collection[str]) -> list[str]:
        return self._ids(
            "SELECT id FROM tournaments WHERE club = %(club)s AND listed AND id = ANY(%(ids)s::text[]) ORDER BY place",
            ids=list(tournament_ids),
        )

    def records(self, tournament_ids: Collection[str]) -> list[tuple[str, str | None]]:
        rows = self._connection.read(
            "SELECT id, record, checksum FROM ended WHERE club = %(club)s AND id = ANY(%(ids)s::text[])",
            {"club": self._club, "ids": list(tournament_ids)},
        )
        return [(each, intact(record.encode(), sum_, self._club, each)) for each, record, sum_ in rows]

    def ended_by_club(self) -> dict[str, Counted]:
        # No other part of a record can match, because quotation marks in texts are escaped.
        rows = self._connection.read(
            """SELECT club, clubs.last, coalesce(substring(record FROM '"status":"([a-z]+)"'), 'finished'), count(*)
               FROM tournaments JOIN clubs USING (club) LEFT JOIN ended USING (club, id)
               WHERE over GROUP BY 1, 2, 3"""
        )
        counted: dict[str, Counted] = {}
        for club, last, status, count in rows:
            counted.setdefault(club, (last, Counter()))[1][status] = count
        return counted

    def bytes(self) -> int:
        rows = self._connection.read("SELECT bytes FROM clubs WHERE club = %(club)s", {"club": self._club})
        return int(rows[0][0]) if rows else 0

    def newest(self, limit: int) -> list[Row]:
        query = """SELECT tournament, number, kind, facts, checksum FROM log WHERE club = %(club)s
            ORDER BY number DESC LIMIT %(limit)s"""
        rows = self._connection.read(query, {"club": self._club, "limit": limit})
        return [
            row for place, *found in rows for row in self._checked([(found[0], found[1], found[2], found[3])], place)
        ]

    def of_server(self, number: int = 0) -> list[Row]:
        return self._read(f"{_LOG} AND number > %(number)s ORDER BY number", "", number=number)

    def after(self, tournament_id: str, number: int, limit: int) -> list[Row]:
        return self._read(
            f"{_LOG} AND kind = %(kind)s AND number > %(number)s ORDER BY number LIMIT %(limit)s",
            tournament_id,
            kind=TOURNAMENT,
            number=number,
            limit=limit,
        )

    def span(self, tournament_id: str, match_id: str) -> Span:
        rows = self._connection.read(
            """SELECT indexed, first, matches.last, pruned FROM clubs
               LEFT JOIN matches ON matches.club = clubs.club AND matches.id = %(match)s
               LEFT JOIN tournaments ON tournaments.club = clubs.club AND tournaments.id = %(tournament)s
               WHERE clubs.club = %(club)s""",
            {"club": self._club, "match": match_id, "tournament": tournament_id},
        )
        indexed, first, last, pruned = rows[0] if rows else (0, None, None, False)
        return Span(indexed, first, last, bool(pruned))

    def of_match(self, tournament_id: str, kind: int, span: Span, until: int, text: str) -> list[Row]:
        rows = self._read(
            f"{_LOG} AND kind = %(kind)s AND number > %(after)s", tournament_id, kind=kind, after=span.indexed
        )
        if span.first is not None:
            rows += self._read(
                f"{_LOG} AND kind = %(kind)s AND {_FROM_FIRST} AND number <= %(until)s",
                tournament_id,
                kind=kind,
                first=span.first,
                until=until,
            )
        return [(number, facts) for number, facts in rows if facts is None or text in facts]

    def first_of(self, match_ids: Collection[str]) -> int | None:
        rows = self._connection.read(
            """SELECT coalesce(min(first), (SELECT indexed + 1 FROM clubs WHERE club = %(club)s))
               FROM matches WHERE club = %(club)s AND id = ANY(%(ids)s::text[])""",
            {"club": self._club, "ids": list(match_ids)},
        )
        first: int | None = rows[0][0]
        return first

    def since(self, tournament_id: str, kind: int, first: int | None) -> list[Row]:
        return self._read(
            f"{_LOG} AND kind = %(kind)s AND {_FROM_FIRST} ORDER BY number", tournament_id, kind=kind, first=first
        )

    def holding(self, tournament_id: str, kind: int, number: int) -> list[Row]:
        return self._read(
            f"{_LOG} AND kind = %(kind)s AND number <= %(number)s ORDER BY number DESC LIMIT 1",
            tournament_id,
            kind=kind,
            number=number,
        )

    def matches(self, start: str) -> list[str]:
        # `/` is the character after the dot.
        return self._ids(
            "SELECT id FROM matches WHERE club = %(club)s AND id > %(from)s AND id < %(to)s",
            **{"from": f"{start}.", "to": f"{start}/"},
        )

    def not_indexed(self, tournament_id: str, kind: int) -> list[str]:
        query = f"{_LOG} AND kind = %(kind)s AND number > (SELECT indexed FROM clubs WHERE club = %(club)s)"
        return [facts for _, facts in self._read(query, tournament_id, kind=kind) if facts is not None]

    def _ids(self, query: str, **values: object) -> list[str]:
        return [str(row[0]) for row in self._connection.read(query, {"club": self._club, **values})]

    def _read(self, query: str, tournament_id: str, **values: object) -> list[Row]:
        place = {"club": self._club, "tournament": tournament_id}
        return list(self._checked(self._connection.read(query, {**place, **values}), tournament_id))

    def _checked(self, rows: "Iterable[tuple[int, int, str, int]]", tournament_id: str) -> "Iterable[Row]":
        for number, kind, facts, sum_ in rows:
            yield number, intact(facts.encode(), sum_, self._club, number, tournament_id, kind)
