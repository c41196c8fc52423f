"""The codes of TRF16 and TRF-2026 for a round of a player: colour and result."""

WHITE, BLACK, NO_SEAT = "w", "b", "-"

WIN, DRAW, LOSS = "1", "=", "0"
UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS = "W", "D", "L"
"""Codes for games of less than a move, which count as played but are not rated."""
FORFEIT_WIN, FORFEIT_LOSS = "+", "-"
PAIRING_BYE = "U"
"""Code of the bye for the player who is left over when all others are paired."""
FULL_BYE, HALF_BYE, ABSENT = "F", "H", "Z"
"""Codes of requested byes: with a full point, half a point, and no point."""

WON = frozenset((WIN, UNRATED_WIN))
DRAWN = frozenset((DRAW, UNRATED_DRAW))
PLAYED = frozenset((WIN, DRAW, LOSS, UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS))
FORFEITS = frozenset((FORFEIT_WIN, FORFEIT_LOSS))
REQUESTED = frozenset((FULL_BYE, HALF_BYE, ABSENT))
BYES = REQUESTED | {PAIRING_BYE}
"""Codes of rounds without an opponent."""
