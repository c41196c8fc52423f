from dataclasses import replace

import pytest
from rumble_engine import Termination
from rumble_server.tournament.audit import Audit, Context
from rumble_server.tournament.pairs.audit import AuditedMatch, audit_pairs


def audited(
    first: str,
    second: str,
    start: int,
    end: int | None,
    moves: str = "",
    playable_ms: int = 0,
    place: int = 0,
    free_since_ms: tuple[int, int] = (0, 0),
) -> AuditedMatch:
    match = f"t.1.{place or start + 1}.1.1"
    return AuditedMatch(
        match, (first, second), start, end, moves=tuple(moves), playable_ms=playable_ms, free_since_ms=free_since_ms
    )


def kinds(found: Audit) -> set[tuple[str, str]]:
    return {(flag.kind, flag.bot) for flag in found.flags}


def test_counts_waits_and_repeats() -> None:
    matches = [
        audited("A", "B", 0, 100, "123"),
        audited("C", "D", 0, 300, "12"),
        audited("B", "A", 100, 200, "321"),
        audited("A", "C", 300, 400, "12"),
        audited("A", "B", 400, 500, "123"),
        AuditedMatch("t.x", ("B", "D"), 500, 500, Termination.NO_SHOW, (1,)),
    ]
    found = audit_pairs(matches, Context("ABCD", 0, 500, is_finished=True))
    assert found.bots["A"].matches == 4
    assert found.bots["A"].seats == [3, 1]
    assert found.bots["A"].longest_wait_ms == 100
    assert found.bots["A"].waited_for == "C"
    assert found.bots["B"].longest_wait_ms == 200
    assert found.bots["D"].faults == {"no_show": 1}
    assert (found.matches, found.distinct, found.repeated) == (6, 5, 1)
    assert found.is_fair
    assert kinds(audit_pairs(matches, Context("ABCD", 0, 500, is_finished=True, has_even_seats=True))) == {
        ("seats", "A"),
        ("seats", "D"),
    }
    assert found.as_json()["bots"]["D"]["faults"] == {"no_show": 1}


def test_two_idle_bots_that_could_have_met_are_flagged() -> None:
    matches = [audited("A", "B", 0, 100), audited("A", "B", 5000, 5100)]
    (flag,) = audit_pairs(matches, Context("AB", 0, 5100)).flags
    assert (flag.kind, flag.bot) == ("needless_wait", "A")
    assert "A and B were free for 4.9 s" in flag.message
    for excuse in (
        Context("AB", 0, 5100, paused=[(150, 4950)]),
        Context("AB", 0, 5100, away={"B": [(100, 3000), (2000, 4500)]}),
    ):
        assert audit_pairs(matches, excuse).is_fair
    partly = audit_pairs(matches, Context("AB", 0, 5100, paused=[(1000, 4900)]))
    assert partly.bots["A"].longest_wait_ms == partly.bots["A"].needless_wait_ms == 1000
    later = [matches[0], audited("A", "B", 5000, 5100, playable_ms=4990)]
    assert audit_pairs(later, Context("AB", 0, 5100)).is_fair


def test_time_in_another_tournament_and_before_a_login_is_no_waiting() -> None:
    later = audited("A", "B", 5000, 5100, free_since_ms=(4500, 4900))
    found = audit_pairs([audited("A", "B", 0, 100), later], Context("AB", 0, 5100))
    assert found.is_fair
    assert {name: bot.longest_wait_ms for name, bot in found.bots.items()} == {"A": 500, "B": 100}


def test_a_bot_that_is_passed_over_is_flagged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [audited("B", "CDEF"[number % 4], 1000 * number, 1000 * number + 1000) for number in range(1, 9)]
    matches = [audited("A", "B", 0, 1000), *others, audited("A", "B", 9000, 9001, place=2)]
    context = Context("ABCDEF", 0, 9001)
    found = audit_pairs(matches, context)
    assert found.bots["A"].passed_over == 8
    (flag,) = found.flags
    assert (flag.kind, flag.bot) == ("passed_over", "A")
    assert "waited 8.0 s for B, which began 8 later matches" in flag.message
    for name, bound in (("MOST_PASSED", 8), ("PATIENCE_MS", 8000)):
        with monkeypatch.context() as patch:
            patch.setattr(f"rumble_server.tournament.pairs.audit.{name}", bound)
            assert audit_pairs(matches, context).is_fair
    # In the schedule's order no bot is passed over: the other matches came first.
    in_order = [*matches[:-1], audited("A", "B", 9000, 9001)]
    assert audit_pairs(in_order, context).bots["A"].passed_over == 0
    # The same holds for a bot that was elsewhere.
    elsewhere = [*matches[:-1], audited("A", "B", 9000, 9001, place=2, free_since_ms=(8900, 0))]
    assert audit_pairs(elsewhere, context).bots["A"].passed_over == 0


def test_the_audit_tells_for_whom_each_bot_waits_now() -> None:
    matches = [audited("A", "B", 0, 100), audited("B", "C", 100, None)]
    rounds = {bot: (bot, (1, number, 1, 1)) for number, bot in enumerate("ACDEF", 1)}
    to_play = {"A": [rounds[bot] for bot in "CDEF"], "C": [("A", (1, 2, 1, 1))], "D": [("A", (1, 3, 1, 1))]}
    there = {"A": 50, "B": 50, "C": 50, "D": 300}
    now = Context("ABCDEF", 0, 900, to_play=to_play, free_since_ms=there, absent=frozenset("E"))
    found = audit_pairs(matches, now)
    assert found.bots["A"].waits_since_ms == 100
    assert found.bots["A"].waits_for == {"C": "playing", "D": "nothing", "E": "away", "F": "playing"}
    assert found.bots["A"].longest_wait_ms == 800
    assert found.bots["A"].needless_wait_ms == 600
    assert found.bots["B"].waits_since_ms is None
    assert found.bots["C"].waits_for == {}
    assert found.is_fair
    assert kinds(audit_pairs(matches, replace(now, now_ms=5000))) == {("needless_wait", "A")}


def test_a_bot_that_is_passed_over_now_is_flagged() -> None:
    begun = [audited("B", "CD"[number % 2], 1000 * number, 1000 * number + 1000) for number in range(5)]
    now = Context("ABCD", 0, 5000, to_play={"A": [("B", (1, 1, 1, 1))]}, free_since_ms={"A": 0, "C": 0})
    begun.append(audited("B", "C", 5000, None))
    assert kinds(audit_pairs(begun, now)) == {("passed_over", "A")}


def test_nothing_at_all() -> None:
    found = audit_pairs([], Context([], 0, 0))
    assert found.is_fair
    assert found.as_json() == {
        "fair": True,
        "matches": 0,
        "distinct": 0,
        "repeated": 0,
        "void": {},
        "flags": [],
        "bots": {},
    }
