"""Direct encounter (FIDE Handbook C.07, art. 6): the order of tied bots by their matches against each other. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm


@dataclass(frozen=True, slots=True)
class Encounters:
    """Scores of tied bots against each other.

    If two bots met more than once, the average of their scores in these matches counts.
    """

    scores: dict[str, int]
    met: dict[str, int]
    """For each bot, the number of other bots of the group that it has met."""
    win: int
    """Score for a win against a bot, in the unit of `scores`."""


Meet = Callable[[Sequence[str]], Encounters | None]
"""Function that returns the encounters of a group; None if too few of the bots have met to split the group."""
Between = Callable[[str, str], tuple[int, int, int] | None]
"""Function that returns the scores of two bots against each other, and the number of their matches.

The function returns None if the two bots did not meet.
"""


def meet(group: Sequence[str], between: Between, win: int, *, loss: int = 0) -> Encounters | None:
    """Return the encounters of a group; None if too few of the bots have met to split the group.

    `between` gives the scores of two bots. `win` and `loss` are the scores for a match won and a match lost.
    """
    found = []
    unit = 1
    unmet = dict.fromkeys(group, 0)
    for index, one in enumerate(group, 1):
        for other in group[index:]:
            met = between(one, other)
            if met is None:
                unmet[one] += 1
                unmet[other] += 1
            else:
                unit = lcm(unit, met[2])
                found.append((one, other, met))
        # While a bot can still win as many matches as any bot can have won, nobody is out of reach. `unmet` only grows,
        # so the rest of the pairs cannot change this.
        most_won, most_missing = len(group) - 1 - min(unmet.values()), max(unmet.values())
        if most_missing >= most_won and loss >= 0:
            return None
    scores = dict.fromkeys(group, 0)
    for one, other, (scored, lost, count) in found:
        scores[one] += scored * unit // count
        scores[other] += lost * unit // count
    return Encounters(scores, {name: len(group) - 1 - unmet[name] for name in group}, win * unit)


def split(group: list[str], meet: Meet) -> list[list[str]]:
    """Split a group of tied bots into parts by direct encounter, the best part first.

    Each part is split further by the matches between the bots of the part, as long as this is possible (art. 6.2).
    """
    parts: list[list[str]] = []
    to_do = [group]
    while to_do:
        part = to_do.pop()
        found = _split_once(part, meet)
        if len(found) == 1:
            parts.append(part)
        else:
            to_do.extend(reversed(found))
    return parts


def _split_once(group: list[str], meet: Meet) -> list[list[str]]:
    encounters = meet(group) if len(group) > 1 else None
    if encounters is None:
        return [group]
    scores, met = encounters.scores, encounters.met
    best = {name: scores[name] + (len(group) - 1 - met[name]) * encounters.win for name in group}
    ranked = sorted(group, key=lambda name: (scores[name], best[name]), reverse=True)
    if all(count == len(group) - 1 for count in met.values()):
        parts: list[list[str]] = []
        for name in ranked:
            if parts and scores[parts[-1][0]] == scores[name]:
                parts[-1].append(name)
            else:
                parts.append([name])
        return parts
    # Art. 6.3: the first place is decided if no bot below can reach the first bot's score, even by winning all missing
    # matches. Each next place is decided in the same way, up to the first bot that can be reached: this bot and all
    # bots below stay together.
    out_of_reach = 0
    reach = _reach([best[name] for name in ranked])
    while out_of_reach < len(ranked) - 1 and scores[ranked[out_of_reach]] > reach[out_of_reach + 1]:
        out_of_reach += 1
    return [*([name] for name in ranked[:out_of_reach]), ranked[out_of_reach:]]


def _reach(best: list[int]) -> list[int]:
    """Return, for each place, the highest score that the bot there or any later bot can reach.

    `best` has the highest score that each bot can reach, in the order of the places.
    """
    reach = best.copy()
    for place in reversed(range(len(reach) - 1)):
        reach[place] = max(reach[place], reach[place + 1])
    return reach


def places(parts: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the place of each bot in its group, from 1. If the group is not split, each place is 0."""
    if len(parts) == 1:
        return dict.fromkeys(parts[0], 0)
    found: dict[str, int] = {}
    before = 0
    for part in parts:
        found |= dict.fromkeys(part, before + 1)
        before += len(part)
    return found
