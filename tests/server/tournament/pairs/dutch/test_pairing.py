"""Pairs that may meet or not, and the speed of pairing; test_from_trf.py compares the pairing of whole events."""

import time
from random import Random

import pytest
from rumble_server.match.match_id import MatchKey
from rumble_server.results.trf import codes
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import CannotBePaired, pair_round
from rumble_server.tournament.pairs.plan import Plan
from rumble_server.tournament.pairs.schedule import PairScores
from rumble_server.tournament.pairs.swiss import Swiss

from tests.server.tournament.rounds import DRAW, LOSS, WIN


def test_a_forfeited_pairing_may_be_played_again() -> None:
    forfeit = (DutchEntry(2, codes.WHITE, codes.FORFEIT_WIN, 2),), (DutchEntry(1, codes.BLACK, codes.FORFEIT_LOSS, 0),)
    assert pair_round(DutchEvent(2, forfeit, frozenset(), 2, 1, 0)).boards == ((0, 1),)
    played = (DutchEntry(2, codes.WHITE, codes.WIN, 2),), (DutchEntry(1, codes.BLACK, codes.LOSS, 0),)
    with pytest.raises(CannotBePaired):
        pair_round(DutchEvent(2, played, frozenset(), 2, 1, 0))


def test_forbidden_pairs_do_not_meet() -> None:
    event = DutchEvent(3, ((), (), (), ()), frozenset(), 2, 1, 0, forbidden=frozenset({(0, 2)}))
    assert set(map(frozenset, pair_round(event).boards)) == {frozenset((0, 3)), frozenset((1, 2))}


@pytest.mark.slow
def test_three_hundred_players_are_paired_in_two_seconds_a_round() -> None:
    schedule, random, slowest = Swiss(Plan(301, legs=1, rounds=5)), Random(1), 0.0
    results: dict[MatchKey, PairScores] = {}
    for _ in range(5):
        task = schedule.prepare(results)
        assert task is not None
        began = time.process_time()
        paired = task()
        slowest = max(slowest, time.process_time() - began)
        schedule.add(paired)
        results |= {each.match_key(1): PairScores(random.choice([WIN, DRAW, LOSS])) for each in paired.pairings}
    assert slowest < 2
