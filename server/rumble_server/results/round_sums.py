"""Tie-breaks of events in which some rounds were not played: FIDE Handbook C.07, articles 7 to 9, 14 and 16. Pure.

Unplayed rounds count as follows:
- In an opponent's score (art. 16.3), unplayed rounds count as drawn after the last round for which the opponent was
  there.
- The bot's own unplayed round (art. 16.4) counts as played against a dummy that has the bot's own points. In the
  edition of March 2026, the dummy has at most the adjusted score of the scheduled opponent (16.4.1). Without an
  opponent, the dummy has at most the points of a draw in each round (16.4.2).
- If the lowest values are cut, rounds that the bot chose not to play are cut first (16.5).
- In a round-robin, forfeits count as played, and there are no dummies (art. 15.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import lcm

from rumble_server.results.direct_encounter import Encounters
from rumble_server.results.editions import Edition
from rumble_server.results.performance import average_rating, performance
from rumble_server.results.rounds import RoundEntry, Rounds


@dataclass(frozen=True, slots=True)
class _Contribution:
    """The contribution of a round to a bot's sum over opponents."""

    score: int
    """Score of the opponent or of the dummy."""
    points: int
    """The bot's own points in this round."""
    is_voluntary: bool
    """True if the bot chose not to play this round."""


class RoundSums:
    """The values of the tie-breaks of a field, computed from the rounds, in integers."""

    def __init__(self, rounds: Rounds, edition: Edition, *, round_robin: bool = False) -> None:
        self.rounds = rounds
        self.scheme = rounds.scheme
        self.points = {name: sum(entry.points for entry in row) for name, row in rounds.rows.items()}
        self._is_capped = edition != "2024-08"
        self._is_round_robin = round_robin
        self._adjusted = self.points if round_robin else {name: self._adjust(row) for name, row in rounds.rows.items()}

    def _adjust(self, row: Sequence[RoundEntry]) -> int:
        """Return a bot's adjusted score, which counts in the sums of its opponents (art. 16.3)."""
        there = max((number for number, entry in enumerate(row, 1) if not entry.is_voluntary), default=0)
        return sum(
            self.rounds.draw if number > there and entry.opponent is None else entry.points
            for number, entry in enumerate(row, 1)
        )

    def values(self, tiebreak: str) -> tuple[dict[str, int], int]:
        """Return an integer for each bot, and a divisor.

        The tie-break's value is the integer divided by the divisor.
        """
        rows, scale = self.rounds.rows, self.scheme.scale
        match tiebreak:
            case "won":
                return {name: sum(entry.won for entry in row) for name, row in rows.items()}, 1
            case "bwg":
                return {name: sum(entry.won_second for entry in row) for name, row in rows.items()}, 1
            case "bpg":
                return {name: sum(entry.second for entry in row) for name, row in rows.items()}, 1
            case "ps":
                return {name: sum(accumulate(entry.points for entry in row)) for name, row in rows.items()}, scale
            case "sb":
                return {
                    name: sum(each.score * each.points for each in self._contributions(name)) for name in rows
                }, scale**2
            case "ks":
                return {name: self._koya(row) for name, row in rows.items()}, scale
            case "bh-c1":
                return {name: sum(each.score for each in _cut_low(self._contributions(name))) for name in rows}, scale
            case "bh-m1":
                return {name: _sum_without_highest(_cut_low(self._contributions(name))) for name in rows}, scale
            case _:
                return {name: sum(each.score for each in self._contributions(name)) for name in rows}, scale

    def _koya(self, row: Sequence[RoundEntry]) -> int:
        """Return a bot's points against opponents that have at least half of the possible points (art. 9.2)."""
        half = self.rounds.win * self.rounds.paired
        return sum(
            entry.points for entry in row if entry.opponent is not None and 2 * self.points[entry.opponent] >= half
        )

    def _contributions(self, name: str) -> list[_Contribution]:
        found = []
        for entry in self.rounds.rows[name]:
            if entry.is_open:
                continue
            if entry.opponent is not None and (entry.played or self._is_round_robin):
                found.append(_Contribution(self._adjusted[entry.opponent], entry.points, False))
            elif not self._is_round_robin:
                found.append(_Contribution(self._dummy(name, entry), entry.points, entry.is_voluntary))
        return found

    def _dummy(self, name: str, entry: RoundEntry) -> int:
        own = self.points[name]
        if not self._is_capped:
            return own
        if entry.opponent is not None:
            return min(own, self._adjusted[entry.opponent])
        return min(own, self.rounds.draw * self.rounds.paired)

    def by_ratings(self, tiebreak: str) -> dict[str, int | None]:
        """Return the values of `aro` or `tpr`, by bot. The value of a bot without a match is None.

        If any bot of the field has no rating, every value is None (art. 10).
        """
        rows = self.rounds.rows
        ratings = {name: self.rounds.rating(name) for name in rows}
        rated = {name: rating for name, rating in ratings.items() if rating is not None}
        if len(rated) < len(ratings):
            return dict.fromkeys(rows)
        found = {}
        for name, row in rows.items():
            met = [rated[entry.opponent] for entry in row if entry.opponent is not None for _ in range(entry.played)]
            halves = sum(2 * entry.won + entry.drawn for entry in row)
            found[name] = average_rating(met) if tiebreak == "aro" else performance(halves, met)
        return found

    def encounters(self, group: Sequence[str]) -> Encounters:
        """Return the results of a group's bots against each other. In a Swiss, forfeits do not count (art. 6.1.1)."""
        inside = frozenset(group)
        met: dict[str, dict[str, list[int]]] = {name: {} for name in group}
        for name in group:
            for entry in self.rounds.rows[name]:
                if entry.opponent in inside and not entry.is_open and (entry.played or self._is_round_robin):
                    met[name].setdefault(entry.opponent, []).append(entry.points)
        unit = lcm(*(len(points) for scores in met.values() for points in scores.values()))
        scores = {name: sum(sum(each) * unit // len(each) for each in met[name].values()) for name in group}
        return Encounters(scores, {name: len(met[name]) for name in group}, self.rounds.win * unit)


def _cut_low(contributions: list[_Contribution]) -> list[_Contribution]:
    """Return all contributions except the lowest voluntary contribution (art. 14.1.1 and 16.5).

    If no contribution is voluntary, leave out the lowest of all.
    """
    if not contributions:
        return contributions
    lowest = min(contributions, key=lambda each: (not each.is_voluntary, each.score))
    return [each for each in contributions if each is not lowest]


def _sum_without_highest(contributions: list[_Contribution]) -> int:
    scores = [each.score for each in contributions]
    return sum(scores) - max(scores, default=0)
