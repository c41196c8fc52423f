"""Reading the log back: recovery, finished tournaments, replay, transcripts and exports all come from here."""

import sqlite3
from typing import Any

from rumble_server.store.codec import Numbered, read_facts
from rumble_server.store.errors import StoreError
from rumble_server.store.schema import PLY, TOURNAMENT, open_reader
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentStarted


class LogReader:
    """A connection of its own that reads what is on disk. Not for use by two threads at once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._database = open_reader(path)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def tournament_ids(self, *, over: bool | None = None) -> list[str]:
        """The ids of the tournaments: all, those that are over, or those that are not; oldest first."""
        query = "SELECT id FROM tournaments" + ("" if over is None else " WHERE over = :over") + " ORDER BY rowid"
        return [str(row[0]) for row in self._rows(query, {"over": over})]

    def name_facts(self) -> list[LogFact]:
        """The facts about names, in order."""
        return [fact for _, fact in self._facts("", PLY)]

    def tournament_facts(self, tournament: str) -> list[LogFact]:
        """The facts that rebuild a tournament, in order; empty if there is none of that id."""
        return [fact for _, fact in self._facts(tournament, TOURNAMENT)]

    def match_facts(self, match: str) -> list[LogFact]:
        """Every fact of a match, all attempts, in order; empty if it never began."""
        span = self._rows("SELECT first, last FROM matches WHERE id = :match", {"match": match})
        if not span:
            return []
        first, last = int(span[0][0]), None if span[0][1] is None else int(span[0][1])
        tournament = match.partition(".")[0]
        facts = self._facts(tournament, TOURNAMENT, first, None) + self._facts(tournament, PLY, first, last)
        facts.sort(key=lambda numbered: numbered[0])
        return [fact for _, fact in facts if getattr(fact, "match", None) == match]

    def outlines(self, limit: int) -> list[list[LogFact]]:
        """Of each of the newest tournaments that are over and listed: its creation, its start if any, its end."""
        ids = self._rows(
            "SELECT id FROM tournaments WHERE over = 1 AND listed = 1 ORDER BY rowid DESC LIMIT :limit",
            {"limit": limit},
        )
        return [self._outline(str(row[0])) for row in ids]

    def _outline(self, tournament: str) -> list[LogFact]:
        # Text that somebody chose cannot look like the name of a fact: its quotation marks are escaped.
        rows = self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind AND (
               facts LIKE '%"tournament_created":[%' OR facts LIKE '%"tournament_started":[%'
               OR facts LIKE '%"tournament_ended":[%') ORDER BY number""",
            {"tournament": tournament, "kind": TOURNAMENT},
        )
        outline = (TournamentCreated, TournamentStarted, TournamentEnded)
        return [fact for _, fact in self._parsed(rows) if isinstance(fact, outline)]

    def _facts(self, tournament: str, kind: int, first: int = 0, last: int | None = None) -> list[Numbered]:
        # A row is found by the number of its first fact, so one that begins before `first` may hold it, too.
        rows = self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
               AND number >= coalesce((SELECT max(number) FROM log
                   WHERE tournament = :tournament AND kind = :kind AND number <= :first), 0)
               AND (:last IS NULL OR number <= :last + :tail) ORDER BY number""",
            {"tournament": tournament, "kind": kind, "first": first, "last": last, "tail": TAIL_FACTS},
        )
        return self._parsed(rows)

    def _parsed(self, rows: list[tuple[Any, ...]]) -> list[Numbered]:
        facts: list[Numbered] = []
        for number, text in rows:
            try:
                facts.extend(read_facts(text))
            except ValueError as error:
                problem = str(error).partition("\n")[0]
                raise StoreError(f"{self._path}: row {number} of the log is damaged: {problem}") from None
        return facts

    def _rows(self, query: str, parameters: dict[str, object]) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the database {self._path}: {error}") from None


TAIL_FACTS = 64
"""What was said about a match after its end (the frames that told it) stands within so many facts of it."""
