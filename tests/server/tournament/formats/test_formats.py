import pickle
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4swiss.engines import DutchEngine  # type: ignore[import-untyped,unused-ignore]
from py4swiss.trf import ParsedTrf, TrfParser  # type: ignore[import-untyped,unused-ignore]
from rumble_server.tournament.formats import FORMATS, Plan, Played, Round, Schedule, make_schedule, match_key
from rumble_server.tournament.formats.knockout import Knockout, bracket
from rumble_server.tournament.formats.swiss import Swiss
from rumble_server.tournament.pairing import Pairing

WIN, DRAW, LOSS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)


def all_rounds(schedule: Schedule) -> list[Round]:
    rounds = []
    while not schedule.finished:
        pulled = schedule.pull({})
        assert pulled is not None
        rounds.append(pulled)
    assert schedule.pull({}) is None
    return rounds


def seats(pairing: Pairing, legs: int) -> list[tuple[int, int]]:
    pair = (pairing.first, pairing.second)
    return [pair if leg % 2 else pair[::-1] for leg in range(1, legs + 1)]


def longest_run(marks: list[int]) -> int:
    longest = run = 0
    for before, mark in zip([None, *marks], marks, strict=False):
        run = run + 1 if mark == before else 1
        longest = max(longest, run)
    return longest


def play(schedule: Schedule, seed: int, draws: float = 0.2, restarts: bool = False) -> tuple[list[Round], Schedule]:
    """Play it to the end in an order of finishing by the seed; a match's result depends on its seats and id alone."""
    random = Random(seed)
    results: dict[str, Played] = {}
    waiting: list[tuple[str, tuple[int, int]]] = []
    pulled_rounds = []
    while True:
        while (pulled := schedule.pull(results)) is not None:
            pulled_rounds.append(pulled)
            for pairing in pulled.pairings:
                for leg, pair in enumerate(seats(pairing, schedule.plan.legs), 1):
                    waiting.append((match_key(pairing, leg), pair))
            if restarts:
                fresh = make_schedule(next(k for k, v in FORMATS.items() if v is type(schedule)), schedule.plan)
                for before in pulled_rounds:
                    fresh.restore(before)
                schedule = fresh
        if not waiting:
            assert schedule.finished
            return pulled_rounds, schedule
        key, pair = waiting.pop(random.randrange(len(waiting)))
        assert key not in results
        luck = Random(f"{pair}.{key}").random()
        results[key] = Played(DRAW if luck < draws else WIN if luck < (1 + draws) / 2 else LOSS)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 24), st.integers(1, 4), st.integers(1, 3))
def test_round_robin(bots: int, cycles: int, legs: int) -> None:
    plan = Plan(bots, cycles, legs)
    schedule = make_schedule("round-robin", plan)
    rounds = all_rounds(schedule)
    ids, met, first = [], Counter[frozenset[int]](), Counter[int]()
    for played in rounds:
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert sorted([*busy, *played.byes]) == list(range(bots))
        for pairing in played.pairings:
            for leg, (one, other) in enumerate(seats(pairing, legs), 1):
                ids.append(match_key(pairing, leg))
                met[frozenset((one, other))] += 1
                first[one] += 1
                first[other] -= 1
    assert len(set(ids)) == len(ids) == schedule.matches_total
    assert met == {frozenset(pair): cycles * legs for pair in combinations(range(bots), 2)}
    assert all(abs(first[bot]) <= 1 for bot in range(bots))


@pytest.mark.parametrize("bots", range(2, 40))
def test_at_most_two_in_a_row_with_one_leg_and_two_cycles(bots: int) -> None:
    marks: dict[int, list[int]] = {bot: [] for bot in range(bots)}
    order = []
    for played in all_rounds(make_schedule("round-robin", Plan(bots, cycles=2, legs=1))):
        order.append((played.pairings[0].cycle, played.pairings[0].round))
        for pairing in played.pairings:
            marks[pairing.first].append(0)
            marks[pairing.second].append(1)
    assert order == sorted(order)
    assert max(map(longest_run, marks.values())) <= 2


