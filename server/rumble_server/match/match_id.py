"""Ids of matches. For example, `friday.1.3.2.1` is cycle 1, round 3, board 2, leg 1 of the tournament `friday`."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

MatchKey = tuple[int, int, int, int]
"""Cycle, round, board and leg of a match. The four numbers identify a match in a tournament."""


class MatchId(NamedTuple):
    """The parts of a match's id. Cycle, round, board and leg are counted from 1."""

    tournament_id: str
    cycle: int
    round: int
    board: int
    leg: int

    @classmethod
    def parse(cls, text: str) -> "MatchId":
        """Split the text of an id into its parts. Raises ValueError if the text is not the id of a match."""
        tournament_id, *numbers = text.rsplit(".", 4)
        if len(numbers) != 4 or not all(each.isascii() and each.isdigit() for each in numbers):
            raise ValueError(f"{text!r} is not the id of a match")
        cycle, number, board, leg = map(int, numbers)
        return cls(tournament_id, cycle, number, board, leg)

    def __str__(self) -> str:
        return match_id_of(self.tournament_id, self.key)

    @property
    def key(self) -> MatchKey:
        """The id without the tournament."""
        return self[1:]


class Neighbours(NamedTuple):
    """Ids of other matches in the tournament of a given match. An id is None if there is no such match."""

    previous: str | None
    """Id of the match before, in the order of the schedule."""
    next: str | None
    """Id of the match after, in the order of the schedule."""
    other_leg: str | None
    """Id of the match with the same pairing and opening, but swapped seats."""


def neighbours(match_id: str, others: Iterable[str]) -> Neighbours:
    """Return the neighbours of a match. Only `others`, ids of matches of the same tournament, can be neighbours."""
    own = MatchId.parse(match_id)
    ids = [MatchId.parse(each) for each in others]
    before = max((each for each in ids if each < own), default=None)
    after = min((each for each in ids if each > own), default=None)
    leg = own._replace(leg=own.leg + 1 if own.leg % 2 else own.leg - 1)
    return Neighbours(
        *(str(each) if each else None for each in (before, after, leg if leg in (before, after) else None))
    )


def match_id_of(tournament_id: str, key: MatchKey) -> str:
    """Return the id of a match as text, from its tournament and key."""
    cycle, number, board, leg = key
    return f"{tournament_id}.{cycle}.{number}.{board}.{leg}"


@lru_cache(4096)  # asked for every fact of a match
def tournament_id_of(match_id: str) -> str:
    """Return the tournament in a match's id. The rest of the id is not checked."""
    return match_id.partition(".")[0]
