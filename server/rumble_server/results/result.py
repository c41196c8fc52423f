"""The result of a match, as plain data: the input of tie-breaks and ratings, and the content of result files."""

from dataclasses import dataclass

from rumble_engine import Termination

from rumble_server.match.facts import MatchOver

FAULTS = frozenset(
    {
        Termination.ILLEGAL_MOVE,
        Termination.TIMEOUT,
        Termination.DISCONNECT,
        Termination.NO_SHOW,
        Termination.FLOOD,
        Termination.CRASHED,
    }
)
"""Terminations that are the fault of a bot."""


@dataclass(slots=True)
class Result:
    """A result: the bots and their scores by seat (1 win, 0.5 draw, 0 loss; 0 and 0 if neither bot was there)."""

    seats: tuple[str, str]
    scores: tuple[float, float]
    termination: Termination = Termination.NORMAL
    at_fault: tuple[int, ...] = ()
    match_id: str = ""
    moves: tuple[str, ...] = ()

    @property
    def is_forfeit(self) -> bool:
        """True if the match was never played: it counts in points, but not as played over the board."""
        return self.termination is Termination.NO_SHOW


def result_of(over: MatchOver) -> Result:
    """Return the result of a match. Raises ValueError for a void attempt, and for a match without exactly two seats."""
    seats, scores = over.seats, over.scores
    if scores is None or len(seats) != 2 or len(scores) != 2:
        raise ValueError(f"match {over.match}, attempt {over.attempt}, has no result between two bots")
    return Result(seats, scores, over.termination, over.at_fault, over.match, over.moves)


def blame(scores: tuple[float, float], termination: Termination) -> tuple[int, ...]:
    """Return the seats at fault in a match, if the file with the match does not name them.

    If the termination is a fault, these are the seats with score 0.
    """
    if termination not in FAULTS:
        return ()
    return tuple(seat for seat, score in enumerate(scores) if score == 0)
