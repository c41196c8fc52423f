"""The outcome of a match: the scores and the termination, which are separate facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class Termination(StrEnum):
    """The ways a match ends. A game's rules give only `NORMAL`; the referee gives the others."""

    NORMAL = "normal"
    RESIGNATION = "resignation"
    ILLEGAL_MOVE = "illegal_move"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    NO_SHOW = "no_show"
    FLOOD = "flood"
    CRASHED = "crashed"
    ADJUDICATION = "adjudication"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a match: the scores, the way the match ended, and the reason."""

    scores: tuple[float, ...]
    """The score of each seat: the share of the other seats that finished behind it, where a tie counts half. With two
    seats, 1 for a win, 0.5 for a draw, 0 for a loss."""
    termination: Termination = Termination.NORMAL
    """The way the match ended."""
    reason: str = ""
    """The reason in a phrase for people: `three in a row`."""
    places: tuple[int, ...] | None = None
    """The place of each seat, 1 for the first; seats that tie share a place.

    The field is None in a game of two seats without payoffs.
    """
    payoffs: tuple[float, ...] | None = None
    """The gain of each seat in the game's own points; None for a game without such points."""

    @property
    def winner(self) -> int | None:
        """The seat that alone has the highest score; None for a draw, or if nobody won."""
        best = max(self.scores)
        if best <= 0 or self.scores.count(best) > 1:
            return None
        return self.scores.index(best)

    @classmethod
    def win(cls, seat: int, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return the outcome in which `seat` is first, and the other seats tie for the next place."""
        if seats == 2:
            return cls((1.0, 0.0) if seat == 0 else (0.0, 1.0), termination, reason)
        return cls.ranked([1 if index == seat else 2 for index in range(seats)], reason, termination=termination)

    @classmethod
    def draw(cls, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return the outcome in which all seats tie."""
        if seats == 2:
            return cls((0.5, 0.5), termination, reason)
        return cls.ranked([1] * seats, reason, termination=termination)

    @classmethod
    def ranked(
        cls,
        places: Sequence[int],
        reason: str,
        *,
        payoffs: Sequence[float] | None = None,
        termination: Termination = Termination.NORMAL,
    ) -> "Outcome":
        """Return the outcome in which each seat has the given place, and the given payoff in a game with payoffs."""
        return cls(scores_of(places), termination, reason, tuple(places), None if payoffs is None else tuple(payoffs))

    @classmethod
    def paid(cls, payoffs: Sequence[float], reason: str) -> "Outcome":
        """Return the outcome of a game with payoffs: the seat with the largest payoff is first."""
        return cls.ranked(places_of([-own for own in payoffs]), reason, payoffs=payoffs)

    def with_falls(self, falls: Mapping[int, int]) -> "Outcome":
        """Return the outcome with the fallen seats last; `falls` has the ply in which each of them fell out.

        The later a seat fell out, the better its place; seats that fell out in the same ply tie. The order of the
        seats that did not fall out stays. The payoffs stay: the rules have given each fallen seat the least.
        """
        ranks = [(seat in falls, -falls.get(seat, score)) for seat, score in enumerate(self.scores)]
        places = places_of(ranks)
        return replace(self, scores=scores_of(places), places=places) if falls else self


def places_of(ranks: Sequence[Any]) -> tuple[int, ...]:
    """Return the place of each seat. `ranks` has a value for each seat, and the lowest value is first."""
    return tuple([1 + sum(other < own for other in ranks) for own in ranks])


def scores_of(places: Sequence[int]) -> tuple[float, ...]:
    """Return the score of each seat: the share of the other seats behind its place, where a tie counts half."""
    others = len(places) - 1
    return tuple([(sum(p > own for p in places) + (places.count(own) - 1) / 2) / others for own in places])
