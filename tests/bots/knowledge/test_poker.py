"""Rules of thumb for poker: the strength of hands, equities, and moves by the odds."""

from itertools import pairwise
from random import Random

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")
from rumble_bots.knowledge import KNOWLEDGE
from rumble_bots.knowledge.poker import best, equity, judge, strength, tries
from rumble_bots.reference.battle import battle
from rumble_engine.games.poker import GAME
from rumble_engine.games.poker.cards import DECK, PLACES, split
from rumble_engine.games.poker.state import PokerState


def places(cards: str) -> list[int]:
    return [PLACES[card] for card in split(cards)]


def state(*plies: str) -> PokerState:
    made = GAME.initial()
    for ply in plies:
        made = made.play(ply)
    return made


def test_hands_from_the_lowest_to_the_highest() -> None:
    hands = [
        "AsKdJh9c7s5d3h", "2s2dKh9c7s5d4h", "AsAdKh9c7s5d3h", "3s3d2h2cAs9d7h", "2s2d2hAcKs9d7h", "Ah2s3d4c5h9dKd",
        "6h2s3d4c5h9dKd", "2h4h6h8h9hAsAd", "2h2s2d3c3hAsKd", "2h2s2d2cAhAsAd", "Ah2h3h4h5hAsAd", "AhKhQhJhTh9h8h",
    ]  # fmt: skip
    strengths = [strength(places(hand)) for hand in hands]
    assert strengths == sorted(set(strengths))


def test_strengths_are_those_of_pokerkit() -> None:
    pokerkit = pytest.importorskip("pokerkit", reason="needs pokerkit, of the extra dev")
    random, known = Random(1), []
    for _ in range(200):
        cards = random.sample(range(52), 7)
        text = "".join([DECK[place] for place in cards])
        known.append((strength(cards), pokerkit.StandardHighHand.from_game(text[:4], text[4:])))
    for (own, other), (next_own, next_other) in pairwise(known):
        assert (own > next_own, own == next_own) == (other > next_other, other == next_other)


def test_equities() -> None:
    assert 0.8 < equity("AsAh", "", 1) < 0.9
    assert 0.4 < equity("AsAh", "", 5) < 0.6
    assert equity("AsAh", "AdAcKs2h3d", 1) == 1
    assert equity("2s2h", "AsKsQsJsTs", 1) == 0.5


def test_moves_by_the_odds() -> None:
    bad, good = "7h2c", "AsAd"
    assert best(state(f"{good} {bad}"), 0) == [300]
    assert best(state(f"{bad} {good}"), 0) == [0 if equity(bad, "", 1) < 0.26 else 1]
    assert best(state(f"{good} {bad}", "r20000"), 1) == [0]
    assert best(state(f"{bad} {good}", "r20000"), 1) == [1]
    assert best(state(f"{good} {bad}", "c"), 1) == [1]
    assert best(state(f"{good} {bad}"), 0) == best(state(f"{good} KhKc"), 0)


def test_a_search_tries_few_raises() -> None:
    assert list(tries(state("AsAd 7h2c"), 0)) == [300, 0, 1, 200, 20000]
    assert list(tries(state("AsAd 7h2c", "r20000"), 1)) == [0, 1]


def test_the_better_cards_have_the_better_score() -> None:
    first, second = judge(state("AsAd 7h2c", "r300", "c"))
    assert 0 < second < 0.5 < first < 1
    assert first + second == pytest.approx(1)
    assert KNOWLEDGE[PokerState].best is best


@pytest.mark.long
def test_the_heuristic_wins_more_often_than_random() -> None:
    result = battle("heuristic", "random", GAME, 12, settings={"betting": "limit", "hands": 20})
    assert result.wins > result.losses
