"""Reading the log back: recovery, tournaments that are over, replays, transcripts and exports all come from here."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rumble_server.match.facts import FrameSeen, FrameShared, with_shared_frames
from rumble_server.match.match_id import MatchId, Neighbours, neighbours, tournament_id_of
from rumble_server.store.codec import Numbered, read_ended, read_facts
from rumble_server.store.errors import DamagedLog, Pruned, StoreError
from rumble_server.store.match_index import matches_in
from rumble_server.store.schema import PLY, TOURNAMENT, open_reader
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact

PORTION_ROWS = 256
"""How many rows of a tournament are read at a time."""
TAIL_FACTS = 64
"""The facts of a match that follow its end (the frames that told it) are among this many facts after its end."""


class LogReader:
    """A connection of its own that reads what is on disk. Two threads must not use it at once. Raises StoreError."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._database = open_reader(path)

    def close(self) -> None:
        self._database.close()

    def tournament_ids(self, *, over: bool | None = None) -> list[str]:
        """Return the ids of all tournaments, of those that are over, or of those that are not; oldest first."""
        query = "SELECT id FROM tournaments" + ("" if over is None else " WHERE over = :over") + " ORDER BY rowid"
        return [str(row[0]) for row in self._rows(query, {"over": over})]

    def listed_ids(self, limit: int) -> list[str]:
        """Return the ids of the newest tournaments that are over and listed, newest first."""
        query = "SELECT id FROM tournaments WHERE over = 1 AND listed = 1 ORDER BY rowid DESC LIMIT :limit"
        return [str(row[0]) for row in self._rows(query, {"limit": limit})]

    def only_listed(self, tournament_ids: Sequence[str]) -> list[str]:
        """Return those of these tournaments that are listed."""
        query = "SELECT id FROM tournaments WHERE listed = 1 AND id IN (SELECT value FROM json_each(:ids))"
        return [str(row[0]) for row in self._rows(query, {"ids": json.dumps(tournament_ids)})]

    def ended(self, tournament_ids: Sequence[str]) -> dict[str, EndedTournament]:
        """Return the records of these tournaments by id; a record that is not there or not readable is left out."""
        query = "SELECT id, record FROM ended WHERE id IN (SELECT value FROM json_each(:ids))"
        found: dict[str, EndedTournament] = {}
        for tournament_id, record in self._rows(query, {"ids": json.dumps(tournament_ids)}):
            try:
                found[tournament_id] = read_ended(record)
            except ValueError:  # it can be made again from the log
                continue
        return found

    def server_facts(self) -> tuple[list[LogFact], list[DamagedLog]]:
        """Return the facts about the server, and what is wrong with each row of them that cannot be read."""
        facts: list[LogFact] = []
        problems: list[DamagedLog] = []
        for row in self._rows("SELECT number, facts FROM log WHERE tournament = '' ORDER BY number", {}):
            try:
                facts += [fact for _, fact in self._parsed([row])]
            except DamagedLog as error:
                problems.append(error)
        return facts, problems

    def tournament_facts(self, tournament_id: str) -> list[LogFact]:
        """Return the facts that rebuild a tournament, in order; empty if there is none of that id."""
        return [fact for _, fact in self.facts_after(tournament_id, 0)]

    def facts_after(self, tournament_id: str, number: int) -> Iterator[Numbered]:
        """Yield the facts that rebuild a tournament from the one after `number` on, which ended a row or is 0.

        They are read in portions, so that no transaction of a reader lasts long: a checkpoint would wait for it.
        """
        while True:
            rows = self._rows(
                """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
                   AND number > :number ORDER BY number LIMIT :portion""",
                {"tournament": tournament_id, "kind": TOURNAMENT, "number": number, "portion": PORTION_ROWS},
            )
            yield from self._parsed(rows)
            if len(rows) < PORTION_ROWS:
                return
            number = int(rows[-1][0])

    def match_facts(self, match_id: str) -> list[LogFact]:
        """Return every fact of a match, all attempts, in order; empty if it never began. Raises Pruned.

        That its last result was voided is not among them while it is not played again: nothing after it is read.
        """
        tournament_id = tournament_id_of(match_id)
        found = self._rows(
            """SELECT coalesce((SELECT value FROM meta WHERE key = 'indexed'), 0), first, last,
                      (SELECT pruned FROM tournaments WHERE id = :tournament)
               FROM (SELECT 1) LEFT JOIN matches ON id = :match""",
            {"match": match_id, "tournament": tournament_id},
        )
        indexed, first, last = int(found[0][0]), found[0][1], found[0][2]
        if found[0][3] and first is not None:
            raise Pruned(f"the moves of {match_id} were deleted to save space; its result is kept")
        facts: list[Numbered] = []
        for kind in (TOURNAMENT, PLY):
            until = indexed if last is None else min(indexed, last + TAIL_FACTS)
            # A row is found by the number of its first fact, so one that begins before `first` may hold it, too.
            # The index knows nothing of what is later than `indexed`: that is looked through.
            rows = self._rows(
                """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
                   AND number >= coalesce((SELECT max(number) FROM log
                       WHERE tournament = :tournament AND kind = :kind AND number <= :first), :first)
                   AND number <= :until AND (facts IS NULL OR instr(facts, :match))
                   UNION ALL
                   SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
                   AND number > :indexed AND (facts IS NULL OR instr(facts, :match))""",
                {
                    "tournament": tournament_id,
                    "kind": kind,
                    "first": first,
                    "until": until,
                    "indexed": indexed,
                    "match": json.dumps(match_id, ensure_ascii=False),
                },
            )
            facts += self._parsed(rows, (match_id,))
        facts.sort(key=lambda numbered: numbered[0])
        return list(with_shared_frames((fact for _, fact in facts), self._frame_of))  # type: ignore[arg-type]

    def neighbours(self, match_id: str) -> Neighbours:
        """Find the matches that have begun beside one."""
        own = MatchId.parse(match_id)
        newest = self._not_indexed(own.tournament_id)
        in_round = neighbours(match_id, newest | self._indexed(f"{own.tournament_id}.{own.cycle}.{own.round}"))
        if in_round.previous and in_round.next and MatchId.parse(in_round.next)[:3] == own[:3]:
            return in_round
        return neighbours(match_id, newest | self._indexed(own.tournament_id))

    def _indexed(self, start: str) -> set[str]:
        """Return the ids in the index that go on with a dot after `start`; a slash is the sign after the dot."""
        query = "SELECT id FROM matches WHERE id > :start || '.' AND id < :start || '/'"
        return {str(row[0]) for row in self._rows(query, {"start": start})}

    def _not_indexed(self, tournament_id: str) -> set[str]:
        """Return the ids of those matches of a tournament that the index may not have yet."""
        rows = self._rows(
            """SELECT facts FROM log WHERE tournament = :tournament AND kind = :kind AND facts IS NOT NULL
               AND number > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed'), 0)""",
            {"tournament": tournament_id, "kind": TOURNAMENT},
        )
        return set[str]().union(*(matches_in(facts) for (facts,) in rows))

    def _frame_of(self, shared: FrameShared) -> FrameSeen | None:
        """Find the frame that a match shares with another one."""
        rows = self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind AND number <= :number
               ORDER BY number DESC LIMIT 1""",
            {"tournament": tournament_id_of(shared.other), "kind": PLY, "number": shared.other_number},
        )
        found = dict(self._parsed(rows, (shared.other,))).get(shared.other_number)
        return found if isinstance(found, FrameSeen) else None

    def facts_of_matches(self, tournament_id: str, match_ids: Collection[str]) -> Mapping[str, list[LogFact]]:
        """Return every fact of matches of a tournament that have begun, in order; its log is read once for all."""
        first = self._rows(
            "SELECT min(first) FROM matches WHERE id IN (SELECT value FROM json_each(:ids))",
            {"ids": json.dumps(list(match_ids))},
        )[0][0]
        facts: dict[str, list[LogFact]] = defaultdict(list)
        found: list[Numbered] = []
        for kind in (TOURNAMENT, PLY):
            rows = self._rows(
                """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind
                   AND number >= coalesce((SELECT max(number) FROM log
                       WHERE tournament = :tournament AND kind = :kind AND number <= :first), :first, 0)""",
                {"tournament": tournament_id, "kind": kind, "first": first},
            )
            found += self._parsed(rows, match_ids)
        found.sort(key=lambda numbered: numbered[0])
        for _, fact in found:
            facts[fact.match].append(fact)  # type: ignore[union-attr]  # it is of one of these matches
        return facts

    def outline(self, tournament_id: str) -> list[LogFact]:
        """Return the facts of those rows that have a tournament's creation, its start or its end.

        For databases that were written before there were records.
        """
        # Text that somebody chose cannot look like the name of a fact: its quotation marks are escaped.
        rows = self._rows(
            """SELECT number, facts FROM log WHERE tournament = :tournament AND kind = :kind AND (
               facts LIKE '%"tournament_created":[%' OR facts LIKE '%"tournament_started":[%'
               OR facts LIKE '%"tournament_ended":[%') ORDER BY number""",
            {"tournament": tournament_id, "kind": TOURNAMENT},
        )
        return [fact for _, fact in self._parsed(rows)]

    def _parsed(self, rows: Iterable[tuple[Any, ...]], match_ids: Container[str] | None = None) -> list[Numbered]:
        facts: list[Numbered] = []
        for number, text in rows:
            if text is None:
                raise DamagedLog(f"{self._path}: row {number} of the log is damaged: it is not what was written")
            try:
                facts.extend(read_facts(text, match_ids))
            except ValueError as error:
                problem = str(error).partition("\n")[0]
                raise DamagedLog(f"{self._path}: row {number} of the log is damaged: {problem}") from None
        return facts

    def _rows(self, query: str, parameters: dict[str, object]) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            kind = StoreError if isinstance(error, sqlite3.OperationalError) else DamagedLog
            raise kind(f"cannot read the database {self._path}: {error}") from None
