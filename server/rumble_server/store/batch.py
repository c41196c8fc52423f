"""Facts on their way to the disk, sorted into rows as they come.

The writing thread shares the interpreter with the event loop, so little is left for it to do in Python.
"""

import json
import sqlite3
from typing import get_args

from rumble_server.match.facts import MatchFact, MatchOver, MatchStarted
from rumble_server.store.codec import Numbered, write_ended, write_facts
from rumble_server.store.schema import PLY, TOURNAMENT
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentFact, tournament_of

_REBUILDING = frozenset(get_args(TournamentFact))
_OF_A_PLY = frozenset(get_args(MatchFact)) - _REBUILDING
_INDEXED = frozenset((TournamentCreated, TournamentEnded, MatchStarted, MatchOver))


class Batch:
    """Facts in the order of their numbers, and the rows they make: one for each tournament and kind.

    It is false while it has nothing to write.
    """

    __slots__ = ("_ended", "_indexed", "_last_match", "_last_row", "_rows", "facts")

    def __init__(self) -> None:
        self.facts: list[Numbered] = []
        self._rows: dict[tuple[str, int], list[Numbered]] = {}
        self._indexed: list[Numbered] = []
        self._ended: list[EndedTournament] = []
        self._last_match = ""
        self._last_row: list[Numbered] = []

    def __bool__(self) -> bool:
        return bool(self.facts or self._ended)

    def add(self, number: int, fact: LogFact) -> None:
        numbered = (number, fact)
        self.facts.append(numbered)
        kind = type(fact)
        if kind in _OF_A_PLY:
            # One move makes several facts of one match: only the first has to look for its row.
            match_id = fact.match  # type: ignore[union-attr]  # by its type it has one
            if match_id != self._last_match:
                self._last_match = match_id
                self._last_row = self._rows.setdefault((tournament_of(fact), PLY), [])
            self._last_row.append(numbered)
            return
        place = (tournament_of(fact), TOURNAMENT if kind in _REBUILDING else PLY)
        row = self._rows.get(place)
        if row is None:
            self._rows[place] = [numbered]
        else:
            row.append(numbered)
        if kind in _INDEXED:
            self._indexed.append(numbered)

    def file(self, ended: EndedTournament) -> None:
        self._ended.append(ended)

    def extend(self, later: "Batch") -> None:
        for number, fact in later.facts:
            self.add(number, fact)
        self._ended += later._ended

    def write(self, database: sqlite3.Connection) -> None:
        """Write everything as one transaction. Raises sqlite3.Error, and then nothing was written."""
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(
                "INSERT INTO log (number, tournament, kind, facts) VALUES (?, ?, ?, ?)",
                [(facts[0][0], *place, write_facts(facts)) for place, facts in self._rows.items()],
            )
            self._index(database)
            database.executemany(
                "INSERT OR REPLACE INTO ended (id, record) VALUES (?, ?)",
                [(ended.id, write_ended(ended)) for ended in self._ended],
            )
            if self.facts:
                last = str(self.facts[-1][0])
                database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('last', ?)", (last,))

    def _index(self, database: sqlite3.Connection) -> None:
        """Update the small tables by which rows are found. The log has all that is in them."""
        started: list[tuple[str, int]] = []
        over: list[tuple[int, str]] = []
        for number, fact in self._indexed:
            match fact:
                case MatchStarted():
                    started.append((fact.match, number))
                case MatchOver():
                    over.append((number, fact.match))
                case TournamentCreated():
                    database.execute(
                        "INSERT INTO tournaments (id, listed, over) VALUES (?, ?, 0)",
                        (fact.tournament, fact.config.listed),
                    )
                case TournamentEnded():
                    database.execute("UPDATE tournaments SET over = 1 WHERE id = ?", (fact.tournament,))
        # One statement for all matches: after each call the thread has to win the interpreter back from the loop.
        if started:
            database.execute(
                """INSERT INTO matches (id, first)
                   SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?) WHERE true
                   ON CONFLICT (id) DO UPDATE SET last = NULL""",
                (json.dumps(started),),
            )
        # A match may end and start again within this batch: what came last counts.
        newest = dict(started)
        ended = [(number, match_id) for number, match_id in over if number > newest.get(match_id, 0)]
        if ended:
            database.execute(
                """UPDATE matches SET last = json_extract(value, '$[0]') FROM json_each(?)
                   WHERE matches.id = json_extract(value, '$[1]')""",
                (json.dumps(ended),),
            )
