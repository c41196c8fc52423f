import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.pairs.pairing_rules import PAIRING_RULES
from rumble_server.tournament.pairs.plan import Plan
from rumble_server.tournament.pairs.schedule import PairScores
from rumble_server.tournament.pairs.swiss import Swiss

from tests.server.tournament.rounds import DRAW, LOSS, WIN, play, pull


@given(
    st.integers(4, 17),
    st.integers(1, 2),
    st.integers(0, 1000),
    st.sampled_from([(1, 0.5, 0), (3, 1, 0)]),
    st.sampled_from(list(PAIRING_RULES)),
    st.sampled_from(["none", "baku"]),
)
def test_swiss(
    bots: int, legs: int, seed: int, points: tuple[float, float, float], rules: str, acceleration: str
) -> None:
    plan = Plan(bots, legs=legs, points=points, pairing_rules=rules, acceleration=acceleration)
    rounds, schedule, results = play(Swiss(plan), seed)
    assert isinstance(schedule, Swiss)
    met = Counter[frozenset[int]]()
    byes = Counter[int]()
    for number, played in enumerate(rounds, 1):
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert sorted([*busy, *played.byes]) == list(range(bots))
        assert [(p.cycle, p.round, p.board) for p in played.pairings] == [(1, number, b + 1) for b in range(bots // 2)]
        met.update(frozenset((p.first, p.second)) for p in played.pairings)
        byes.update(played.byes)
    assert max(met.values()) == 1
    assert max(byes.values(), default=0) <= 1
    assert len(rounds) == schedule.number_of_rounds or schedule.stop_reason(results)
    again, _, _ = play(Swiss(plan), seed + 1, restarts=True)
    assert again == rounds


@pytest.mark.parametrize("rules", PAIRING_RULES)
def test_swiss_pairs_by_all_points_of_several_legs(rules: str) -> None:
    """Two bots won both matches of a round, two won one and drew one: each won the round, but the points differ."""
    schedule = Swiss(Plan(8, legs=2, pairing_rules=rules))
    first = pull(schedule, {})
    assert first is not None
    results = {}
    clear: set[int] = set()
    narrow: set[int] = set()
    for pairing in first.pairings:
        results[pairing.match_key(1)] = PairScores(WIN)
        results[pairing.match_key(2)] = PairScores(LOSS if pairing.board in (1, 4) else DRAW)
        (clear if pairing.board in (1, 4) else narrow).add(pairing.first)
    second = pull(schedule, results)
    assert second is not None
    pairs = [{pairing.first, pairing.second} for pairing in second.pairings]
    assert pairs[:2] == [clear, narrow]


def test_the_pairing_engine_is_told_results_points_and_colours() -> None:
    for legs in (1, 2):
        schedule = Swiss(Plan(5, legs=legs, points=(3, 1, 0)))
        first = pull(schedule, {})
        assert first is not None
        one, other = first.pairings
        results = {one.match_key(leg): PairScores(WIN, is_forfeit=True) for leg in range(1, legs + 1)}
        results |= {other.match_key(leg): PairScores(DRAW, is_forfeit=False) for leg in range(1, legs + 1)}
        task = schedule.prepare(results)
        assert task is not None
        told = {bot: task.event.entries[bot][0] for bot in range(5)}
        if legs == 1:
            assert (told[one.first].result, told[one.second].result) == ("+", "-")
            assert (told[one.first].points, told[one.second].points) == (3, 0)
            assert {told[one.first].seat, told[one.second].seat} == {"w", "b"}
        else:
            assert {told[bot].seat for bot in range(5) if told[bot].opponent} == {"w"}
        assert (told[other.first].result, told[other.first].points) == ("=", legs)
        assert told[first.byes[0]].result == "U"
        assert told[first.byes[0]].points == 3 * legs
        assert (task.event.win, task.event.draw, task.event.loss) == (3 * legs, legs, 0)


def test_swiss_leaves_out_bots_that_left_and_pairs_forfeited_pairs_again() -> None:
    schedule = Swiss(Plan(6, legs=1, rounds=3))
    first = pull(schedule, {})
    assert first is not None
    results = {p.match_key(1): PairScores(WIN, is_forfeit=p.board == 1) for p in first.pairings}
    task = schedule.prepare(results, withdrawn=[5])
    assert task is not None
    second = pickle.loads(pickle.dumps(task))()  # a task is pickled on the way to another process
    assert second == pull(schedule, results, withdrawn=[5])
    busy = [bot for pairing in second.pairings for bot in (pairing.first, pairing.second)]
    assert sorted([*busy, *second.byes]) == [0, 1, 2, 3, 4]
    results |= {p.match_key(1): PairScores(DRAW) for p in second.pairings}
    assert schedule.prepare(results, withdrawn=range(1, 6)) is None
    assert schedule.is_finished(results, withdrawn=range(1, 6))
    assert schedule.stop_reason(results, withdrawn=range(1, 6)) == "fewer than two bots are left"


def test_a_swiss_ends_before_a_round_that_cannot_be_paired() -> None:
    schedule = Swiss(Plan(4, legs=2, rounds=9))
    assert schedule.number_of_rounds == 3
    rounds, schedule_played, results_played = play(schedule, 1)
    assert len(rounds) == 3
    schedule = Swiss(Plan(4, legs=2, rounds=3))
    pulled = pull(schedule, {})
    assert pulled is not None
    results = {p.match_key(leg): PairScores(WIN) for p in pulled.pairings for leg in (1, 2)}
    away = [pulled.pairings[0].first, pulled.pairings[1].first]
    second = pull(schedule, results, withdrawn=away)
    assert second is not None
    results |= {p.match_key(leg): PairScores(WIN) for p in second.pairings for leg in (1, 2)}
    assert pull(schedule, results, withdrawn=away) is None
    assert schedule.is_finished(results, withdrawn=away)
    assert "cannot be paired" in schedule.stop_reason(results, withdrawn=away)
    assert isinstance(schedule_played, Swiss)
    assert not schedule_played.stop_reason(results_played)


def test_a_half_point_bye_leaves_a_bot_out_of_its_round_with_the_points_of_a_draw() -> None:
    schedule = Swiss(Plan(6, legs=2, rounds=3))
    schedule.half_byes = {1: {4}, 2: {0, 5}}
    first = pull(schedule, {})
    assert first is not None
    assert (first.half_byes, len(first.byes)) == ((4,), 1)
    results = {pairing.match_key(leg): PairScores(WIN) for pairing in first.pairings for leg in (1, 2)}
    task = schedule.prepare(results, withdrawn=[5])
    assert task is not None
    assert [entry.result for entry in task.event.entries[4]] == ["H"]
    assert task.event.points(4, 1) == task.event.draw
    assert task.event.absent == {0, 5}
    second = task()
    assert second.half_byes == (0,)
    assert 0 not in [bot for pairing in second.pairings for bot in (pairing.first, pairing.second)]


def test_half_point_byes_that_leave_nobody_to_pair_are_all_that_the_round_has() -> None:
    schedule = Swiss(Plan(3, legs=1, rounds=3))
    schedule.half_byes = {1: {0, 1}, 2: {0, 1, 2}}
    rounds = [pull(schedule, {}) for _ in range(2)]
    assert [(each.pairings, each.byes, each.half_byes) for each in rounds if each is not None] == [
        ((), (2,), (0, 1)),
        ((), (), (0, 1, 2)),
    ]
    assert not schedule.stop_reason({})
    last = pull(schedule, {})
    assert last is not None
    assert len(last.pairings) == 1
    assert 2 not in last.byes, "nobody has two byes that count as won"


def test_half_point_byes_that_leave_two_bots_that_have_met_do_not_end_a_swiss() -> None:
    schedule = Swiss(Plan(4, legs=2, rounds=3))
    first = pull(schedule, {})
    assert first is not None
    met, others = ({pairing.first, pairing.second} for pairing in first.pairings)
    schedule.half_byes = {2: others}
    results = {pairing.match_key(leg): PairScores(WIN) for pairing in first.pairings for leg in (1, 2)}
    second = pull(schedule, results)
    assert second is not None
    assert (second.pairings, second.byes, second.half_byes) == ((), (), tuple(sorted(others)))
    third = pull(schedule, results)
    assert third is not None
    assert all({pairing.first, pairing.second} != met for pairing in third.pairings)
