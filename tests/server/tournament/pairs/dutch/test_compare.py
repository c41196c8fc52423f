"""The reasons why a pairing is worse than the pairing by the rules."""

import pytest
from rumble_server.results.trf.reader import read_trf
from rumble_server.tournament.pairs.dutch.compare import COLOURS, why_not
from rumble_server.tournament.pairs.dutch.event import DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import PairedRound
from rumble_server.tournament.pairs.from_trf import TrfRounds
from rumble_server.tournament.pairs.pairing_rules import DUTCH_2025, pair

from tests.server.swiss_events import swiss_events

FIRST_ROUND = DutchEvent(3, ((), (), (), (), ()), frozenset(), 2, 1, 0)
"""The rules pair players 1 and 3, and 4 and 2 (with white); 5 has the bye."""


def test_a_wrong_pairing_is_named_by_criterion_or_article() -> None:
    assert why_not(FIRST_ROUND, PairedRound(((0, 2), (1, 3)), 4)) == COLOURS
    assert why_not(FIRST_ROUND, PairedRound(((0, 3), (2, 1)), 4)) == "articles 3 and 4 (the sequence of candidates)"
    assert why_not(FIRST_ROUND, PairedRound(((0, 2),), 4)) == "C4 (as many players as possible are paired)"


@pytest.mark.parametrize(
    ("file", "number", "why"),
    [
        ("104.trf", 2, "C5"),
        ("298.trf", 4, "C8"),
        ("452.trf", 3, "C9"),
        ("453.trf", 5, "C12"),
        ("208.trf", 5, "C14"),
        ("131.trf", 5, "C15"),
        ("120.trf", 5, "C16"),
        ("476.trf", 8, "C7"),
    ],
)
def test_a_difference_of_the_older_rules_has_a_criterion(file: str, number: int, why: str) -> None:
    event = read_trf(swiss_events.texts()[file])
    before = TrfRounds(event, event.played).before(number)
    assert why_not(before, pair(before, DUTCH_2025)).partition(" ")[0] == why
