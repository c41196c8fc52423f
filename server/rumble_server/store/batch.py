"""Facts on their way to the disk, sorted into rows as they come: the writing thread has little left to do in Python."""

import sqlite3
from typing import get_args

from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.store.codec import Numbered, write_facts
from rumble_server.store.schema import PLY, TOURNAMENT
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentFact, tournament_of

_REBUILDING = frozenset(get_args(TournamentFact))
_INDEXED = frozenset((TournamentCreated, TournamentEnded, MatchStarted, MatchOver))


class Batch:
    """Facts in the order of their numbers, and the rows they make: one for each tournament and kind."""

    __slots__ = ("_indexed", "_rows", "facts")

    def __init__(self) -> None:
        self.facts: list[Numbered] = []
        self._rows: dict[tuple[str, int], list[Numbered]] = {}
        self._indexed: list[Numbered] = []

    def add(self, number: int, fact: LogFact) -> None:
        """Take a fact."""
        numbered = (number, fact)
        self.facts.append(numbered)
        kind = type(fact)
        place = (tournament_of(fact), TOURNAMENT if kind in _REBUILDING else PLY)
        row = self._rows.get(place)
        if row is None:
            self._rows[place] = [numbered]
        else:
            row.append(numbered)
        if kind in _INDEXED:
            self._indexed.append(numbered)

    def extend(self, later: "Batch") -> None:
        """Take the facts of a later batch, too."""
        for number, fact in later.facts:
            self.add(number, fact)

    def write(self, database: sqlite3.Connection) -> None:
        """Write everything as one transaction. Raises sqlite3.Error, and then nothing was written."""
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(
                "INSERT INTO log (number, tournament, kind, facts) VALUES (?, ?, ?, ?)",
                [(facts[0][0], *place, write_facts(facts)) for place, facts in self._rows.items()],
            )
            for number, fact in self._indexed:
                _index(database, number, fact)
            database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('last', ?)", (str(self.facts[-1][0]),))


def _index(database: sqlite3.Connection, number: int, fact: LogFact) -> None:
    """Keep the small tables by which rows are found; all they say can be read from the log, too."""
    match fact:
        case MatchStarted():
            database.execute(
                "INSERT INTO matches (id, first) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET last = NULL",
                (fact.match, number),
            )
        case MatchOver():
            database.execute("UPDATE matches SET last = ? WHERE id = ?", (number, fact.match))
        case TournamentCreated():
            database.execute(
                "INSERT INTO tournaments (id, listed, over) VALUES (?, ?, 0)", (fact.tournament, fact.config.listed)
            )
        case TournamentEnded():
            database.execute("UPDATE tournaments SET over = 1 WHERE id = ?", (fact.tournament,))
        case _:
            pass