def test_berger_table_of_six() -> None:
    table = "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1"
    expected = [{tuple(map(int, pair.split("-"))) for pair in part.split()} for part in table.split("|")]
    found = [
        {(pairing.first + 1, pairing.second + 1) for pairing in played.pairings}
        for played in all_rounds(make_schedule("round-robin", Plan(6, legs=1)))
    ]
    assert found == expected
    swapped = all_rounds(make_schedule("round-robin", Plan(6, cycles=2, legs=1)))[:5]
    assert [{(p.first + 1, p.second + 1) for p in played.pairings} for played in swapped] == [
        *expected[:3],
        expected[4],
        expected[3],
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 20), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_gauntlet(bots: int, challengers: int, cycles: int, legs: int) -> None:
    challengers = min(challengers, bots - 1)
    schedule = make_schedule("gauntlet", Plan(bots, cycles, legs, challengers=challengers))
    met, first, ids = Counter[tuple[int, int]](), Counter[int](), []
    for played in all_rounds(schedule):
        busy = [bot for pairing in played.pairings for bot in (pairing.first, pairing.second)]
        assert len(set(busy)) == len(busy)
        for pairing in played.pairings:
            for leg, (one, other) in enumerate(seats(pairing, legs), 1):
                ids.append(match_key(pairing, leg))
                met[min(one, other), max(one, other)] += 1
                first[one] += 1
                first[other] -= 1
    wanted = {(one, other): cycles * legs for one in range(challengers) for other in range(challengers, bots)}
    assert met == wanted
    assert len(set(ids)) == len(ids) == schedule.matches_total
    assert all(abs(first[bot]) <= 1 for bot in range(bots))


def test_a_gauntlet_needs_somebody_on_both_sides() -> None:
    for challengers in (0, 4):
        with pytest.raises(ValueError, match="challengers"):
            make_schedule("gauntlet", Plan(4, challengers=challengers))


def test_bracket() -> None:
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 33), st.integers(1, 3), st.integers(0, 2), st.integers(0, 1000))
def test_knockout(bots: int, legs: int, replays: int, seed: int) -> None:
    plan = Plan(bots, legs=legs, replays=replays)
    rounds, schedule = play(Knockout(plan), seed)
    assert isinstance(schedule, Knockout)
    pairings = [pairing for played in rounds for pairing in played.pairings]
    assert len({(p.cycle, p.round, p.board) for p in pairings}) == len(pairings)
    assert len([p for p in pairings if p.cycle == 1]) == bots - 1
    assert max(p.cycle for p in pairings) <= 1 + replays
    losers = Counter[int]()
    for place, winner in schedule.winners.items():
        for bot in schedule._pair(*place):
            losers[bot] += bot != winner
    assert schedule.champion is not None
    assert losers == {bot: int(bot != schedule.champion) for bot in range(bots)}
    places = Counter(schedule.places({}).values())
    assert places[1] == places[2] == 1
    assert sum(places.values()) == bots
    byes = (1 << schedule.number_of_rounds) - bots
    first_round = {bot for p in pairings if p.round == 1 for bot in (p.first, p.second)}
    assert first_round == set(range(byes, bots))
    # Another order of finishing, and a restart after every pull, make no difference.
    other, again = play(Knockout(plan), seed + 1, restarts=True)
    assert {p for played in other for p in played.pairings} == set(pairings)
    assert isinstance(again, Knockout)
    assert again.winners == schedule.winners


@pytest.mark.parametrize("replays", [0, 1, 2])
def test_the_better_seed_goes_on_when_all_is_drawn(replays: int) -> None:
    rounds, schedule = play(Knockout(Plan(16, replays=replays)), 1, draws=1.0)
    assert isinstance(schedule, Knockout)
    assert schedule.champion == 0
    assert schedule.places({})[1] == 2
    assert Counter(p.cycle for played in rounds for p in played.pairings) == dict.fromkeys(range(1, replays + 2), 15)
    final = [p for played in rounds for p in played.pairings if p.round == 4]
    assert [(p.first, p.second) for p in final] == [(0, 1), (1, 0), (0, 1)][: replays + 1]


