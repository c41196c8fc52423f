"""The choice of the player with white in a pair (article 5.2 of C.04.3)."""

from rumble_server.results.trf.codes import WHITE
from rumble_server.tournament.pairs.dutch.player import ABSOLUTE, DutchPlayer, other


def with_white_first(one: DutchPlayer, two: DutchPlayer, first_seat: str) -> tuple[DutchPlayer, DutchPlayer]:
    """Return the pair, beginning with the player who gets white. `first_seat` is the initial colour (article 5.1)."""
    return (one, two) if _colour(one, two, first_seat) == WHITE else (two, one)


def _colour(one: DutchPlayer, two: DutchPlayer, first_seat: str) -> str:
    """Return the colour that `one` gets."""
    if one.preference != two.preference:  # 5.2.1: both preferences are granted
        return one.preference or other(two.preference)
    if one.preference:
        ranks = _claim(one), _claim(two)
        if ranks[0] != ranks[1]:  # 5.2.2: the stronger preference is granted; of absolute ones, the wider difference
            return one.preference if ranks[0] > ranks[1] else other(two.preference)
        # 5.2.3: in the last round in which the colours differed, `two` had the colour that `one` gets now.
        for mine, theirs in zip(reversed(one.colours), reversed(two.colours), strict=False):
            if mine != theirs:
                return theirs
    higher = min(one, two, key=lambda player: player.order)
    # 5.2.4: the preference of the higher ranked player is granted. 5.2.5: without a preference the pairing number of
    # the higher ranked player decides.
    colour = higher.preference or (first_seat if higher.number % 2 else other(first_seat))
    return colour if higher is one else other(colour)


def _claim(player: DutchPlayer) -> tuple[int, int]:
    return player.strength, abs(player.difference) if player.strength == ABSOLUTE else 0
