"""Properties of every pairing, and the speed of pairing."""

import time
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.results.trf import codes
from rumble_server.tournament.pairs.dutch.event import DutchEntry, DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import CannotBePaired, PairedRound, pair_round
from rumble_server.tournament.pairs.dutch.player import ABSOLUTE, players_of

POINTS = {codes.WIN: 2, codes.DRAW: 1, codes.LOSS: 0, codes.FORFEIT_WIN: 2, codes.FORFEIT_LOSS: 0}
BYES = {codes.PAIRING_BYE: 2, codes.HALF_BYE: 1, codes.ABSENT: 0}


class Played:
    """An event, paired round by round and played at random."""

    def __init__(self, players: int, rounds: int, seed: int, *, hazards: bool) -> None:
        self.random = Random(seed)
        self.rounds = rounds
        self.hazards = hazards
        self.entries: list[list[DutchEntry]] = [[] for _ in range(players)]
        self.absent: dict[int, str] = {}

    def event(self) -> DutchEvent:
        if self.hazards:
            share = self.random.choice([0, 0, 0.1, 0.3])
            players = [index for index in range(len(self.entries)) if self.random.random() < share]
            self.absent = {index: self.random.choice([codes.HALF_BYE, codes.ABSENT]) for index in players}
        return DutchEvent(self.rounds, tuple(map(tuple, self.entries)), frozenset(self.absent), 2, 1, 0)

    def enter(self, paired: PairedRound) -> None:
        for white, black in paired.boards:
            results = [(codes.WIN, codes.LOSS), (codes.DRAW, codes.DRAW), (codes.LOSS, codes.WIN)]
            if self.hazards and self.random.random() < 0.1:
                results = [(codes.FORFEIT_WIN, codes.FORFEIT_LOSS), (codes.FORFEIT_LOSS, codes.FORFEIT_LOSS)]
            first, second = self.random.choice(results)
            self._enter(white, black + 1, codes.WHITE, first, POINTS[first])
            self._enter(black, white + 1, codes.BLACK, second, POINTS[second])
        alone = self.absent | ({} if paired.bye is None else {paired.bye: codes.PAIRING_BYE})
        for index, code in alone.items():
            self._enter(index, 0, codes.NO_SEAT, code, BYES[code])

    def _enter(self, index: int, opponent: int, seat: str, code: str, points: int) -> None:
        own = self.entries[index]
        own.append(DutchEntry(opponent, seat, code, points + (own[-1].points if own else 0)))


@given(st.integers(2, 24), st.integers(1, 8), st.integers(0, 10_000), st.booleans())
def test_whatever_happened_the_absolute_criteria_are_met(players: int, rounds: int, seed: int, hazards: bool) -> None:
    played = Played(players, rounds, seed, hazards=hazards)
    met = Counter[frozenset[int]]()
    byes = Counter[int]()
    for _ in range(rounds):
        event = played.event()
        try:
            paired = pair_round(event)
        except CannotBePaired:
            return
        seen = [*(player for board in paired.boards for player in board), *played.absent]
        assert sorted([*seen, *([] if paired.bye is None else [paired.bye])]) == list(range(players))
        known = {player.index: player for player in players_of(event)}
        for white, black in paired.boards:
            assert met[frozenset((white, black))] == 0
            one, two = known[white], known[black]
            if one.strength == two.strength == ABSOLUTE and not (one.is_topscorer or two.is_topscorer):
                assert {one.preference, two.preference} == {codes.WHITE, codes.BLACK}
                assert (one.preference, two.preference) == (codes.WHITE, codes.BLACK)
        assert paired.bye is None or byes[paired.bye] == 0
        byes.update([] if paired.bye is None else [paired.bye])
        played.enter(paired)
        for white, black in paired.boards:
            met[frozenset((white, black))] += played.entries[white][-1].was_played


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
    played = Played(301, 5, 1, hazards=False)
    slowest = 0.0
    for _ in range(5):
        event = played.event()
        began = time.process_time()
        paired = pair_round(event)
        slowest = max(slowest, time.process_time() - began)
        played.enter(paired)
    assert slowest < 2
