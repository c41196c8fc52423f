"""Schedules, played round by round."""

from collections.abc import Collection, Iterator
from random import Random
from typing import Any

from rumble_server.match.match_id import MatchKey
from rumble_server.tournament.pairs.plan import Pairing, Plan, Round
from rumble_server.tournament.pairs.round_robin import RoundRobin
from rumble_server.tournament.pairs.schedule import PairScores, Results
from rumble_server.tournament.schedule import Schedule

WIN, DRAW, LOSS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)


def round_robin(bots: int, cycles: int) -> Iterator[list[Pairing]]:
    """Yield every round of a round-robin, in order."""
    for pulled in RoundRobin(Plan(bots, cycles)).rounds():
        yield list(pulled.pairings)


def pull(schedule: Schedule[Any, Any], results: Results, withdrawn: Collection[int] = ()) -> Round | None:
    """Pair the next round and add it; return None without a next round."""
    task = schedule.prepare(results, withdrawn)
    if task is None:
        return None
    paired = task()
    schedule.add(paired)
    return paired if paired.pairings or paired.half_byes else None


def all_rounds(schedule: Schedule[Any, Any]) -> list[Round]:
    rounds = []
    while not schedule.is_finished({}):
        pulled = pull(schedule, {})
        assert pulled is not None
        rounds.append(pulled)
    assert pull(schedule, {}) is None
    return rounds


def seats(pairing: Pairing, legs: int) -> list[tuple[int, int]]:
    pair = (pairing.first, pairing.second)
    return [pair if leg % 2 else pair[::-1] for leg in range(1, legs + 1)]


def play(
    schedule: Schedule[Any, Any], seed: int, draws: float = 0.2, restarts: bool = False
) -> tuple[list[Round], Schedule[Any, Any], Results]:
    """Play a schedule to the end, in an order of finishing by the seed; a result depends on seats and id alone."""
    random = Random(seed)
    results: dict[MatchKey, PairScores] = {}
    waiting: list[tuple[MatchKey, tuple[int, int]]] = []
    pulled_rounds = []
    while True:
        while (pulled := pull(schedule, results)) is not None:
            pulled_rounds.append(pulled)
            for pairing in pulled.pairings:
                for leg, pair in enumerate(seats(pairing, schedule.plan.legs), 1):
                    waiting.append((pairing.match_key(leg), pair))
            if restarts:
                fresh = type(schedule)(schedule.plan)  # type: ignore[call-arg]  # a schedule of pairs is made of its plan
                for before in pulled_rounds:
                    fresh.add(before)
                schedule = fresh
        if not waiting:
            assert schedule.is_finished(results)
            return pulled_rounds, schedule, results
        key, pair = waiting.pop(random.randrange(len(waiting)))
        assert key not in results
        luck = Random(f"{pair}.{'.'.join(map(str, key))}").random()
        results[key] = PairScores(DRAW if luck < draws else WIN if luck < (1 + draws) / 2 else LOSS)
