"""Tie-breaks as sums over the results of a field, for formats in which the order of matches does not matter. Pure.

In these formats forfeits count as played (FIDE Handbook C.07, art. 15.2).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from rumble_server.results.direct_encounter import Encounters, meet
from rumble_server.results.tally import Meetings, Scheme, Tally, points_of_first, points_of_second, scores_of

Values = Mapping[str, int]


def split_by(group: list[str], values: Values) -> list[list[str]]:
    """Split a group into parts with equal values, the part with the highest value first."""
    if len(group) == 1:
        return [group]
    key: Callable[[str], int] = values.__getitem__
    return [list(part) for _, part in groupby(sorted(group, key=key, reverse=True), key)]


class Sums:
    """The values of the tie-breaks of a field, computed from a tally, in integers."""

    def __init__(self, tally: Tally, scheme: Scheme) -> None:
        self.scheme = scheme
        self.tally = tally
        self.points = {name: count.points(scheme) for name, count in tally.bots.items()}

    def values(self, tiebreak: str) -> tuple[dict[str, int], int]:
        """Return an integer for each bot, and a divisor, for any tie-break but `de`.

        The tie-break's value is the integer divided by the divisor.
        """
        bots, points, scheme = self.tally.bots, self.points, self.scheme
        match tiebreak:
            case "won":
                return {name: count.won for name, count in bots.items()}, 1
            case "bwg":
                return {name: count.won_second for name, count in bots.items()}, 1
            case "bpg":
                return self._played_second(), 1
            case "sb":
                return self._opponent_sums(lambda scored, met, opponent: scored * points[opponent]), scheme.scale**2
            case "ks":
                half = {
                    name for name, count in bots.items() if 2 * points[name] >= scheme.win * (count.played + count.byes)
                }
                sums = self._opponent_sums(lambda scored, met, opponent: scored if opponent in half else 0)
                return sums, scheme.scale
            case _:
                return self._opponent_sums(lambda scored, met, opponent: sum(met) * points[opponent]), scheme.scale

    def _played_second(self) -> dict[str, int]:
        sums = dict.fromkeys(self.tally.bots, 0)
        for (_, second), met in self.tally.meetings.items():
            sums[second] += sum(met[:3])
        return sums

    def _opponent_sums(self, value: Callable[[int, Meetings, str], int]) -> dict[str, int]:
        sums = dict.fromkeys(self.tally.bots, 0)
        for (first, second), met in self.tally.meetings.items():
            sums[first] += value(points_of_first(met, self.scheme), met, second)
            sums[second] += value(points_of_second(met, self.scheme), met, first)
        return sums

    def encounters(self, group: Sequence[str]) -> Encounters | None:
        """Return the encounters of a group.

        Return None if the encounters cannot split the group, because too few of its bots have met.
        """
        tally, scheme = self.tally, self.scheme

        def between(one: str, other: str) -> tuple[int, int, int] | None:
            met = tally.between(one, other)
            return None if met is None else scores_of(met, scheme)

        return meet(group, between, scheme.win, loss=scheme.loss)
