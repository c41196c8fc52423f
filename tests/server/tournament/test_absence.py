"""Absence in a tournament's machine: gone bots, absent bots, and the time for which a match waits."""

import pytest
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import commands
from rumble_server.tournament.facts import BotBenched

from tests.server.tournament.leader import START_MS, Leader, no_shows

# --- who is gone ---


def test_when_both_are_gone_both_lose() -> None:
    leader = Leader.started("ann", "ben", legs=1)
    leader.record(commands.leave(leader.tournament, "ann", 0), commands.leave(leader.tournament, "ben", 0))
    (over,) = leader.due()
    assert isinstance(over, MatchOver)
    assert (over.scores, over.at_fault) == ((0.0, 0.0), (0, 1))
    assert over.reason == "ann has left the tournament and ben has left the tournament"
    assert [count.losses for count in leader.tournament.standings.tally.bots.values()] == [1, 1]


def test_a_match_against_a_bot_that_is_only_not_there_yet_waits() -> None:
    leader = Leader.started("ann", "ben", legs=1)
    leader.record(commands.leave(leader.tournament, "ann", 0))
    leader.go("ben")
    assert leader.due() == []
    leader.come("ben")
    assert no_shows(leader) == [("friday.1.1.1.1", (0.0, 1.0), (0,))]


# --- absence ---


def test_an_absent_bot_is_waited_for_until_its_budget_is_used_and_then_loses_one_by_one() -> None:
    leader = Leader.started("ann", "ben", "cid", legs=1, absent_ms=1000)
    leader.go("cid")
    leader.play_out()
    leader.pass_ms(999)
    assert leader.due() == []
    leader.pass_ms(1)
    lost = sorted(no_shows(leader))
    assert lost == [("friday.1.1.1.1", (1.0, 0.0), (1,)), ("friday.1.3.1.1", (0.0, 1.0), (0,))]
    assert leader.tournament.results["friday.1.1.1.1"].reason == "cid was not there when its match was due"
    assert leader.tournament.is_complete


def test_a_bot_that_comes_back_plays_on_with_the_rest_of_its_budget() -> None:
    leader = Leader.started("ann", "ben", absent_ms=1000)
    leader.go("ben")
    leader.pass_ms(700)
    leader.come("ben")
    assert leader.tournament.field["ben"].absent_left_ms == 300
    (started,) = leader.due()
    leader.finish(started.match)
    leader.go("ben")
    leader.pass_ms(299)
    assert leader.due() == []
    leader.pass_ms(1)
    assert len(no_shows(leader)) == 1


def test_a_bot_that_comes_back_without_budget_plays_as_long_as_it_stays() -> None:
    leader = Leader.started("ann", "ben", cycles=2, absent_ms=1000)
    leader.go("ben")
    leader.pass_ms(1000)
    leader.come("ben")
    (started,) = leader.due()
    assert isinstance(started, MatchStarted)
    leader.finish(started.match)
    leader.go("ben")
    assert len(no_shows(leader)) == 3


def test_coming_back_without_having_been_missed_is_no_fact() -> None:
    leader = Leader.started("ann", "ben")
    before = len(leader.facts)
    leader.go("ben")
    leader.come("ben")
    leader.come("nobody")
    leader.go("nobody")
    assert len(leader.facts) == before


def test_in_the_lobby_no_absent_budget_runs() -> None:
    leader = Leader("ann", "ben", absent_ms=1000)
    leader.go("ben")
    leader.pass_ms(50_000)
    leader.come("ben")
    assert leader.tournament.field["ben"].absent_left_ms == 1000
    leader.go("ben")
    leader.pass_ms(50_000)
    leader.start()
    leader.pass_ms(999)
    assert leader.due() == []
    leader.pass_ms(1)
    assert len(leader.due()) == 2


def test_while_paused_no_absent_budget_runs() -> None:
    leader = Leader.started("ann", "ben", absent_ms=1000)
    leader.go("ben")
    leader.pass_ms(400)
    leader.pause()
    leader.pass_ms(50_000)
    assert leader.tournament.wake_at_ms is None
    leader.resume()
    leader.pass_ms(599)
    assert leader.due() == []
    leader.pass_ms(1)
    assert len(leader.due()) == 2


def test_a_bot_back_during_a_pause_has_lost_only_budget_that_ran_before() -> None:
    leader = Leader.started("ann", "ben", absent_ms=1000)
    leader.go("ben")
    leader.pass_ms(400)
    leader.pause()
    leader.pass_ms(50_000)
    leader.come("ben")
    assert leader.tournament.field["ben"].absent_left_ms == 600


def test_no_absent_budget_runs_for_a_bot_without_a_match_left() -> None:
    leader = Leader.started("ann", "ben", "cid", legs=1, absent_ms=1000)
    leader.play_out()
    assert leader.tournament.is_complete
    leader.go("ann")
    assert leader.tournament.wake_at_ms is None
    leader.pass_ms(50_000)
    leader.come("ann")
    assert leader.tournament.field["ann"].absent_left_ms == 1000


@pytest.mark.parametrize("how", ["the host voids its last result", "its last match is aborted"])
def test_a_bot_with_a_match_to_play_again_is_waited_for_from_then_on(how: str) -> None:
    leader = Leader.started("ann", "ben", legs=1, absent_ms=1000)
    leader.due()
    leader.go("ann")
    leader.pass_ms(50_000)
    if how == "its last match is aborted":
        leader.finish("1.1.1.1", None)
    else:
        leader.finish("1.1.1.1")
        assert leader.tournament.is_complete
        leader.pass_ms(50_000)
        leader.record(commands.void(leader.tournament, "friday.1.1.1.1", leader.now_ms))
    leader.pass_ms(999)
    assert leader.due() == []
    leader.come("ann")
    assert leader.tournament.field["ann"].absent_left_ms == 1


def test_after_a_restart_absent_budgets_run_from_the_end_of_the_grace() -> None:
    leader = Leader.started("ann", "ben", absent_ms=1000)
    leader.tournament.mark_all_absent(START_MS + 30_000)
    leader.there.clear()
    assert leader.tournament.wake_at_ms == START_MS + 31_000
    leader.pass_ms(10_000)
    leader.come("ann")
    assert leader.tournament.field["ann"].absent_left_ms == 1000
    leader.pass_ms(21_000)
    assert len(no_shows(leader)) == 2


def test_no_budget_is_used_while_a_bot_is_benched() -> None:
    leader = Leader.started("ann", "ben", legs=1, absent_ms=1000)
    leader.record(BotBenched("friday", "ann", True, "", leader.now_ms))
    leader.go("ann", "ben")
    leader.pass_ms(5000)
    leader.record(commands.unbench(leader.tournament, "ann", leader.now_ms))
    leader.come("ben")
    assert leader.due() == []
    assert leader.tournament.wake_at_ms == leader.now_ms + 1000
