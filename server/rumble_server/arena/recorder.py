"""The one way to record: append a fact to the log, apply it to its machines, and settle what follows.

Machines change by facts only, so what this run has done and what the log tells are the same.
"""

from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, cast, get_args

from rumble_server.arena.names import Names
from rumble_server.arena.ports import Log
from rumble_server.match.facts import MatchFact, MatchOver
from rumble_server.match.referee import Referee
from rumble_server.tournament.facts import LogFact, NameFact, TournamentCreated, TournamentFact, tournament_of
from rumble_server.tournament.tournament import Tournament

_OF_A_PLY = frozenset(get_args(MatchFact)) - frozenset(get_args(TournamentFact))


class Transaction:
    """What one event records, and all that follows from it. Transactions nest; the outermost settles at its end."""

    __slots__ = ("_depth", "_log", "_settle", "number")

    def __init__(self, log: Log, settle: Callable[[], None]) -> None:
        self.number = 0
        """After the end: the number to wait for before anything of this is told."""
        self._log = log
        self._settle = settle
        self._depth = 0

    def __enter__(self) -> "Transaction":
        self._depth += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._depth == 1:
                self._settle()
        finally:
            self._depth -= 1
            self.number = self._log.last


class Recorder:
    """Records facts. `settle` starts, loses and ends what the facts of a transaction call for."""

    def __init__(self, log: Log, settle: Callable[[], None]) -> None:
        self.log = log
        self.names = Names()
        self.tournaments: dict[str, Tournament] = {}
        """The tournaments in memory, by id."""
        self.referees: dict[str, Referee] = {}
        """The referees of the matches that are being played, by match id."""
        self.transaction = Transaction(log, settle)
        self.unsettled: dict[str, None] = {}
        """The ids of tournaments to be settled at the end of the transaction; a dict for its order."""
        self._numbers: dict[str, int] = {}

    def record(self, fact: LogFact) -> None:
        """Append a fact to the log and apply it."""
        number = self.log.append(fact)
        if type(fact) in _OF_A_PLY:
            referee = self.referees.get(fact.match)  # type: ignore[union-attr]  # by its type it has one
            if referee is not None:
                referee.apply(fact)  # type: ignore[arg-type]
        elif isinstance(fact, NameFact):
            self.names.apply(fact)
        else:
            tournament_id = tournament_of(fact)
            if isinstance(fact, TournamentCreated):
                self.tournaments[tournament_id] = Tournament(fact)
            elif isinstance(fact, MatchOver) and fact.match in self.referees:
                self.referees[fact.match].apply(fact)
            self.tournaments[tournament_id].apply(fact)  # type: ignore[arg-type]
            self.unsettled[tournament_id] = None
            self._numbers[tournament_id] = number

    def number_of(self, tournament: Tournament) -> int:
        """The number of the tournament's newest fact in this run: it is told as it stands when that is on disk."""
        return self._numbers.get(tournament.id, 0)

    def is_durable(self, tournament: Tournament) -> bool:
        """Whether the tournament is on disk as it stands."""
        return self.number_of(tournament) <= self.log.durable

    def forget(self, tournament: Tournament) -> None:
        """Free a tournament that is over: the archive has it."""
        del self.tournaments[tournament.id]
        self._numbers.pop(tournament.id, None)


Command = TypeVar("Command", bound=Callable[..., Any])


def transactional(command: Command) -> Command:
    """Make a method of a class that has an `arena` one transaction."""

    @wraps(command)
    def transaction(self: Any, *given: Any, **named: Any) -> Any:
        with self.arena.transaction():
            return command(self, *given, **named)

    return cast(Command, transaction)
