"""The outcome of a match. The scores and the way the match ended (`termination`) are separate facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class Termination(StrEnum):
    """The ways in which a match can end. A game's rules give only `NORMAL`; the referee gives the others."""

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
    """The score of each seat: the share of the other seats that are placed behind the seat, from 0 to 1.

    Another seat with the same place counts half. With two seats, a win is 1, a draw 0.5 and a loss 0.
    """
    termination: Termination = Termination.NORMAL
    """The way the match ended."""
    reason: str = ""
    """The reason as a phrase for people: `three in a row`."""
    places: tuple[int, ...] | None = None
    """The place of each seat, 1 for the first. Seats that tie share a place.

    None in a game of two seats without payoffs.
    """
    payoffs: tuple[float, ...] | None = None
    """The gain of each seat in the game's own points; None for a game without such points."""

    @property
    def winner(self) -> int | None:
        """The only seat with the highest score; None if several seats have this score."""
        return winner_of(self.scores)

    @classmethod
    def win(cls, seat: int, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return an outcome in which `seat` is first, and all other seats tie for the next place."""
        if seats == 2:
            return cls((1.0, 0.0) if seat == 0 else (0.0, 1.0), termination, reason)
        return cls.ranked([1 if index == seat else 2 for index in range(seats)], reason, termination=termination)

    @classmethod
    def draw(cls, reason: str, *, termination: Termination = Termination.NORMAL, seats: int = 2) -> "Outcome":
        """Return an outcome in which all seats tie."""
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
        """Return an outcome in which each seat has its place from `places` and, in a game with payoffs, its payoff."""
        return cls(scores_of(places), termination, reason, tuple(places), None if payoffs is None else tuple(payoffs))

    @classmethod
    def paid(cls, payoffs: Sequence[float], reason: str) -> "Outcome":
        """Return the outcome of a game with payoffs. Seats with larger payoffs have better places."""
        return cls.ranked(places_of([-own for own in payoffs]), reason, payoffs=payoffs)

    def with_falls(self, falls: Mapping[int, int]) -> "Outcome":
        """Return the outcome with the fallen seats behind all others. `falls` has the ply of each fall, by seat.

        A later fall gives a better place. Seats that fell in the same ply share a place. The order of the other seats
        stays. The payoffs stay, too, because the payoffs by the game's rules already include the cost of a fall.
        """
        ranks = [(seat in falls, -falls.get(seat, score)) for seat, score in enumerate(self.scores)]
        places = places_of(ranks)
        return replace(self, scores=scores_of(places), places=places) if falls else self


def winner_of(scores: Sequence[float]) -> int | None:
    """Return the only seat with the highest score, or None if several seats have this score."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None


def places_of(ranks: Sequence[Any]) -> tuple[int, ...]:
    """Return the place of each seat from its value in `ranks`. The lowest value is first, and equal values tie."""
    return tuple([1 + sum(other < own for other in ranks) for own in ranks])


def scores_of(places: Sequence[int]) -> tuple[float, ...]:
    """Return the score of each seat: the share of the other seats that are placed behind the seat, from 0 to 1.

    Another seat with the same place counts half.
    """
    others = len(places) - 1
    return tuple([(sum(p > own for p in places) + (places.count(own) - 1) / 2) / others for own in places])
