"""The tournaments of a club: those in memory by id, and the ids of all that were ever created."""

from collections.abc import Iterable, Iterator, Mapping

from rumble_protocol.codes import ErrorCode

from rumble_server.tournament import commands
from rumble_server.tournament.errors import CommandRefused
from rumble_server.tournament.tournament import Tournament


class Tournaments(Mapping[str, Tournament]):
    """The tournaments in memory, by id: open tournaments, and tournaments whose end is not on disk yet.

    `taken_ids` are the ids of all tournaments ever created, in memory or not.
    """

    def __init__(self, taken_ids: Iterable[str] = ()) -> None:
        self.taken_ids = set(taken_ids)
        self.damaged: set[str] = set()
        """Ids of open tournaments that could not be rebuilt at the start."""
        self._in_memory: dict[str, Tournament] = {}

    def __getitem__(self, tournament_id: str) -> Tournament:
        return self._in_memory[tournament_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._in_memory)

    def __len__(self) -> int:
        return len(self._in_memory)

    def add(self, tournament: Tournament) -> None:
        self.taken_ids.add(tournament.id)
        self._in_memory[tournament.id] = tournament

    def forget(self, tournament_id: str) -> None:
        """Remove a tournament from memory, if the tournament is there. The tournament's id stays taken."""
        self._in_memory.pop(tournament_id, None)

    def find(self, tournament_id: str) -> Tournament:
        """Return a tournament in memory, open or just ended. Raises CommandRefused if the tournament is damaged, is
        unknown, or is over and no longer in memory.
        """
        if tournament_id in self.damaged:
            raise CommandRefused(ErrorCode.TOURNAMENT_CLOSED, f"{tournament_id} is damaged; the server's log says more")
        if self.is_only_on_disk(tournament_id):
            raise commands.closed_error(tournament_id, "finished")
        tournament = self._in_memory.get(tournament_id)
        if tournament is None:
            raise CommandRefused(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament_id!r}")
        return tournament

    def is_only_on_disk(self, tournament_id: str) -> bool:
        """Return true if the tournament is over, its end is on disk, and the tournament is no longer in memory."""
        in_memory_or_damaged = tournament_id in self._in_memory or tournament_id in self.damaged
        return tournament_id in self.taken_ids and not in_memory_or_damaged

    def count_open(self) -> int:
        """Return the number of open tournaments. Challenges and damaged tournaments do not count."""
        return sum(each.challenger is None and not each.is_over for each in self._in_memory.values())
