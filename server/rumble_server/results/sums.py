"""Sums over the counts of a field: the tie-breaks of formats in which the order of matches does not matter. Pure.

In these formats forfeits count as played (FIDE Handbook C.07, art. 15.2).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from math import lcm

from rumble_server.results.direct_encounter import Encounters
from rumble_server.results.tally import NONE, Meetings, Scheme, Tally, points_of_first, points_of_second

Values = Mapping[str, int]


def split_by(group: list[str], values: Values) -> list[list[str]]:
    """Split the group into parts whose members have the same value, the part of the highest value first."""
    if len(group) == 1:
        return [group]
    key: Callable[[str], int] = values.__getitem__
    return [list(part) for _, part in groupby(sorted(group, key=key, reverse=True), key)]


class Sums:
    """The values of the tie-breaks over one tally, in integers."""

    def __init__(self, tally: Tally, scheme: Scheme) -> None:
        self.scheme = scheme
        self.tally = tally
        self.points = {name: count.points(scheme) for name, count in tally.bots.items()}

    def values(self, tiebreak: str) -> tuple[dict[str, int], int]:
        """Return an integer for each bot, and a divisor. The quotient is the bot's value in a tie-break (not `de`)."""
        bots, points, scheme = self.tally.bots, self.points, self.scheme
        match tiebreak:
            case "won":
                return {name: count.won for name, count in bots.items()}, 1
            case "bwg":
                return {name: count.won_second for name, count in bots.items()}, 1
            case "bpg":
                return self._played_second(), 1
            case "sb":
                return self._over_opponents(lambda scored, met, opponent: scored * points[opponent]), scheme.scale**2
            case "ks":
                half = {
                    name for name, count in bots.items() if 2 * points[name] >= scheme.win * (count.played + count.byes)
                }
                sums = self._over_opponents(lambda scored, met, opponent: scored if opponent in half else 0)
                return sums, scheme.scale
            case _:
                return self._over_opponents(lambda scored, met, opponent: sum(met) * points[opponent]), scheme.scale

    def _played_second(self) -> dict[str, int]:
        sums = dict.fromkeys(self.tally.bots, 0)
        for (_, second), met in self.tally.meetings.items():
            sums[second] += sum(met[:3])
        return sums

    def _over_opponents(self, value: Callable[[int, Meetings, str], int]) -> dict[str, int]:
        sums = dict.fromkeys(self.tally.bots, 0)
        for (first, second), met in self.tally.meetings.items():
            sums[first] += value(points_of_first(met, self.scheme), met, second)
            sums[second] += value(points_of_second(met, self.scheme), met, first)
        return sums

    def encounters(self, group: Sequence[str]) -> Encounters | None:
        """Return the scores of a group's bots against each other; None if too few have met to split the group."""
        meetings, scheme = self.tally.meetings, self.scheme
        found = []
        unit = 1
        unmet = dict.fromkeys(group, 0)
        for place, one in enumerate(group, 1):
            for other in group[place:]:
                there, back = meetings.get((one, other), NONE), meetings.get((other, one), NONE)
                count = sum(there) + sum(back)
                if count:
                    unit = lcm(unit, count)
                    scored = points_of_first(there, scheme) + points_of_second(back, scheme)
                    lost = points_of_second(there, scheme) + points_of_first(back, scheme)
                    found.append((one, other, scored, lost, count))
                else:
                    unmet[one] += 1
                    unmet[other] += 1
            # The bot that met most others scored at most a win against each (len(group) - 1 - min(unmet) wins). The bot
            # that met fewest could win all missing matches (max(unmet) wins). While the second number is not smaller,
            # nobody is out of reach. `unmet` only grows, so the rest of the pairs cannot change that.
            if min(unmet.values()) + max(unmet.values()) > len(group) - 2 and scheme.loss >= 0:
                return None
        scores = dict.fromkeys(group, 0)
        for one, other, scored, lost, count in found:
            scores[one] += scored * unit // count
            scores[other] += lost * unit // count
        return Encounters(scores, {name: len(group) - 1 - unmet[name] for name in group}, scheme.win * unit)
