"""Standings: results are counted, each at constant cost; ranks and tie-breaks are computed when read. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Generic, Self, TypeVar

from rumble_protocol.feed_messages import Standing

from rumble_server.match.facts import MatchOver
from rumble_server.results.editions import NEWEST, Edition
from rumble_server.results.ratings import Ratings, rate_tally
from rumble_server.results.result import Result, result_of
from rumble_server.results.rounds import Rounds
from rumble_server.results.table_result import TableResult, table_result_of
from rumble_server.results.tables.points import TablePoints
from rumble_server.results.tables.ratings import rate_table_tally
from rumble_server.results.tables.standings import rank_tables
from rumble_server.results.tables.tally import TableTally
from rumble_server.results.tally import FieldTally, Meetings, Scheme, Tally, scores_of
from rumble_server.results.tiebreaks import DEFAULT, rank_tally

R = TypeVar("R")
HALVES = Scheme(win=2, draw=1, loss=0, scale=2)
"""Points in a crosstable: 1, ½ and 0 for a win, draw and loss, whatever points the tournament gives."""


class LiveStandings(ABC, Generic[R]):
    """The standings of a field: counted results. Ranks are computed when they are read.

    Each subclass counts one kind of result.
    """

    result_of: Callable[[MatchOver], R]
    """Function that makes a result from the end of a match. Raises ValueError if the match has no such result."""
    tally: FieldTally[R, Any]

    def __init__(self) -> None:
        self.places: Callable[[], Mapping[str, int]] | None = None
        """Function that returns the rank of each bot, for a format that ranks bots itself (a knockout).

        None for a format that ranks bots by points.
        """
        self.display_names: dict[str, str] = {}
        """Display name of each bot that has one, for the lines of the standings, keyed by the bot's name."""
        self.version = 0
        """A number that grows with every change.

        A reader compares the number to find out whether the reader's standings are still current.
        """
        self._lines: list[Standing] = []
        self._lines_of = -1

    def add_bot(self, name: str) -> None:
        """Add a bot to the field."""
        self.tally.add_bot(name)
        self.version += 1

    def remove_bot(self, name: str) -> None:
        """Remove a bot without matches from the field."""
        self.tally.bots.pop(name, None)
        self.version += 1

    def pair(
        self, pairs: Iterable[tuple[str, str]], legs: int, byes: Iterable[str] = (), half_byes: Iterable[str] = ()
    ) -> None:
        """Add the next round, in a format that pairs bots by their results.

        A bye counts as `legs` matches won, and a half bye, which tables do not have, as `legs` matches drawn.
        """
        for name in byes:
            self.tally.give_bye(name, legs)
        self.version += 1

    def add(self, result: R) -> None:
        self._count(result, 1)
        self.version += 1

    def remove(self, result: R) -> None:
        self._count(result, -1)
        self.version += 1

    def without(self, results: Iterable[R]) -> Self:
        """Return a copy, like `snapshot`, from which `results` are removed."""
        other = self.snapshot()
        for result in results:
            other.remove(result)
        return other

    def snapshot(self) -> Self:
        """Return a copy whose standings another thread may read, while results are added to the original."""
        other = copy(self)
        other.tally = self.tally.snapshot()
        other.display_names = dict(self.display_names)
        if self.places is not None:
            places = self.places()
            other.places = lambda: places
        return other

    def lines(self) -> list[Standing]:
        """Return the lines of the standings by rank. The list stays the same object until the next change."""
        if self._lines_of != self.version:
            self._lines = [self._with_display_name(line) for line in self._rank()]
            if self.places is not None:
                places = self.places()
                lines = [
                    line.model_copy(update={"rank": places.get(line.name, line.rank), "decided_by": ""})
                    for line in self._lines
                ]
                self._lines = sorted(lines, key=lambda line: line.rank)
            self._lines_of = self.version
        return self._lines

    def _with_display_name(self, line: Standing) -> Standing:
        display = self.display_names.get(line.name)
        return line if display is None else line.model_copy(update={"display_name": display})

    @abstractmethod
    def scores(self, met: tuple[Any, ...]) -> tuple[float, float, int]:
        """Return the scores of two bots against each other, and the number of their matches.

        `met` comes from the tally's `between`. A match won, or a better place at a table, counts 1. A draw or a shared
        place counts one half.
        """

    @abstractmethod
    def rate(self) -> Ratings:
        """Compute the ratings of the field."""

    def _count(self, result: R, sign: int) -> None:
        self.tally.add(result, sign)

    @abstractmethod
    def _rank(self) -> list[Standing]: ...


class WinLossStandings(LiveStandings[Result]):
    """The standings of matches of two: counts of wins, draws and losses, and of each bot's faults."""

    result_of = staticmethod(result_of)
    tally: Tally

    def __init__(
        self,
        names: Iterable[str] = (),
        *,
        tiebreaks: Sequence[str] = DEFAULT,
        points: tuple[float, float, float] = (1, 0.5, 0),
        edition: Edition = NEWEST,
        rounds: Rounds | None = None,
    ) -> None:
        super().__init__()
        self.tally = Tally(names)
        self.rounds = rounds
        """The rounds of a Swiss; None if the tie-breaks need only counts of results."""
        self._tiebreaks = tuple(tiebreaks)
        self._points = points
        self._edition = edition

    def add_bot(self, name: str) -> None:
        super().add_bot(name)
        if self.rounds is not None:
            self.rounds.rows.setdefault(name, [])

    def remove_bot(self, name: str) -> None:
        super().remove_bot(name)
        if self.rounds is not None:
            self.rounds.rows.pop(name, None)

    def pair(
        self, pairs: Iterable[tuple[str, str]], legs: int, byes: Iterable[str] = (), half_byes: Iterable[str] = ()
    ) -> None:
        super().pair(pairs, legs, byes, half_byes)
        for name in half_byes:
            self.tally.give_half_bye(name, legs)
        rounds = self.rounds
        if rounds is not None:
            full, half = rounds.full_bye(), rounds.half_bye()
            rounds.pair(pairs, {**dict.fromkeys(byes, full), **dict.fromkeys(half_byes, half)})

    def scores(self, met: tuple[Meetings, Meetings]) -> tuple[float, float, int]:
        points, others, matches = scores_of(met, HALVES)
        return points / 2, others / 2, matches

    def rate(self) -> Ratings:
        return rate_tally(self.tally)

    def _count(self, result: Result, sign: int) -> None:
        super()._count(result, sign)
        if self.rounds is not None:
            self.rounds.add(result, sign)

    def snapshot(self) -> Self:
        other = super().snapshot()
        other.rounds = None if self.rounds is None else self.rounds.snapshot()
        return other

    def _rank(self) -> list[Standing]:
        return rank_tally(self.tally, self._tiebreaks, self._points, edition=self._edition, rounds=self.rounds)


class PlaceStandings(LiveStandings[TableResult]):
    """The standings of matches in which places or payoffs give the points. Most of these matches are tables."""

    result_of = staticmethod(table_result_of)
    tally: TableTally

    def __init__(self, tiebreaks: Sequence[str], points: TablePoints) -> None:
        super().__init__()
        self.tally = TableTally()
        self._tiebreaks, self._points = tuple(tiebreaks), points

    def scores(self, met: tuple[int, int, int]) -> tuple[float, float, int]:
        before, after, tables = met
        return before / 2, after / 2, tables

    def rate(self) -> Ratings:
        return rate_table_tally(self.tally)

    def _rank(self) -> list[Standing]:
        return rank_tables(self.tally, self._tiebreaks, self._points)
