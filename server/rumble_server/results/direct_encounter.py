"""Direct encounter (FIDE Handbook C.07, art. 6): bots with equal points by their matches against each other. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Encounters:
    """What bots that are tied scored against each other. A pair that met more than once counts its average."""

    scores: dict[str, int]
    met: dict[str, int]
    """By bot: how many of the others it met."""
    win: int
    """A pair that was won, in the unit of the scores."""


Meet = Callable[[Sequence[str]], Encounters | None]
"""Returns the encounters of a group; None if it is plain that they decide nothing."""


def split(group: list[str], meet: Meet) -> list[list[str]]:
    """Return the group in parts, the best first: again among those still tied, until nothing parts them (art. 6.2)."""
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
    # Art. 6.3: one who stays ahead whatever those that have not met might score is first, and so on.
    out_of_reach = 0
    reach = _reach([best[name] for name in ranked])
    while out_of_reach < len(ranked) - 1 and scores[ranked[out_of_reach]] > reach[out_of_reach + 1]:
        out_of_reach += 1
    return [*([name] for name in ranked[:out_of_reach]), ranked[out_of_reach:]]


def _reach(best: list[int]) -> list[int]:
    """Return for each place the most that anybody from there on can reach."""
    reach = best.copy()
    for place in reversed(range(len(reach) - 1)):
        reach[place] = max(reach[place], reach[place + 1])
    return reach


def places(parts: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the place of each bot among those it was tied with, from 1; 0 where nothing parted them."""
    if len(parts) == 1:
        return dict.fromkeys(parts[0], 0)
    found: dict[str, int] = {}
    before = 0
    for part in parts:
        found |= dict.fromkeys(part, before + 1)
        before += len(part)
    return found
