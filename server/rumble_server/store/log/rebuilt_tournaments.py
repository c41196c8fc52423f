"""The process that reads the log. It rebuilds tournaments, makes answers from them, and keeps tournaments used last.

A request for a kept tournament reads and applies only facts that are new since the last request. Requests come from
`store/log/async_reader.py`, and the functions that make answers from the web.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, TypeVarTuple

from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log.last_used import LastUsed
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.facts import LogFact
from rumble_server.tournament.rebuild import Rebuilt, apply_to

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


@dataclass(slots=True)
class _Kept:
    rebuilt: Rebuilt
    number: int
    """Number of the tournament's last applied fact."""


class RebuiltTournaments:
    """The rebuilt tournaments used last, of all clubs. Together they have at most `most_results` results and names.

    The tournament that was used last is always kept.
    """

    def __init__(self, open_reader: Callable[[], LogReader], most_results: int) -> None:
        self._open_reader = open_reader
        self._kept: LastUsed[tuple[str, str], _Kept] = LastUsed(most_results, least=1)
        self._open: LogReader | None = None

    def reader(self, club: str) -> LogReader:
        """Return the reader of a club. The first use opens the connection. Raises StoreError."""
        if self._open is None:
            self._open = self._open_reader()
        return self._open.of(club)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()

    def rebuilt(self, club: str, tournament_id: str) -> Rebuilt | None:
        """Return a tournament rebuilt from the log; None if the id is unknown. Raises StoreError, DamagedLog."""
        reader = self.reader(club)
        kept = self._kept.pop((club, tournament_id))
        tournament = None if kept is None else kept.rebuilt.tournament
        last = 0 if kept is None else kept.number
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
        if kept is None:
            facts = partial(reader.tournament_facts, tournament_id)
            kept = _Kept(Rebuilt(tournament, facts, reader.match_facts), last)
        kept.number = last
        self._kept.put((club, tournament_id), kept, len(tournament.results) + len(tournament.field))
        return kept.rebuilt


_of_process: RebuiltTournaments | None = None
"""The rebuilt tournaments of this process."""


def open_rebuilt(open_reader: Callable[[], LogReader], most_results: int) -> None:
    """Begin to keep rebuilt tournaments in this process."""
    use(RebuiltTournaments(open_reader, most_results))


def use(rebuilt: RebuiltTournaments) -> None:
    """Answer all tasks of this process from these tournaments."""
    global _of_process
    _of_process = rebuilt


def make_of_tournament(
    club: str, tournament_id: str, make: Callable[..., Made], given: tuple[object, ...]
) -> Made | None:
    """Return the result of `make` for a tournament; None if the id is unknown. Raises StoreError."""
    rebuilt = _here().rebuilt(club, tournament_id)
    return None if rebuilt is None else make(rebuilt, *given)


def make_of_match(club: str, match_id: str, make: Callable[..., Made], given: tuple[object, ...]) -> Made:
    """Return the result of `make` for a match's facts, of which there are none if the match never began.

    Raises StoreError.
    """
    facts: Sequence[LogFact] = _here().reader(club).match_facts(match_id)
    return make(facts, *given)


def _here() -> RebuiltTournaments:
    if _of_process is None:
        raise RuntimeError("this process rebuilds no tournaments")
    return _of_process
