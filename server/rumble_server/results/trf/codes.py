"""The codes of TRF16 and TRF-2026 for a player's round: its colour and its result."""

WHITE, BLACK, NO_SEAT = "w", "b", "-"

WIN, DRAW, LOSS = "1", "=", "0"
UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS = "W", "D", "L"
"""Games of less than a move, which are played but not rated."""
FORFEIT_WIN, FORFEIT_LOSS = "+", "-"
PAIRING_BYE = "U"
"""The bye of the player left over when all others are paired."""
FULL_BYE, HALF_BYE, ABSENT = "F", "H", "Z"
"""Requested byes, with a full point, half a point or no point."""

WON = frozenset((WIN, UNRATED_WIN))
DRAWN = frozenset((DRAW, UNRATED_DRAW))
PLAYED = frozenset((WIN, DRAW, LOSS, UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS))
FORFEITS = frozenset((FORFEIT_WIN, FORFEIT_LOSS))
REQUESTED = frozenset((FULL_BYE, HALF_BYE, ABSENT))
BYES = REQUESTED | {PAIRING_BYE}
"""Rounds without an opponent."""
