"""Recording: append a fact to the log, apply it to its state machine, and settle the consequences.

A state machine changes only by facts, so this run's state and the log always agree.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, assert_never, cast

from rumble_server.arena.bots.player import Players
from rumble_server.arena.ports import Clock, Log
from rumble_server.arena.state.allowance import Allowance
from rumble_server.arena.state.clubs import ClubDirectory
from rumble_server.arena.state.display_names import DisplayNames
from rumble_server.arena.state.host_tokens import HostTokens
from rumble_server.arena.state.names_and_keys import Names
from rumble_server.arena.state.tournaments import Tournaments
from rumble_server.limits.bans import Ban, Bans
from rumble_server.tournament import club_facts, facts
from rumble_server.tournament.tournament import Tournament


class Transaction:
    """The facts of an event, and their consequences.

    If transactions are nested, the consequences are settled at the end of the outermost transaction.
    """

    __slots__ = ("_depth", "_unsettled", "settle")

    settle: Callable[[], None]
    """Function that carries out the consequences. The arena sets the function, once its scheduler is made."""

    def __init__(self, unsettled: dict[str, None]) -> None:
        self._unsettled = unsettled
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._unsettled and self._depth == 1:
                self.settle()
        finally:
            self._depth -= 1


class Recorder:
    """The recorder of facts, and the state built from facts."""

    def __init__(self, log: Log, clock: Clock, bans: Bans, clubs: ClubDirectory, taken_ids: Iterable[str] = ()) -> None:
        self.log = log
        self.clock = clock
        self.players = Players()
        self.names = Names()
        self.display_names = DisplayNames(self.names)
        self.slips: dict[str, club_facts.SlipMade] = {}
        """Valid slips, by the pupil's name in lower case."""
        self.host_tokens = HostTokens(clubs.is_administrator)
        self.bans = bans
        self.clubs = clubs
        """Clubs of the server. Only facts of the club `main` change the clubs."""
        self.allowance = Allowance()
        """Unused part of this club's quotas."""
        self.tournaments = Tournaments(taken_ids)
        self.unsettled: dict[str, None] = {}
        """Ids of tournaments to settle at the transaction's end, or when the scheduler has a new budget, in order. The
        dict is used as an ordered set."""
        self.is_stopped = False
        """True after `Arena.stop`: messages of bots are dropped, and nothing is judged or settled. The next run
        continues from the log, and asks again for each move that the log lacks."""
        self.transaction = Transaction(self.unsettled)
        self.append = log.append
        """Function that appends a fact about a single match to the log, without applying the fact."""
        self._numbers: dict[str, int] = {}

    def record(self, fact: facts.TournamentFact | club_facts.ClubFact) -> None:
        """Append a fact to the log, and apply it to its tournament or to the club."""
        if isinstance(fact, facts.TournamentFact):
            if isinstance(fact, facts.TournamentCreated):
                self.tournaments.add(Tournament(fact))
            self.record_for(self.tournaments[facts.tournament_of(fact)], fact)
        else:
            self.append(fact)
            self.apply(fact)

    def record_for(self, tournament: Tournament, fact: facts.TournamentFact) -> None:
        """Append a fact of this tournament to the log, and apply it."""
        self._numbers[tournament.id] = self.append(fact)
        tournament.apply(fact)
        self.unsettled[tournament.id] = None

    def apply(self, fact: club_facts.ClubFact) -> None:
        """Apply a fact about the club as a whole. The fact is in the log already."""
        if isinstance(fact, club_facts.NameReset | club_facts.SlipVoided):
            self.slips.pop(fact.name.casefold(), None)
        if isinstance(fact, club_facts.NameFact):
            self.names.apply(fact)
        elif isinstance(fact, club_facts.DisplayNamed):
            self.display_names.apply(fact)
        elif isinstance(fact, club_facts.SlipMade):
            self.slips[fact.name.casefold()] = fact
        elif isinstance(fact, club_facts.BanFact):
            apply_ban(self.bans, fact)
        elif isinstance(fact, club_facts.DirectoryFact):
            self.clubs.apply(fact)
        elif isinstance(fact, club_facts.HostFact):
            self.host_tokens.apply(fact)
        elif not isinstance(fact, club_facts.SlipVoided):
            assert_never(fact)

    def newest_number_of(self, tournament: Tournament) -> int:
        """Return the number of the tournament's newest fact in this run.

        Nobody may learn of the tournament's state before this fact is on disk.
        """
        return self._numbers.get(tournament.id, 0)

    def is_durable(self, tournament: Tournament) -> bool:
        """Return true if the tournament's current state is on disk."""
        return self.newest_number_of(tournament) <= self.log.durable

    def forget(self, tournament: Tournament) -> None:
        """Remove an ended tournament from memory. The tournament's end must be on disk."""
        self.tournaments.forget(tournament.id)
        self._numbers.pop(tournament.id, None)


def apply_ban(bans: Bans, fact: club_facts.BanFact) -> None:
    """Apply a fact about a ban: add the ban to `bans`, or remove the ban from `bans`."""
    match fact:
        case club_facts.Banned():
            bans.add(Ban(fact.what, fact.by_name, fact.until_ms, fact.reason, fact.at_ms))
        case club_facts.BanLifted():
            bans.lift(fact.what, by_name=fact.by_name)
        case _:
            assert_never(fact)


Command = TypeVar("Command", bound=Callable[..., Any])


def transactional(command: Command) -> Command:
    """Decorate a method, so that each call is a transaction. The method's object must have an attribute `arena`."""

    @wraps(command)
    def transaction(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.arena.transaction:
            return command(self, *args, **kwargs)

    return cast(Command, transaction)
