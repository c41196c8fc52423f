"""Facts on their way to the disk, sorted into rows as they come."""

from typing import get_args

from rumble_server.match.facts import MatchFact
from rumble_server.store.codec import Numbered, write_ended, write_facts
from rumble_server.store.schema import PLY, TOURNAMENT
from rumble_server.store.writer import Statement
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentFact, tournament_of

_REBUILDING = frozenset(get_args(TournamentFact))
_OF_A_PLY = frozenset(get_args(MatchFact)) - _REBUILDING

# A batch that seemed to fail may be on disk nevertheless, so each statement may be repeated.
_LOG = """INSERT OR REPLACE INTO log (number, tournament, kind, facts, checksum)
    SELECT number, tournament, kind, facts, checksum(CAST(facts AS BLOB), number, tournament, kind)
    FROM (SELECT ? AS number, ? AS tournament, ? AS kind, ? AS facts)"""
_CREATED = "INSERT OR IGNORE INTO tournaments (id, listed, over) VALUES (?, ?, 0)"
_OVER = "UPDATE tournaments SET over = 1 WHERE id = ?"
_ENDED = """INSERT OR REPLACE INTO ended (id, record, checksum)
    SELECT id, record, checksum(CAST(record AS BLOB), id) FROM (SELECT ? AS id, ? AS record)"""


class Batch:
    """Facts in the order of their numbers. It is false while it has nothing to write."""

    __slots__ = ("_ended", "facts")

    def __init__(self) -> None:
        self.facts: list[Numbered] = []
        self._ended: list[EndedTournament] = []

    def __bool__(self) -> bool:
        return bool(self.facts or self._ended)

    def add(self, number: int, fact: LogFact) -> None:
        self.facts.append((number, fact))

    def file(self, ended: EndedTournament) -> None:
        self._ended.append(ended)

    def statements(self) -> list[Statement]:
        """Return what writes everything, as one transaction."""
        created = [fact for _, fact in self.facts if type(fact) is TournamentCreated]
        over = [fact for _, fact in self.facts if type(fact) is TournamentEnded]
        statements: list[Statement] = [
            (_LOG, [(facts[0][0], *place, write_facts(facts)) for place, facts in self._rows().items()])
        ]
        if created:
            statements.append((_CREATED, [(fact.tournament, fact.config.listed) for fact in created]))
        if over:
            statements.append((_OVER, [(fact.tournament,) for fact in over]))
        if self._ended:
            statements.append((_ENDED, [(ended.id, write_ended(ended)) for ended in self._ended]))
        return statements

    def _rows(self) -> dict[tuple[str, int], list[Numbered]]:
        """Return the facts by row: one for each tournament and kind."""
        rows: dict[tuple[str, int], list[Numbered]] = {}
        of_match: dict[str, list[Numbered]] = {}
        for numbered in self.facts:
            fact = numbered[1]
            if type(fact) in _OF_A_PLY:
                match_id = fact.match  # type: ignore[union-attr]  # by its type it has one
                row = of_match.get(match_id)
                if row is None:
                    row = of_match[match_id] = rows.setdefault((tournament_of(fact), PLY), [])
                row.append(numbered)
            else:
                kind = TOURNAMENT if type(fact) in _REBUILDING else PLY
                rows.setdefault((tournament_of(fact), kind), []).append(numbered)
        return rows
