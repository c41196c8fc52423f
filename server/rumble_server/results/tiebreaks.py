"""Ranks and tie-breaks, by the names and definitions of the FIDE Tie-Break Regulations (Handbook C.07). Pure.

- `de` direct encounter (art. 6): points against the bots still tied, applied again among those that it leaves tied. It
  applies only where all of them have met; a pair that met more than once counts with the average of its matches.
- `won` matches won over the board (art. 7.2): a win by `no_show` is a forfeit and does not count here.
- `bwg` matches won over the board with the second seat (art. 7.4, "with black").
- `sb` Sonneborn-Berger (art. 9.1): for each match, the points scored in it times the opponent's final points.
- `ks` Koya (art. 9.2): points against opponents with at least half of the points of their matches.
- `buchholz` (art. 8.1), for Swiss events: the points of the opponents, match by match. A match that was not played (a
  bye, a `no_show`) counts with a dummy opponent that has as many points as the bot itself (art. 16).
- `faults` (ours): matches lost by an own fault; who has fewest stands first.

Forfeits count as played for `sb` and `de` (in a round-robin, art. 14). All values are in the event's points.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from types import MappingProxyType

from rumble_engine import Termination
from rumble_protocol.feed_messages import Standing

from rumble_server.results.result import Result
from rumble_server.results.tally import NONE, Meetings, Scheme, Tally, points_of_first, points_of_second

TIEBREAKS: dict[str, str] = {
    "de": "direct encounter",
    "won": "wins over the board",
    "sb": "Sonneborn-Berger",
    "ks": "Koya",
    "bwg": "wins with the second seat",
    "buchholz": "Buchholz",
    "faults": "fewest faults",
}
"""What an organiser may choose from, and the name of each."""
DEFAULT = ("de", "won", "sb", "ks")
"""For a round-robin."""
DEFAULT_SWISS = ("buchholz", "de", "won", "sb")

POINTS = "points"
Values = Mapping[str, int | Fraction]
Shown = dict[str, dict[str, float | None]]
Faults = Mapping[str, Mapping[Termination, int]]


def check_tiebreaks(tiebreaks: Sequence[str]) -> tuple[str, ...]:
    """Return the tie-breaks. Raises ValueError if one is not known or comes twice."""
    unknown = [name for name in tiebreaks if name not in TIEBREAKS]
    if unknown:
        raise ValueError(f"unknown tie-break {unknown[0]!r}; there are: {', '.join(TIEBREAKS)}")
    if len(set(tiebreaks)) < len(tiebreaks):
        raise ValueError(f"a tie-break comes twice in {', '.join(tiebreaks)}")
    return tuple(tiebreaks)


def rank(
    results: Iterable[Result],
    tiebreaks: Sequence[str] = DEFAULT,
    points: tuple[float, float, float] = (1, 0.5, 0),
    *,
    field: Iterable[str] = (),
    byes: Mapping[str, int] | None = None,
) -> list[Standing]:
    """Rank the bots of results. `field` names bots that may have none; `byes` are matches given as won, by name."""
    return rank_tally(Tally.over(results, field, byes), tiebreaks, points)


def rank_tally(
    tally: Tally,
    tiebreaks: Sequence[str] = DEFAULT,
    points: tuple[float, float, float] = (1, 0.5, 0),
    faults: Faults = MappingProxyType({}),
) -> list[Standing]:
    """Rank what was counted, with `faults` by bot and kind. Bots that stay tied share a rank, in order of name."""
    tiebreaks = check_tiebreaks(tiebreaks)
    sums = _Sums(tally, Scheme.of(points))
    groups = [(POINTS, group) for group in _split(list(tally.bots), sums.points)]
    shown: Shown = {}
    for tiebreak in tiebreaks:
        if tiebreak == "de":
            shown[tiebreak] = dict.fromkeys(tally.bots, 0.0)
            parts = sums.direct_encounters([group for _, group in groups], shown[tiebreak])
        else:
            values, unit = sums.values(tiebreak)
            shown[tiebreak] = {name: values[name] / unit for name in tally.bots}
            ascending = {name: -value for name, value in values.items()} if tiebreak == "faults" else values
            parts = [_split(group, ascending) for _, group in groups]
        groups = [
            (label if index == 0 else tiebreak, part)
            for (label, _), split in zip(groups, parts, strict=True)
            for index, part in enumerate(split)
        ]
    return _lines(sums, groups, shown, faults)


def _lines(sums: "_Sums", groups: list[tuple[str, list[str]]], shown: Shown, faults: Faults) -> list[Standing]:
    lines: list[Standing] = []
    labels = [label for label, _ in groups]
    for (above, group), below in zip(groups, [*labels[1:], POINTS], strict=False):
        first = len(lines)
        last = first + len(group) - 1
        for place, name in enumerate(sorted(group, key=lambda name: (name.casefold(), name)), first):
            count = sums.tally.bots[name]
            neighbours = (above if place == first else "", below if place == last else "")
            lines.append(
                Standing(
                    rank=first + 1,
                    name=name,
                    points=sums.points[name] / sums.scheme.scale,
                    played=count.played,
                    wins=count.wins,
                    draws=count.draws,
                    losses=count.losses,
                    tiebreaks={tiebreak: values[name] for tiebreak, values in shown.items()},
                    decided_by=next((part for part in neighbours if part not in ("", POINTS)), ""),
                    faults={str(kind): number for kind, number in faults.get(name, {}).items() if number},
                    byes=count.byes,
                )
            )
    return lines


def _split(group: list[str], values: Values) -> list[list[str]]:
    """Return the group in parts of equal value, highest first."""
    if len(group) == 1:
        return [group]
    key: Callable[[str], int | Fraction] = values.__getitem__
    return [list(part) for _, part in groupby(sorted(group, key=key, reverse=True), key)]


class _Sums:
    """The values of the tie-breaks over one tally, in integers."""

    def __init__(self, tally: Tally, scheme: Scheme) -> None:
        self.scheme = scheme
        self.tally = tally
        self.points = {name: count.points(scheme) for name, count in tally.bots.items()}

    def values(self, tiebreak: str) -> tuple[dict[str, int], int]:
        """Return the values of any tie-break but `de`, and how many of their units make one."""
        bots, points, scheme = self.tally.bots, self.points, self.scheme
        match tiebreak:
            case "won":
                return {name: count.won for name, count in bots.items()}, 1
            case "bwg":
                return {name: count.won_second for name, count in bots.items()}, 1
            case "faults":
                return {name: count.faults for name, count in bots.items()}, 1
            case "sb":
                return self._over_opponents(lambda scored, met, opponent: scored * points[opponent]), scheme.scale**2
            case "ks":
                half = {
                    name for name, count in bots.items() if 2 * points[name] >= scheme.win * (count.played + count.byes)
                }
                sums = self._over_opponents(lambda scored, met, opponent: scored if opponent in half else 0)
                return sums, scheme.scale
            case _:
                sums = self._over_opponents(lambda scored, met, opponent: sum(met[:3]) * points[opponent])
                for name, count in bots.items():
                    sums[name] += (count.unplayed + count.byes) * points[name]
                return sums, scheme.scale

    def _over_opponents(self, value: Callable[[int, Meetings, str], int]) -> dict[str, int]:
        sums = dict.fromkeys(self.tally.bots, 0)
        for (first, second), met in self.tally.meetings.items():
            sums[first] += value(points_of_first(met, self.scheme), met, second)
            sums[second] += value(points_of_second(met, self.scheme), met, first)
        return sums

    def direct_encounters(self, groups: list[list[str]], shown: dict[str, float | None]) -> list[list[list[str]]]:
        """Return the parts of each group; `shown` gets each bot's score against all it was tied with."""
        parts = []
        for group in groups:
            values = self._encounters(group)
            for name in group:
                shown[name] = None if values is None else float(values[name] / self.scheme.scale)
            parts.append(self._split_directly(group, values))
        return parts

    def _split_directly(self, group: list[str], values: dict[str, Fraction] | None) -> list[list[str]]:
        if len(group) == 1 or values is None:
            return [group]
        parts = _split(group, values)
        if len(parts) == 1:
            return parts
        return [end for part in parts for end in self._split_directly(part, self._encounters(part))]

    def _encounters(self, group: list[str]) -> dict[str, Fraction] | None:
        """Return what each scored against the others, as averages a pair; None unless all have met."""
        meetings, scheme = self.tally.meetings, self.scheme
        sums = dict.fromkeys(group, Fraction(0))
        for one, other in combinations(group, 2):
            there, back = meetings.get((one, other), NONE), meetings.get((other, one), NONE)
            played = sum(there) + sum(back)
            if not played:
                return None
            sums[one] += Fraction(points_of_first(there, scheme) + points_of_second(back, scheme), played)
            sums[other] += Fraction(points_of_second(there, scheme) + points_of_first(back, scheme), played)
        return sums
