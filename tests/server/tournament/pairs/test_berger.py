"""Berger tables, as the FIDE Handbook has them."""

from collections import Counter

import pytest
from rumble_server.tournament.pairs.berger import berger_leads, berger_round

SIX = "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1"
"""FIDE Handbook C.05 Annex 1, six players."""


def test_six_bots_meet_as_in_fides_table() -> None:
    expected = [{(int(pair[0]) - 1, int(pair[2]) - 1) for pair in part.split()} for part in SIX.split("|")]
    assert [set(berger_round(6, number)) for number in range(1, 6)] == expected


@pytest.mark.parametrize("bots", range(2, 41))
def test_the_lead_of_each_bot_is_known_without_playing(bots: int) -> None:
    pairs = [pair for number in range(1, bots + bots % 2) for pair in berger_round(bots, number)]
    lead = Counter(first for first, _ in pairs)
    lead.subtract(second for _, second in pairs)
    assert berger_leads(bots) == [lead[bot] for bot in range(bots)]
