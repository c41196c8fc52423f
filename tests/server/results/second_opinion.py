"""A second implementation of the tie-breaks, slow and straight from their definitions, to test the real one.

It shares no code and no data structure with `rumble_server.results.tiebreaks`, and computes with exact fractions.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rumble_engine import Termination
from rumble_server.results.result import Result

Points = tuple[float, float, float]


def worth(score: float, points: Points) -> Fraction:
    return Fraction(str(points[0] if score == 1 else points[1] if score > 0 else points[2]))


def matches_of(name: str, results: Sequence[Result]) -> list[tuple[str, int, float, Result]]:
    """Return the opponent, the own seat, the own score and the result of each match of a bot."""
    found = []
    for result in results:
        if name in result.seats:
            seat = result.seats.index(name)
            found.append((result.seats[1 - seat], seat, result.scores[seat], result))
    return found


def points_of(name: str, results: Sequence[Result], points: Points) -> Fraction:
    return sum((worth(score, points) for _, _, score, _ in matches_of(name, results)), Fraction(0))


def over_the_board(result: Result) -> bool:
    return result.termination != Termination.NO_SHOW


def value(tiebreak: str, name: str, results: Sequence[Result], points: Points) -> Fraction:
    own = matches_of(name, results)
    if tiebreak == "won":
        return Fraction(sum(1 for _, _, score, match in own if score == 1 and over_the_board(match)))
    if tiebreak == "bwg":
        return Fraction(sum(1 for _, seat, score, match in own if score == 1 and seat == 1 and over_the_board(match)))
    if tiebreak == "faults":
        return Fraction(sum(1 for _, seat, _, match in own if seat in match.at_fault))
    if tiebreak == "sb":
        return sum(
            (worth(score, points) * points_of(opponent, results, points) for opponent, _, score, _ in own), Fraction(0)
        )
    if tiebreak == "ks":
        total = Fraction(0)
        for opponent, _, score, _ in own:
            possible = len(matches_of(opponent, results)) * worth(1, points)
            if points_of(opponent, results, points) * 2 >= possible:
                total += worth(score, points)
        return total
    if tiebreak == "buchholz":
        return sum((points_of(opponent, results, points) for opponent, _, _, _ in own), Fraction(0))
    raise ValueError(tiebreak)


def encounters(group: Sequence[str], results: Sequence[Result], points: Points) -> dict[str, Fraction] | None:
    scores = {}
    for name in group:
        total = Fraction(0)
        for opponent in group:
            if opponent != name:
                met = [worth(score, points) for other, _, score, _ in matches_of(name, results) if other == opponent]
                if not met:
                    return None
                total += sum(met, Fraction(0)) / len(met)
        scores[name] = total
    return scores


def by_encounters(group: list[str], results: Sequence[Result], points: Points) -> list[list[str]]:
    """Split a group by direct encounter, once."""
    scores = encounters(group, results, points)
    if scores is not None:
        return at_levels(group, scores)
    least, most = dict.fromkeys(group, Fraction(0)), dict.fromkeys(group, Fraction(0))
    for name in group:
        for other in group:
            if other != name:
                scored = encounters([name, other], results, points)
                least[name] += Fraction(0) if scored is None else scored[name]
                most[name] += worth(1, points) if scored is None else scored[name]
    ahead, left = [], list(group)
    while first := [each for each in left if all(least[each] > most[other] for other in left if other != each)]:
        ahead.append(first)
        left.remove(first[0])
        if not left:
            break
    return [*ahead, left] if left else ahead


def at_levels(group: list[str], scores: Mapping[str, Fraction]) -> list[list[str]]:
    return [[name for name in group if scores[name] == level] for level in sorted(set(scores.values()), reverse=True)]


def order(group: list[str], tiebreaks: Sequence[str], results: Sequence[Result], points: Points) -> list[list[str]]:
    """Return the group in parts that share a rank."""
    if len(group) < 2 or not tiebreaks:
        return [group]
    first, rest = tiebreaks[0], tiebreaks[1:]
    if first == "de":
        parts = by_encounters(group, results, points)
    else:
        sign = -1 if first == "faults" else 1
        parts = at_levels(group, {name: sign * value(first, name, results, points) for name in group})
    if len(parts) == 1:
        return order(group, rest, results, points)
    # Direct encounter is applied again to each part; every other tie-break is applied once.
    return [end for part in parts for end in order(part, tiebreaks if first == "de" else rest, results, points)]


def ranks(results: Sequence[Result], tiebreaks: Sequence[str], points: Points) -> dict[str, int]:
    names = sorted({name for result in results for name in result.seats})
    by_points: dict[Fraction, list[str]] = {}
    for name in names:
        by_points.setdefault(points_of(name, results, points), []).append(name)
    place, found = 1, {}
    for level in sorted(by_points, reverse=True):
        for part in order(by_points[level], tiebreaks, results, points):
            found.update(dict.fromkeys(part, place))
            place += len(part)
    return found