def test_a_knockout_pairing_is_open_as_soon_as_both_its_bots_are_known() -> None:
    schedule = Knockout(Plan(8, legs=1))
    pulled = schedule.pull({})
    assert pulled is not None
    assert [(p.board, p.first, p.second) for p in pulled.pairings] == [(1, 0, 7), (2, 3, 4), (3, 1, 6), (4, 2, 5)]
    assert schedule.pull({"1.1.1.1": Played(WIN)}) is None
    done = {"1.1.1.1": Played(WIN), "1.1.2.1": Played(LOSS)}
    # Bot 4 was second, bot 0 first: now the other way.
    assert schedule.pull(done) == Round((Pairing(1, 2, 1, 4, 0),))
    with pytest.raises(ValueError, match="not to be played yet"):
        Knockout(Plan(8)).restore(Round((Pairing(1, 3, 1, 0, 1),)))


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 17), st.integers(1, 2), st.integers(0, 1000), st.sampled_from([(1, 0.5, 0), (3, 1, 0)]))
def test_swiss(bots: int, legs: int, seed: int, points: tuple[float, float, float]) -> None:
    plan = Plan(bots, legs=legs, points=points)
    rounds, schedule = play(Swiss(plan), seed)
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
    assert schedule.byes_with_points() == dict.fromkeys(byes, legs)
    assert len(rounds) == schedule.number_of_rounds or schedule.stopped
    again, _ = play(Swiss(plan), seed + 1, restarts=True)
    assert again == rounds


def test_swiss_pairs_as_py4swiss_does_from_a_file(tmp_path: Path) -> None:
    """With one leg and 1, 1/2, 0 the task is an ordinary TRF: written out by hand and paired, it gives the same."""
    bots = 12
    schedule = Swiss(Plan(bots, legs=1, rounds=5))
    results: dict[str, Played] = {}
    history: list[list[str]] = [[] for _ in range(bots)]
    points = [0.0] * bots
    random = Random(4)
    for _ in range(5):
        lines = [
            f"001 {bot + 1:>4}      {'bot':<33} {'':4} {'':3} {'':11} {'':10} {points[bot]:>4} {bot + 1:>4}"
            + "".join(f"  {cell}" for cell in history[bot])
            for bot in range(bots)
        ]
        path = tmp_path / "swiss.trf"
        path.write_text("\n".join([*lines, "XXR 5", ""]))
        report = TrfParser.parse(path, strict=True)
        assert isinstance(report, ParsedTrf)
        expected = [(pair.white - 1, pair.black - 1) for pair in DutchEngine.generate_pairings(report)]
        pulled = schedule.pull(results)
        assert pulled is not None
        assert [(p.first, p.second) for p in pulled.pairings] == expected
        for pairing in pulled.pairings:
            scores = random.choice([WIN, DRAW, LOSS])
            results[match_key(pairing, 1)] = Played(scores)
            for seat, (bot, other) in enumerate([(pairing.first, pairing.second), (pairing.second, pairing.first)]):
                points[bot] += scores[seat]
                history[bot].append(f"{other + 1:>4} {'wb'[seat]} {'0=1'[int(scores[seat] * 2)]}")


def test_swiss_pairs_by_all_points_of_several_legs() -> None:
    """Two bots won both their matches, two won one and drew one: by rounds won they are alike, by points not."""
    schedule = Swiss(Plan(8, legs=2))
    first = schedule.pull({})
    assert first is not None
    results = {}
    clear: set[int] = set()
    narrow: set[int] = set()
    for pairing in first.pairings:
        results[match_key(pairing, 1)] = Played(WIN)
        results[match_key(pairing, 2)] = Played(LOSS if pairing.board in (1, 4) else DRAW)
        (clear if pairing.board in (1, 4) else narrow).add(pairing.first)
    second = schedule.pull(results)
    assert second is not None
    pairs = [{pairing.first, pairing.second} for pairing in second.pairings]
    assert pairs[:2] == [clear, narrow]


