"""Ids of matches: `friday.1.3.2.1` is cycle 1, round 3, board 2, leg 1 of the tournament `friday`."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

MatchKey = tuple[int, int, int, int]
"""Cycle, round, board and leg, which tell a match from the others of its tournament."""


class MatchId(NamedTuple):
    """An id of a match, in its parts. Cycle, round, board and leg count from 1."""

    tournament_id: str
    cycle: int
    round: int
    board: int
    leg: int

    @classmethod
    def parse(cls, text: str) -> "MatchId":
        """Read an id. Raises ValueError for a text that is none."""
        tournament_id, *numbers = text.rsplit(".", 4)
        if len(numbers) != 4:
            raise ValueError(f"{text!r} is not the id of a match")
        cycle, number, board, leg = map(int, numbers)
        return cls(tournament_id, cycle, number, board, leg)

    def __str__(self) -> str:
        return match_id_of(self.tournament_id, self.key)

    @property
    def key(self) -> MatchKey:
        """The id without its tournament."""
        return self[1:]


class Neighbours(NamedTuple):
    """The ids of the matches beside one; None where there is none."""

    previous: str | None
    """The one before it in the schedule."""
    next: str | None
    """The one after it in the schedule."""
    other_leg: str | None
    """The one of the same pairing and opening with the seats swapped."""


def neighbours(match_id: str, others: Iterable[str]) -> Neighbours:
    """Find the neighbours of a match among matches of its tournament."""
    own = MatchId.parse(match_id)
    found = [MatchId.parse(each) for each in others]
    before = max((each for each in found if each < own), default=None)
    after = min((each for each in found if each > own), default=None)
    leg = own._replace(leg=own.leg + 1 if own.leg % 2 else own.leg - 1)
    return Neighbours(
        *(str(each) if each else None for each in (before, after, leg if leg in (before, after) else None))
    )


def match_id_of(tournament_id: str, key: MatchKey) -> str:
    """Return the text of an id."""
    cycle, number, board, leg = key
    return f"{tournament_id}.{cycle}.{number}.{board}.{leg}"


@lru_cache(4096)  # every fact of a match asks
def tournament_id_of(match_id: str) -> str:
    """Return the id of a match's tournament. No check: the rest may be any text."""
    return match_id.partition(".")[0]
