"""What a Swiss has come to before a round: all that pairing the round follows from. Pure, and can be pickled."""

from dataclasses import dataclass

from rumble_server.results.trf.codes import PAIRING_BYE, PLAYED, WHITE


@dataclass(frozen=True, slots=True)
class Entry:
    """One round of one player: its opponent (0: none; numbers count from 1), seat, result, and its points after it."""

    opponent: int
    seat: str
    result: str
    points: int

    @property
    def played(self) -> bool:
        return self.result in PLAYED

    @property
    def in_pairing(self) -> bool:
        """Whether the player took part in the pairing of the round."""
        return self.opponent > 0 or self.result == PAIRING_BYE


@dataclass(frozen=True, slots=True)
class Event:
    """The rounds so far, by player in the order of pairing numbers, and who is not to be paired in the next."""

    rounds: int
    """How many there will be."""
    entries: tuple[tuple[Entry, ...], ...]
    absent: frozenset[int]
    """Players, from 0, who are not paired in the next round."""
    win: int
    draw: int
    loss: int
    virtual: tuple[tuple[int, ...], ...] = ()
    """Acceleration: by player and round, the next one included, the points that are added for pairing only."""
    forbidden: frozenset[tuple[int, int]] = frozenset()
    """Players who are not to be paired with each other, the lower index first."""
    first_seat: str = WHITE
    """The colour of the first player in the first round (the initial colour of article 5.1)."""

    @property
    def played_rounds(self) -> int:
        return max((len(own) for own in self.entries), default=0)

    def points(self, player: int, rounds: int) -> int:
        """Return the player's points after the first `rounds` rounds."""
        return self.entries[player][rounds - 1].points if rounds else 0

    def score(self, player: int, rounds: int) -> int:
        """Return the player's score, with virtual points, after the first `rounds` rounds."""
        return self.points(player, rounds) + self.virtual_points(player, rounds)

    def virtual_points(self, player: int, rounds: int) -> int:
        own = self.virtual[player] if self.virtual else ()
        return own[rounds] if rounds < len(own) else 0


def baku(players: int, rounds: int, win: int, draw: int) -> tuple[tuple[int, ...], ...]:
    """Return the virtual points of Baku acceleration, by player and round (C.04.5.1).

    The first half of the field, rounded up to an even number, has them: a win's points in the first half of the
    accelerated rounds, and a draw's in the rest of them; half of all rounds are accelerated. Halves are rounded up.
    """
    group = 2 * ((players + 3) // 4)
    accelerated = (rounds + 1) // 2
    full = (accelerated + 1) // 2
    points = (win,) * full + (draw,) * (accelerated - full)
    return tuple(points if player < group else () for player in range(players))
