"""The rounds of a Swiss in a JSON export: pairs of bots, and byes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rumble_server.results.result import Result
from rumble_server.results.rounds import Rounds
from rumble_server.results.tally import Scheme


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as names of bots. Bots of the field that are not named were absent."""

    pairs: tuple[tuple[str, str], ...] = ()
    byes: tuple[str, ...] = ()
    half_byes: tuple[str, ...] = ()


def read_paired(rounds: Any, known: Iterable[str]) -> tuple[Paired, ...]:
    """Read the rounds of an export. Raises ValueError with the location of the problem."""
    if not isinstance(rounds, list):
        raise ValueError("tournament.rounds_paired: not a list")
    return tuple(_round(each, f"tournament.rounds_paired[{number}]", set(known)) for number, each in enumerate(rounds))


def _round(round_: Any, where: str, left: set[str]) -> Paired:
    """Read a round. Remove each bot of the round from `left`, which has all names of the field at first.

    Raises ValueError if the round is malformed, names a bot twice, or names a bot outside the field.
    """
    parts: dict[str, list[Any]] = {}
    for name in ("pairs", "byes", "half_byes"):
        part = round_.get(name) if isinstance(round_, dict) else None
        if not isinstance(part, list):
            raise ValueError(f"{where}: it has no list {name!r}")
        parts[name] = part
    for number, pair in enumerate(parts["pairs"]):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"{where}.pairs[{number}]: not a list of two names")
    for name in (*(name for pair in parts["pairs"] for name in pair), *parts["byes"], *parts["half_byes"]):
        if not isinstance(name, str) or name not in left:
            raise ValueError(f"{where}: {name!r} is not in the field, or is in the round twice")
        left.remove(name)
    pairs = tuple((first, second) for first, second in parts["pairs"])
    return Paired(pairs, tuple(parts["byes"]), tuple(parts["half_byes"]))


def rounds_from(
    paired: Iterable[Paired], results: Iterable[Result], field: Iterable[str], scheme: Scheme, legs: int
) -> Rounds:
    """Make the rounds of an export, and add the export's results.

    Raises ValueError if a result belongs to a match that is in no round.
    """
    rounds = Rounds(scheme, legs, field)
    for each in paired:
        byes = {name: rounds.full_bye() for name in each.byes}
        rounds.pair(each.pairs, byes | {name: rounds.half_bye() for name in each.half_byes})
    for result in results:
        if not rounds.has(result):
            raise ValueError(f"the match {result.match_id!r} is in none of the rounds of the file")
        rounds.add(result)
    return rounds
