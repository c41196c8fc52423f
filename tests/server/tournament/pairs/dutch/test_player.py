"""Colour preferences; test_from_trf.py compares the pairings that follow from these and from floats and byes."""

import pytest
from rumble_server.results.trf import codes
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent
from rumble_server.tournament.pairs.dutch.player import ABSOLUTE, MILD, NONE, STRONG, other, players_of


@pytest.mark.parametrize(
    ("colours", "preference", "strength"),
    [
        ("", "", NONE),
        ("w", "b", STRONG),
        ("bw", "b", MILD),
        ("wwb", "b", STRONG),
        ("bww", "b", ABSOLUTE),
        ("wbb", "w", ABSOLUTE),
        ("wbwbww", "b", ABSOLUTE),
        ("wwbwbw", "b", ABSOLUTE),
    ],
)
def test_the_colours_of_earlier_games_give_a_preference_article_1_7(
    colours: str, preference: str, strength: int
) -> None:
    one = tuple(DutchEntry(2, colour, codes.DRAW, number) for number, colour in enumerate(colours, 1))
    two = tuple(DutchEntry(1, other(colour), codes.DRAW, number) for number, colour in enumerate(colours, 1))
    found = players_of(DutchEvent(9, (one, two), frozenset(), 2, 1, 0))
    assert [(each.preference, each.strength) for each in found] == [
        (preference, strength),
        (other(preference), strength),
    ]
