"""Standings: a table that takes each result at constant cost; ranks and tie-breaks are computed when read. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rumble_engine import Termination
from rumble_protocol.feed_messages import Standing

from rumble_server.results.editions import NEWEST, Edition
from rumble_server.results.result import Result
from rumble_server.results.rounds import Rounds
from rumble_server.results.tally import Tally
from rumble_server.results.tiebreaks import DEFAULT, rank_tally


class Table:
    """The results of a field: counts for ranks, ratings and the crosstable, and faults by kind."""

    def __init__(
        self,
        names: Iterable[str] = (),
        *,
        tiebreaks: Sequence[str] = DEFAULT,
        points: tuple[float, float, float] = (1, 0.5, 0),
        edition: Edition = NEWEST,
        rounds: Rounds | None = None,
    ) -> None:
        self.tally = Tally(names)
        self.rounds = rounds
        """The rounds of a Swiss; None if the tie-breaks need only counts."""
        self.faults: dict[str, dict[Termination, int]] = {}
        """The number of matches that ended by a bot's fault, by bot and kind."""
        self.places: Callable[[], Mapping[str, int]] | None = None
        """Function that returns the rank of each bot, in a format that ranks bots itself (a knockout).

        A format that ranks bots by points has None here.
        """
        self.version = 0
        """A number that grows with every change, so that a reader knows whether its standings are current."""
        self._tiebreaks = tuple(tiebreaks)
        self._points = points
        self._edition = edition
        self._standings: list[Standing] = []
        self._standings_of = -1

    def enter(self, name: str) -> None:
        self.tally.enter(name)
        if self.rounds is not None:
            self.rounds.rows.setdefault(name, [])
        self.version += 1

    def withdraw(self, name: str) -> None:
        """Remove a bot without matches from the field."""
        self.tally.bots.pop(name, None)
        if self.rounds is not None:
            self.rounds.rows.pop(name, None)
        self.version += 1

    def pair(
        self, pairs: Iterable[tuple[str, str]], legs: int, byes: Iterable[str] = (), half_byes: Iterable[str] = ()
    ) -> None:
        """Add a round of a format that pairs by results.

        A bye counts as `legs` matches won, and a half bye as `legs` matches drawn.
        """
        rounds, given = self.rounds, {}
        for name in byes:
            self.tally.give_bye(name, legs)
            if rounds is not None:
                given[name] = rounds.full_bye()
        for name in half_byes:
            self.tally.give_half_bye(name, legs)
            if rounds is not None:
                given[name] = rounds.half_bye()
        if rounds is not None:
            rounds.pair(pairs, given)
        self.version += 1

    def add(self, result: Result) -> None:
        self._count(result, 1)

    def take_back(self, result: Result) -> None:
        self._count(result, -1)

    def _count(self, result: Result, sign: int) -> None:
        self.tally.add(result, sign)
        if self.rounds is not None:
            self.rounds.add(result, sign)
        for seat in result.at_fault:
            faults = self.faults.setdefault(result.seats[seat], {})
            faults[result.termination] = faults.get(result.termination, 0) + sign
        self.version += 1

    def snapshot(self) -> "Table":
        """Return a copy whose standings can be read on another thread, while results are added to the original."""
        rounds = None if self.rounds is None else self.rounds.snapshot()
        other = Table(tiebreaks=self._tiebreaks, points=self._points, edition=self._edition, rounds=rounds)
        other.tally = self.tally.snapshot()
        other.faults = {name: dict(counts) for name, counts in self.faults.items()}
        if self.places is not None:
            places = self.places()
            other.places = lambda: places
        other.version = self.version
        other._standings, other._standings_of = self._standings, self._standings_of
        return other

    def before(self, results: Iterable[Result]) -> "Table":
        """Return a copy, like `snapshot`, in which these results do not count."""
        other = self.snapshot()
        for result in results:
            other._count(result, -1)
        return other

    def standings(self) -> list[Standing]:
        """Return the lines of the standings, by rank. The same list is returned until the table changes."""
        if self._standings_of != self.version:
            self._standings = rank_tally(
                self.tally, self._tiebreaks, self._points, self.faults, edition=self._edition, rounds=self.rounds
            )
            if self.places is not None:
                places = self.places()
                lines = [
                    line.model_copy(update={"rank": places.get(line.name, line.rank), "decided_by": ""})
                    for line in self._standings
                ]
                self._standings = sorted(lines, key=lambda line: line.rank)
            self._standings_of = self.version
        return self._standings
