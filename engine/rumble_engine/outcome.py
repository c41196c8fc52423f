"""The outcome of a match: the scores and the termination, which are separate facts."""

from dataclasses import dataclass
from enum import StrEnum


class Termination(StrEnum):
    """The ways a match ends. A game's rules give only `NORMAL`; all other ways are given by the referee."""

    NORMAL = "normal"
    RESIGNATION = "resignation"
    ILLEGAL_MOVE = "illegal_move"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    NO_SHOW = "no_show"
    FLOOD = "flood"
    ADJUDICATION = "adjudication"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a match: the scores, the way the match ended, and the reason."""

    scores: tuple[float, ...]
    """The score of each seat: 1 for a win, 0.5 for a draw, 0 for a loss."""
    termination: Termination = Termination.NORMAL
    """The way the match ended."""
    reason: str = ""
    """The reason in a phrase for people: `three in a row`."""

    @property
    def winner(self) -> int | None:
        """The seat that alone has the highest score; None for a draw, or if nobody won."""
        best = max(self.scores)
        if best <= 0 or self.scores.count(best) > 1:
            return None
        return self.scores.index(best)

    @classmethod
    def win(cls, seat: int, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return the outcome in which `seat` has the whole point."""
        return cls(tuple(1.0 if index == seat else 0.0 for index in range(seats)), termination, reason)

    @classmethod
    def draw(cls, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return the outcome in which all seats share the point equally."""
        return cls((1.0 / seats,) * seats, termination, reason)
