"""The audit's input from the facts of the log: pauses, absences, pairings that follow from results."""

from dataclasses import replace

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament.audit import Context
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.facts import (
    BotAbsent,
    BotJoined,
    ConfigChanged,
    LogFact,
    ResultVoided,
    RoundPaired,
    TournamentCreated,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from rumble_server.tournament.history import audit_facts, context_of
from rumble_server.tournament.pairs.plan import Pairing

from tests.server.tournament.leader import Leader

CREATED = TournamentCreated("t", TournamentConfig(name="T", game="tictactoe", absent_ms=120_000), 0)
NOBODY_AWAY = Context(("a", "b", "c"), started_ms=1_000, now_ms=100_000, is_finished=True)


def started(match: str, seats: tuple[str, str], at_ms: int) -> MatchStarted:
    control = TimeControl(move_ms=1000)
    return MatchStarted(match, 1, "tictactoe", {}, 0, seats, (), control, 0, 1000, at_ms, "stands", (0, 0))


def over(match: str, seats: tuple[str, str], at_ms: int) -> MatchOver:
    return MatchOver(match, 1, seats, (1.0, 0.0), Termination.NORMAL, "", (), ("0",), at_ms)


def field(*bots: str) -> list[LogFact]:
    return [CREATED, *(BotJoined("t", bot, 0) for bot in bots), TournamentStarted("t", bots, (), 1_000)]


def test_only_bots_with_room_wait_now() -> None:
    leader = Leader.started("a", "b", "c", legs=1)
    leader.due_ids()
    (running,) = leader.tournament.running.values()
    (free,) = {"a", "b", "c"} - set(running.seats)
    now = context_of(leader.tournament, leader.now_ms, {free: 5})
    assert {bot: len(waiting) for bot, waiting in now.to_play.items()} == {free: 2}


@pytest.mark.parametrize(
    ("kind", "seats", "company"),
    [("round-robin", True, True), ("gauntlet", True, False), ("knockout", False, False), ("swiss", False, False)],
)
def test_seats_and_company_are_judged_where_the_format_makes_them_even(kind: str, seats: bool, company: bool) -> None:
    leader = Leader.started("a", "b", "c", "d", format=kind, legs=1)
    before = context_of(leader.tournament, leader.now_ms)
    leader.play_out()
    after = context_of(leader.tournament, leader.now_ms)
    assert (before.has_even_seats, before.has_even_company) == (False, company)
    assert (after.has_even_seats, after.has_even_company) == (seats, company)


def test_pauses_and_absences_are_no_waiting() -> None:
    facts: list[LogFact] = [
        *field("a", "b", "c"),
        TournamentPaused("t", "", "host", 2_000),
        TournamentResumed("t", 12_000),
        BotAbsent("t", "b", 120_000 - 3_000, 16_000),
        started("t.1.1.1.1", ("a", "b"), 16_000),
        over("t.1.1.1.1", ("a", "b"), 17_000),
    ]
    bots = audit_facts(facts, NOBODY_AWAY).bots
    assert bots["a"].longest_wait_ms == 5_000, "not the pause"
    assert bots["b"].longest_wait_ms == 2_000, "nor its own absence"
    assert bots["a"].needless_wait_ms == 2_000


def test_nobody_waits_before_a_round_is_paired() -> None:
    facts: list[LogFact] = [
        *field("a", "b"),
        RoundPaired("t", (Pairing(1, 1, 1, 0, 1),), (), 9_000),
        started("t.1.1.1.1", ("a", "b"), 9_500),
        over("t.1.1.1.1", ("a", "b"), 10_000),
    ]
    assert audit_facts(facts, NOBODY_AWAY).bots["a"].longest_wait_ms == 500


def test_a_voided_result_does_not_count_and_its_replay_does() -> None:
    facts: list[LogFact] = [
        *field("a", "b"),
        started("t.1.1.1.1", ("a", "b"), 1_000),
        over("t.1.1.1.1", ("a", "b"), 2_000),
        ResultVoided("t.1.1.1.1", 1, 2_500),
    ]
    assert audit_facts(facts, NOBODY_AWAY).matches == 0


def test_a_match_that_is_played_again_is_waited_for_from_then_on() -> None:
    facts: list[LogFact] = [
        *field("a", "b"),
        started("t.1.1.1.1", ("a", "b"), 1_000),
        replace(over("t.1.1.1.1", ("a", "b"), 40_000), scores=None),
        replace(started("t.1.1.1.1", ("a", "b"), 40_200), attempt=2),
        replace(over("t.1.1.1.1", ("a", "b"), 41_000), attempt=2),
        ResultVoided("t.1.1.1.1", 2, 80_000),
        replace(started("t.1.1.1.1", ("a", "b"), 80_300), attempt=3),
        replace(over("t.1.1.1.1", ("a", "b"), 81_000), attempt=3),
    ]
    bots = audit_facts(facts, NOBODY_AWAY).bots
    assert bots["a"].longest_wait_ms == bots["b"].needless_wait_ms == 300


def test_a_no_show_without_a_beginning_is_taken_as_it_was() -> None:
    lost = MatchOver("t.1.1.1.1", 1, ("a", "b"), (1.0, 0.0), Termination.NO_SHOW, "", (1,), (), 3_000)
    bots = audit_facts([*field("a", "b"), lost], NOBODY_AWAY).bots
    assert bots["b"].faults == {"no_show": 1}
    assert bots["a"].longest_wait_ms == 0


def test_a_late_bot_waited_for_nobody_before() -> None:
    facts: list[LogFact] = [
        *field("a", "b"),
        BotJoined("t", "c", 8_000),
        started("t.1.4.1.1", ("c", "a"), 8_200),
        over("t.1.4.1.1", ("c", "a"), 9_000),
    ]
    assert audit_facts(facts, NOBODY_AWAY).bots["c"].longest_wait_ms == 200


def test_excused_time_and_drops_are_summed_by_bot_with_void_attempts() -> None:
    void = replace(
        over("t.1.1.1.1", ("a", "b"), 12_000), scores=None, seats_excused_ms=(9_000, 2_000), drops=(1, 0), stalled=True
    )
    again = replace(over("t.1.1.1.1", ("a", "b"), 13_000), attempt=2, seats_excused_ms=(500, 0), drops=(0, 2))
    facts: list[LogFact] = [
        *field("a", "b", "c"),
        void,
        again,
        ResultVoided("t.1.1.1.1", 2, 14_000),
        over("t.1.1.2.1", ("c", "a"), 15_000),
    ]
    bots = audit_facts(facts, NOBODY_AWAY).bots
    assert {name: (bot.excused_ms, bot.drops) for name, bot in bots.items()} == {
        "a": (9_500, 1),
        "b": (2_000, 2),
        "c": (0, 0),
    }


def test_a_budget_changed_in_the_lobby_is_the_one_that_is_used() -> None:
    longer = CREATED.config.model_copy(update={"absent_ms": 600_000})
    created, *joined, begun = field("a", "b")
    facts: list[LogFact] = [
        created,
        *joined,
        ConfigChanged("t", longer, 500),
        begun,
        BotAbsent("t", "b", 600_000 - 3_000, 6_000),
        ConfigChanged("t", longer.model_copy(update={"listed": False}), 7_000),
        BotAbsent("t", "b", 600_000 - 5_000, 11_000),
        started("t.1.1.1.1", ("a", "b"), 11_000),
        over("t.1.1.1.1", ("a", "b"), 12_000),
    ]
    assert audit_facts(facts, NOBODY_AWAY).bots["a"].needless_wait_ms == 5_000, "10 s, without the 5 s away"
