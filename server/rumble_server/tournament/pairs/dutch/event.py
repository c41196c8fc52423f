"""The state of a Swiss before a round: the whole input for pairing the round. Pure; can be pickled.

`Swiss` makes the state from a tournament's rounds, and `TrfRounds` makes it from a TRF file.
"""

from dataclasses import dataclass

from rumble_server.results.trf.codes import PAIRING_BYE, PLAYED, WHITE


@dataclass(frozen=True, slots=True)
class DutchEntry:
    """A player's result in a round."""

    opponent: int
    """The opponent's index in `DutchEvent.entries`, plus 1; 0 without an opponent."""
    seat: str
    result: str
    points: int
    """The player's points after the round, in all rounds so far."""

    @property
    def was_played(self) -> bool:
        return self.result in PLAYED

    @property
    def is_in_pairing(self) -> bool:
        """True if the player took part in the pairing of the round."""
        return self.opponent > 0 or self.result == PAIRING_BYE


@dataclass(frozen=True, slots=True)
class DutchEvent:
    """The rounds played so far, and the rules for the next round."""

    rounds: int
    """The number of rounds that the tournament will have in the end."""
    entries: tuple[tuple[DutchEntry, ...], ...]
    """The results of each player, round by round; the players are in the order of pairing numbers."""
    absent: frozenset[int]
    """Indexes in `entries` of the players who are not paired in the next round."""
    win: int
    draw: int
    loss: int
    virtual: tuple[tuple[int, ...], ...] = ()
    """Points of an acceleration, added only for pairing. `virtual[player][n]` is added to the player's points after `n`
    rounds."""
    forbidden: frozenset[tuple[int, int]] = frozenset()
    """Pairs of players who must not meet, the lower index first."""
    first_seat: str = WHITE
    """The initial colour (article 5.1): the colour of the player with pairing number 1 in the first round."""

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

    The first half of the field, rounded up to an even number, has virtual points in the first half of all rounds. In
    the first half of these accelerated rounds, each of these players has as many virtual points as a win gives. In the
    other accelerated rounds, each of these players has as many virtual points as a draw gives. The halves of rounds are
    rounded up.
    """
    group = 2 * ((players + 3) // 4)
    accelerated = (rounds + 1) // 2
    full = (accelerated + 1) // 2
    points = (win,) * full + (draw,) * (accelerated - full)
    return tuple(points if player < group else () for player in range(players))
