"""Functions of the reading process, which rebuilds tournaments from the log and makes answers from them.

The process keeps the tournaments used last. For a kept tournament it reads and applies only the facts written since the
last request. `store/log/async_reader.py` sends the requests; the web defines the functions that make answers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar, TypeVarTuple

from rumble_server.host.last_used import LastUsed
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import Rebuilt, apply_to

Args = TypeVarTuple("Args")
T = TypeVar("T")


class RebuiltTournaments:
    """A cache of rebuilt tournaments of all clubs, which keeps the tournaments used last.

    The sizes of kept tournaments (results plus entrants) add up to at most `most_results`. The tournament used last is
    always kept, whatever its size.
    """

    def __init__(self, open_reader: Callable[[], LogReader], most_results: int) -> None:
        self._open_reader = open_reader
        self._kept: LastUsed[tuple[str, str], tuple[Rebuilt, int]] = LastUsed(most_results, least=1)
        """Kept tournaments, each with the number of its last applied fact, by club and tournament id."""
        self._open: LogReader | None = None

    def reader(self, club: str) -> LogReader:
        """Return a reader of a club's log. The first call opens the connection. Raises StoreError."""
        if self._open is None:
            self._open = self._open_reader()
        return self._open.of(club)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()

    def rebuilt(self, club: str, tournament_id: str) -> Rebuilt | None:
        """Rebuild a tournament from the log, or bring it up to date; return None if the id is unknown.

        Raises DamagedLog if the tournament's facts are damaged, and StoreError if the database cannot be read.
        """
        reader = self.reader(club)
        rebuilt, last = self._kept.pop((club, tournament_id)) or (None, 0)
        tournament = None if rebuilt is None else rebuilt.tournament
        try:
            for numbered in reader.facts_after(tournament_id, last):
                last, fact = numbered
                tournament = apply_to(tournament, fact)
        except StoreError:
            raise
        except Exception as error:  # contradicting facts raise anything
            raise DamagedLog(f"bad facts: {error!r}") from error
        if tournament is None:
            return None
        if rebuilt is None:
            rebuilt = Rebuilt(tournament, partial(reader.tournament_facts, tournament_id), reader.match_facts)
        self._kept.put((club, tournament_id), (rebuilt, last), len(tournament.results) + len(tournament.field))
        return rebuilt


_of_process: RebuiltTournaments | None = None
"""The rebuilt tournaments of this process."""


def open_rebuilt(open_reader: Callable[[], LogReader], most_results: int) -> None:
    """Prepare this process to rebuild and keep tournaments. The process runs the function at its start."""
    use(RebuiltTournaments(open_reader, most_results))


def use(rebuilt: RebuiltTournaments) -> None:
    """Set the tournaments from which this process makes its answers."""
    global _of_process
    _of_process = rebuilt


def make_of_tournament(club: str, tournament_id: str, make: Callable[..., T], args: tuple[object, ...]) -> T | None:
    """Rebuild a tournament, and return the result of `make` for the tournament; None for an unknown id.

    Raises StoreError.
    """
    rebuilt = _here().rebuilt(club, tournament_id)
    return None if rebuilt is None else make(rebuilt, *args)


def make_of_match(club: str, match_id: str, make: Callable[..., T], args: tuple[object, ...]) -> T:
    """Read the facts of a match, and return the result of `make` for them. Raises StoreError.

    If the match never began, the list of facts is empty.
    """
    facts: Sequence[LogFact] = _here().reader(club).match_facts(match_id)
    return make(facts, *args)


def _here() -> RebuiltTournaments:
    if _of_process is None:
        raise RuntimeError("this process rebuilds no tournaments")
    return _of_process
