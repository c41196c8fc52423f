"""How a match ended: who scored what, and by what termination. Two separate facts."""

from dataclasses import dataclass
from enum import StrEnum


class Termination(StrEnum):
    """The ways a match ends. A game's own rules only ever say `NORMAL`; the others are the referee's."""

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
    """Scores by seat (1 win, 0.5 draw, 0 loss), the termination, and one phrase why."""

    scores: tuple[float, ...]
    termination: Termination = Termination.NORMAL
    reason: str = ""

    @property
    def winner(self) -> int | None:
        """The seat that alone has the highest score, or None (a draw, or nobody won)."""
        best = max(self.scores)
        if best <= 0 or self.scores.count(best) > 1:
            return None
        return self.scores.index(best)

    @classmethod
    def win(cls, seat: int, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """`seat` takes the whole point."""
        return cls(tuple(1.0 if index == seat else 0.0 for index in range(seats)), termination, reason)

    @classmethod
    def draw(cls, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """The point is shared."""
        return cls((1.0 / seats,) * seats, termination, reason)
