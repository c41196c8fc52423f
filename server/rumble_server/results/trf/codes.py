"""The codes of TRF16 and TRF-2026 for one round of one player."""

WHITE, BLACK, NO_SEAT = "w", "b", "-"

WIN, DRAW, LOSS = "1", "=", "0"
UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS = "W", "D", "L"
"""Played, but for less than a move, and so not rated."""
FORFEIT_WIN, FORFEIT_LOSS = "+", "-"
PAIRING_BYE = "U"
"""The bye of the one who is left over when the others are paired."""
FULL_BYE, HALF_BYE, ABSENT = "F", "H", "Z"
"""Byes that were asked for, with a full, half or no point."""

WON = frozenset((WIN, UNRATED_WIN))
DRAWN = frozenset((DRAW, UNRATED_DRAW))
PLAYED = frozenset((WIN, DRAW, LOSS, UNRATED_WIN, UNRATED_DRAW, UNRATED_LOSS))
FORFEITS = frozenset((FORFEIT_WIN, FORFEIT_LOSS))
REQUESTED = frozenset((FULL_BYE, HALF_BYE, ABSENT))
BYES = REQUESTED | {PAIRING_BYE}
"""Rounds without an opponent."""
