"""Facts of a club on their way to the disk, sorted into rows as they come."""

from typing import get_args

from rumble_server.match.facts import MatchFact
from rumble_server.match.match_id import tournament_id_of
from rumble_server.store.codec import Numbered, write_ended, write_facts
from rumble_server.store.content import PLY, TOURNAMENT, Content
from rumble_server.tournament.ended import EndedTournament
from rumble_server.tournament.facts import LogFact, TournamentCreated, TournamentEnded, TournamentFact, tournament_of

_REBUILDING = frozenset(get_args(TournamentFact))
_OF_A_PLY = frozenset(get_args(MatchFact)) - _REBUILDING


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

    def content(self, club: str = "main", before: int = 0, epoch: int = 0) -> Content:
        """Return what is to be written: the rows of a club whose newest fact is so far number `before`."""
        created = [fact for _, fact in self.facts if type(fact) is TournamentCreated]
        over = [fact for _, fact in self.facts if type(fact) is TournamentEnded]
        return {
            "club": club,
            "epoch": epoch,
            "before": before,
            "last": self.facts[-1][0] if self.facts else before,
            "log": [(facts[0][0], *place, write_facts(facts)) for place, facts in self._rows().items()],
            "created": [(fact.tournament, fact.config.listed) for fact in created],
            "over": [fact.tournament for fact in over],
            "ended": [(ended.id, write_ended(ended)) for ended in self._ended],
        }

    def _rows(self) -> dict[tuple[str, int], list[Numbered]]:
        """Return the facts by row: one for each tournament and kind."""
        of_plies: dict[str, list[Numbered]] = {}
        others: dict[str, list[Numbered]] = {}
        for numbered in self.facts:
            fact = numbered[1]
            if type(fact) in _OF_A_PLY:
                tournament_id = tournament_id_of(fact.match)  # type: ignore[union-attr]  # by its type it has one
                rows = of_plies
            else:
                tournament_id = tournament_of(fact)
                rows = others if type(fact) in _REBUILDING else of_plies
            row = rows.get(tournament_id)
            if row is None:
                row = rows[tournament_id] = []
            row.append(numbered)
        return {
            (tournament_id, kind): row
            for kind, rows in ((TOURNAMENT, others), (PLY, of_plies))
            for tournament_id, row in rows.items()
        }
