"""Ids of matches: `friday.1.3.2.1` is cycle 1, round 3, board 2, leg 1 of the tournament `friday`."""

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
        return f"{self.tournament_id}.{self.cycle}.{self.round}.{self.board}.{self.leg}"

    @property
    def key(self) -> MatchKey:
        """The id without its tournament."""
        return self[1:]


def tournament_id_of(match_id: str) -> str:
    """Return the id of a match's tournament. No check: the rest may be any text."""
    return match_id.partition(".")[0]
