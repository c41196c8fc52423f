"""The result of a match with two seats, as plain data for tie-breaks, ratings and files of results."""

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
"""The terminations that are a bot's fault."""


@dataclass(slots=True)
class Result:
    """The result of a match: the two bots by seat, and their scores (1, 0.5 or 0).

    Both scores are 0 if neither bot came.
    """

    seats: tuple[str, str]
    scores: tuple[float, float]
    termination: Termination = Termination.NORMAL
    at_fault: tuple[int, ...] = ()
    match_id: str = ""

    @property
    def is_forfeit(self) -> bool:
        """True if the match was never played (`no_show`).

        Such a match gives points, but is not among the matches played over the board.
        """
        return self.termination is Termination.NO_SHOW


def result_of(over: MatchOver) -> Result:
    """Return the result of a match. Raises ValueError for a void attempt, or if the match does not have two seats."""
    seats, scores = over.seats, over.scores
    if scores is None or len(seats) != 2 or len(scores) != 2:
        raise ValueError(f"match {over.match}, attempt {over.attempt}, has no result between two bots")
    return Result(seats, scores, over.termination, over.at_fault, over.match)


def blame(scores: tuple[float, float], termination: Termination) -> tuple[int, ...]:
    """Return the seats at fault in a match, for a file that does not name these seats.

    If the termination is a fault, return the seats with a score of 0; otherwise return no seat.
    """
    if termination not in FAULTS:
        return ()
    return tuple(seat for seat, score in enumerate(scores) if score == 0)