def test_what_the_pairing_engine_is_told() -> None:
    for legs in (1, 2):
        schedule = Swiss(Plan(5, legs=legs, points=(3, 1, 0)))
        first = schedule.pull({})
        assert first is not None
        one, other = first.pairings
        results = {match_key(one, leg): Played(WIN, forfeit=True) for leg in range(1, legs + 1)}
        results |= {match_key(other, leg): Played(DRAW, forfeit=False) for leg in range(1, legs + 1)}
        task = schedule.prepare(results)
        assert task is not None
        told = {bot: task.entries[bot][0] for bot in range(5)}
        if legs == 1:
            assert (told[one.first].result, told[one.second].result) == ("+", "-")
            assert (told[one.first].points, told[one.second].points) == (3, 0)
            assert {told[one.first].seat, told[one.second].seat} == {"w", "b"}
        else:
            assert {told[bot].seat for bot in range(5) if told[bot].opponent} == {"w"}
        assert (told[other.first].result, told[other.first].points) == ("=", legs)
        assert told[first.byes[0]].result == "U"
        assert told[first.byes[0]].points == 3 * legs
        assert (task.win, task.draw, task.loss) == (3 * legs, legs, 0)


def test_swiss_leaves_out_who_has_gone_and_lets_forfeits_meet_again() -> None:
    schedule = Swiss(Plan(6, legs=1, rounds=3))
    first = schedule.pull({})
    assert first is not None
    results = {match_key(p, 1): Played(WIN, forfeit=p.board == 1) for p in first.pairings}
    task = schedule.prepare(results, gone=[5])
    assert task is not None
    second = pickle.loads(pickle.dumps(task)).run()  # as it goes to another process
    assert second == schedule.pull(results, gone=[5])
    busy = [bot for pairing in second.pairings for bot in (pairing.first, pairing.second)]
    assert sorted([*busy, *second.byes]) == [0, 1, 2, 3, 4]
    results |= {match_key(p, 1): Played(DRAW) for p in second.pairings}
    assert schedule.prepare(results, gone=range(1, 6)) is None
    assert schedule.finished
    assert schedule.stopped == "fewer than two bots are left"


def test_a_swiss_ends_before_a_round_that_cannot_be_paired() -> None:
    schedule = Swiss(Plan(4, legs=2, rounds=9))
    assert schedule.number_of_rounds == 3
    rounds, schedule_played = play(schedule, 1)
    assert len(rounds) == 3
    schedule = Swiss(Plan(4, legs=2, rounds=3))
    pulled = schedule.pull({})
    assert pulled is not None
    results = {match_key(p, leg): Played(WIN) for p in pulled.pairings for leg in (1, 2)}
    away = [pulled.pairings[0].first, pulled.pairings[1].first]
    second = schedule.pull(results, gone=away)
    assert second is not None
    results |= {match_key(p, leg): Played(WIN) for p in second.pairings for leg in (1, 2)}
    assert schedule.pull(results, gone=away) is None
    assert schedule.finished
    assert "cannot be paired" in schedule.stopped
    assert isinstance(schedule_played, Swiss)
    assert not schedule_played.stopped


@pytest.mark.parametrize(("name", "bots"), [("round-robin", 1000), ("gauntlet", 1000), ("knockout", 1000)])
def test_a_thousand_bots_are_scheduled_lazily(name: str, bots: int) -> None:
    """The budget is 20 ms a pull; this only notices if it is missed by far."""
    schedule = make_schedule(name, Plan(bots, legs=1, challengers=10))
    results: dict[str, Played] = {}
    for _ in range(5):
        began = time.thread_time()
        pulled = schedule.pull(results)
        assert time.thread_time() - began < 0.2
        if pulled:
            results |= {match_key(pairing, 1): Played(WIN) for pairing in pulled.pairings}


def test_the_log_must_agree_with_a_fixed_schedule() -> None:
    played = make_schedule("round-robin", Plan(4)).pull({})
    assert played is not None
    make_schedule("round-robin", Plan(4)).restore(played)
    with pytest.raises(ValueError, match="another round"):
        make_schedule("round-robin", Plan(6)).restore(played)


def test_bad_plans() -> None:
    with pytest.raises(ValueError, match="unknown format 'ladder'"):
        make_schedule("ladder", Plan(4))
    for plan in (Plan(1), Plan(4, cycles=0), Plan(4, legs=0)):
        with pytest.raises(ValueError, match="needs two bots"):
            make_schedule("round-robin", plan)
    with pytest.raises(ValueError, match="one round"):
        make_schedule("swiss", Plan(4, rounds=0))
