"""The editions of a Swiss's pairing rules, by name, and the pairing of a round by an edition. Pure."""

from typing import Final

from rumble_server.tournament.pairs import dutch_2025
from rumble_server.tournament.pairs.dutch.event import DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import PairedRound, pair_round

DUTCH_2025, DUTCH_2026 = "dutch-2025", "dutch-2026"
PAIRING_RULES = {
    DUTCH_2025: "FIDE Dutch System in force until 31 January 2026",
    DUTCH_2026: "FIDE Dutch System in force since 1 February 2026",
}
"""Descriptions of the pairing rules, by name."""
NEWEST: Final = "dutch-2026"
"""The pairing rules of a new tournament by default."""


def pair(event: DutchEvent, rules: str) -> PairedRound:
    """Pair the next round by the edition `rules` of the pairing rules. Raises CannotBePaired."""
    return dutch_2025.pair_round(event) if rules == DUTCH_2025 else pair_round(event)
