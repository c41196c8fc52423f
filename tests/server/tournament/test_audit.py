import heapq
from random import Random

import pytest
from rumble_engine import Termination
from rumble_server.tournament.audit import Audit, Context, MatchRecord, audit

from tests.server.tournament.rounds import round_robin


def record(
    first: str, second: str, start: int, end: int | None, moves: str = "", known_ms: int = 0, place: int = 0
) -> MatchRecord:
    match = f"t.1.{place or start + 1}.1.1"
    return MatchRecord(match, (first, second), start, end, moves=tuple(moves), known_ms=known_ms)


def kinds(found: Audit) -> set[tuple[str, str]]:
    return {(flag.kind, flag.bot) for flag in found.flags}


def test_counts_waits_and_repeats() -> None:
    records = [
        record("A", "B", 0, 100, "123"),
        record("C", "D", 0, 300, "12"),
        record("B", "A", 100, 200, "321"),
        record("A", "C", 300, 400, "12"),
        record("A", "B", 400, 500, "123"),
        MatchRecord("t.x", ("B", "D"), 500, 500, Termination.NO_SHOW, (1,)),
    ]
    found = audit(records, Context("ABCD", 0, 500, finished=True))
    assert found.bots["A"].matches == 4
    assert found.bots["A"].seats == [3, 1]
    assert found.bots["A"].longest_wait_ms == 100
    assert found.bots["A"].waited_for == "C"
    assert found.bots["B"].longest_wait_ms == 200
    assert found.bots["D"].faults == {"no_show": 1}
    assert (found.matches, found.distinct, found.repeated) == (6, 5, 1)
    assert kinds(found) == {("seats", "A"), ("seats", "D")}
    assert found.as_json()["bots"]["D"]["faults"] == {"no_show": 1}
    assert not found.is_fair


def test_two_idle_bots_that_could_have_met_are_flagged() -> None:
    records = [record("A", "B", 0, 100), record("A", "B", 5000, 5100)]
    assert kinds(audit(records, Context("AB", 0, 5100))) == {("needless_wait", "A"), ("needless_wait", "B")}
    for excuse in (
        Context("AB", 0, 5100, paused=[(150, 4950)]),
        Context("AB", 0, 5100, away={"B": [(100, 3000), (2000, 4500)]}),
    ):
        assert audit(records, excuse).is_fair
    partly = audit(records, Context("AB", 0, 5100, paused=[(1000, 4900)]))
    assert partly.bots["A"].longest_wait_ms == partly.bots["A"].needless_wait_ms == 1000
    later = [records[0], record("A", "B", 5000, 5100, known_ms=4990)]
    assert audit(later, Context("AB", 0, 5100)).is_fair


def test_a_bot_that_is_passed_over_is_flagged() -> None:
    others = [record("B", "CDEF"[number % 4], 10 * number, 10 * number + 10) for number in range(1, 9)]
    records = [record("A", "B", 0, 10), *others, record("A", "B", 90, 100, place=2)]
    context = Context("ABCDEF", 0, 100)
    found = audit(records, context)
    assert found.bots["A"].passed_over == 8
    assert ("passed_over", "A") in kinds(found)
    assert ("passed_over", "A") not in kinds(audit(records, context, patience=8))
    # In schedule order it is nobody's fault: the others came first.
    in_order = [record("A", "B", 0, 10), *others, record("A", "B", 90, 100)]
    assert audit(in_order, context).bots["A"].passed_over == 0


def test_who_waits_for_whom_now() -> None:
    records = [record("A", "B", 0, 100), record("B", "C", 100, None)]
    to_play = {"A": ["C", "D", "E"], "C": ["A"], "D": ["A"], "E": ["A"]}
    found = audit(records, Context("ABCDE", 0, 900, to_play=to_play, away={"E": [(0, 900)]}))
    assert found.bots["A"].waits_since_ms == 100
    assert found.bots["A"].waits_for == {"C": "playing", "D": "nothing", "E": "away"}
    assert found.bots["A"].longest_wait_ms == 800
    assert found.bots["A"].needless_wait_ms == 800
    assert found.bots["B"].waits_since_ms is None
    assert found.bots["E"].waits_for == {}
    assert found.is_fair
    assert ("needless_wait", "D") in kinds(audit(records, Context("ABCDE", 0, 5000, to_play=to_play)))


def test_a_bot_that_falls_behind_is_flagged() -> None:
    records = [record("A", "B", time, time + 1) for time in range(5)] + [record("C", "D", 0, 1), record("B", "A", 6, 7)]
    records += [record("E", "B", time, time + 1) for time in range(10, 14)]
    found = kinds(audit(records, Context("ABCDE", 0, 14, everyone_plays_alike=True)))
    assert {("behind", "C"), ("behind", "D")} <= found
    assert not {kind for kind, _ in kinds(audit(records, Context("ABCDE", 0, 14, everyone_plays_alike=False)))} & {
        "behind"
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_round_robin_without_barriers_is_fair(seed: int) -> None:
    """A model of the arena: a bot that becomes free begins its oldest match whose opponent is free too."""
    bots, random = 9, Random(seed)
    names = [f"b{number}" for number in range(bots)]
    left = {
        f"t.1.{pairing.round}.{pairing.board}.{leg}": pair
        for played in round_robin(bots, 1)
        for pairing in played
        for leg, pair in enumerate([(pairing.first, pairing.second), (pairing.second, pairing.first)], 1)
    }
    busy: set[int] = set()
    ends: list[tuple[int, int, int]] = []
    records: list[MatchRecord] = []
    now, looking = 0, list(range(bots))
    while left or ends:
        for bot in looking:
            match = next((match for match, pair in left.items() if bot in pair and not busy & set(pair)), None)
            if match is not None:
                one, other = left.pop(match)
                busy |= {one, other}
                end = now + random.randrange(1, 400) * (1 + one) * (1 + other)
                heapq.heappush(ends, (end, one, other))
                records.append(MatchRecord(match, (names[one], names[other]), now, end, moves=(match,)))
        now, *looking = heapq.heappop(ends)
        busy -= set(looking)
    found = audit(records, Context(names, 0, now, finished=True))
    assert found.flags == ()
    assert all(bot.needless_wait_ms == 0 for bot in found.bots.values())
    assert all(bot.seats == [8, 8] for bot in found.bots.values())
    assert found.distinct == 72


def test_nothing_at_all() -> None:
    found = audit([], Context([], 0, 0))
    assert found.is_fair
    assert found.as_json() == {"fair": True, "matches": 0, "distinct": 0, "repeated": 0, "flags": [], "bots": {}}
