"""Time in which the server was late, and clocks that run while a bot is away."""

import pytest
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, MoveMade, SeatAway, SeatBack, StartTold

from tests.server.match.driven import BANK, DrivenReferee, disconnected, timed_out

# --- the server's own lateness ---


def test_time_in_which_the_server_was_late_is_not_thinking() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    driven.pass_ms(1200)
    driven.stall(4000)
    driven.play("4")
    (made,) = driven.all_facts(MoveMade)
    assert (made.bank_ms, made.excused_ms) == (500 - 200 + 100, 4000)
    driven.play("0")
    assert driven.all_facts(MoveMade)[1].excused_ms == 0


def test_lateness_before_a_turn_is_not_excused_in_the_turn() -> None:
    driven = DrivenReferee()
    driven.stall(4000)
    driven.connect(0)
    driven.connect(1)
    assert timed_out(driven, 1000) == (0,)


def test_a_verdict_waits_as_long_as_the_server_was_late() -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(500)
    driven.stall(4000)
    driven.pass_ms(499)
    assert timed_out(driven) is None
    driven.stall(300)
    assert timed_out(driven, 1) == (0,)
    assert driven.over.seats_excused_ms == (4300, 0)


@pytest.mark.parametrize(("is_dropped", "drops"), [(True, (1, 0)), (False, (0, 0))], ids=["dropped", "replaced"])
def test_a_turn_of_a_login_that_ends_after_a_stall_has_its_time_left(is_dropped: bool, drops: tuple[int, int]) -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(300)
    driven.stall(4000)
    if is_dropped:
        driven.disconnect(0)
    driven.connect(0)
    ended = driven.all_facts(SeatAway if is_dropped else StartTold)[-1]
    assert (ended.excused_ms, driven.turn["clock"]["remaining_ms"]) == (4000, 700)
    driven.play("4")
    assert driven.all_facts(MoveMade)[0].excused_ms == 0
    driven.abort("enough")
    assert (driven.over.seats_excused_ms, driven.over.drops) == ((4000, 0), drops)


@pytest.mark.parametrize(("seat", "excused_ms"), [(0, 4000), (1, 0)])
def test_the_resignation_of_a_seat_records_the_time_excused_on_its_own_turn(seat: int, excused_ms: int) -> None:
    driven = DrivenReferee.seated()
    driven.stall(4000)
    driven.resign(seat)
    assert driven.all_facts(FrameSeen)[-1].excused_ms == excused_ms


def test_the_remaining_time_after_a_refused_move_leaves_the_lateness_out() -> None:
    driven = DrivenReferee.seated(illegal_retries=1)
    driven.pass_ms(300)
    driven.stall(4000)
    driven.move(0, "no move")
    assert driven.seats[0].last("rejected")["remaining_ms"] == 700


def test_a_turn_that_waits_for_the_disk_is_excused_from_when_it_has_left() -> None:
    driven = DrivenReferee.seated()
    driven.progress.stop_clock(0, "1.1")
    driven.stall(4000)
    driven.progress.start_clock(0, "1.1", driven.now_ms)
    driven.stall(200)
    driven.play("4", after_ms=100)
    assert driven.all_facts(MoveMade)[0].excused_ms == 200


def test_a_move_that_is_read_just_before_its_verdict_counts_and_its_overtime_is_excused() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    driven.now_ms += 1507
    driven.move(0, "4")
    (made,) = driven.all_facts(MoveMade)
    assert (made.bank_ms, made.excused_ms) == (100, 7)


def test_lateness_excuses_a_bot_that_is_away_and_is_no_thinking_time() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(0)
    driven.stall(4000)
    driven.pass_ms(4999)
    assert disconnected(driven) is None
    driven.connect(0)
    assert driven.all_facts(SeatBack)[0].away_left_ms == 1
    assert driven.turn["ply"] == 0
    driven.abort("enough")
    assert driven.over.seats_excused_ms == (0, 0)


def voided(driven: DrivenReferee) -> bool:
    over = driven.progress.over
    return over is not None and over.scores is None and over.stalled


def test_beyond_its_bound_excused_time_makes_an_attempt_void_and_not_up_to_it() -> None:
    driven = DrivenReferee.seated()
    driven.stall(6000)
    driven.play("4")
    driven.stall(4000)
    driven.play("0")
    driven.stall(1)
    driven.play("8")
    assert voided(driven)
    assert driven.over.seats_excused_ms == (6001, 4000)
    assert driven.over.moves == ("4", "0", "8")
    assert driven.over.at_fault == ()
    assert "late by 10001 ms" in driven.over.reason


@pytest.mark.parametrize(("over_ms", "counts"), [(40, True), (41, False)])
def test_in_doubt_no_more_than_the_lateness_is_excused_and_no_attempt_is_void(over_ms: int, counts: bool) -> None:
    """Otherwise a bot about to lose would answer late, and send more data after its answer. 10 ms is the precision."""
    driven = DrivenReferee.seated()
    driven.late_ms += 30
    driven.now_ms += 1000 + over_ms
    driven.referee.move(0, driven.turn["turn_id"], "4", driven.now_ms, "{}", lambda _ago_ms: (0, False))
    if counts:
        assert driven.progress.moves == ["4"]
        assert driven.progress.over is None
    else:
        assert (driven.over.termination, driven.over.at_fault) == (Termination.TIMEOUT, (0,))


def test_an_open_turn_makes_no_attempt_void() -> None:
    """Otherwise a bot about to lose would have an accomplice make the server late."""
    driven = DrivenReferee.seated()
    driven.play("4", "0", "3", "1")
    driven.stall(10_001)
    driven.pass_ms(1000)
    assert driven.over.termination is Termination.TIMEOUT


def test_a_result_after_too_much_is_void() -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    driven.play("4", "0", "3", "1")
    driven.stall(10_001)
    driven.play("5")
    assert voided(driven)
    assert driven.progress.state.outcome is not None


@pytest.mark.parametrize("event", ["disconnect", "connect"])
def test_a_turn_that_is_suspended_after_too_much_makes_an_attempt_void(event: str) -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    driven.stall(10_001)
    getattr(driven, event)(0)
    assert voided(driven)
    assert driven.over.seats_excused_ms == (10_001, 0)


def test_an_abort_or_a_timeout_is_not_called_stalled() -> None:
    driven = DrivenReferee.seated()
    driven.stall(4000)
    driven.abort("the host wishes so")
    assert not voided(driven)


def test_excused_time_survives_a_restart_and_is_not_counted_twice() -> None:
    before = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    before.stall(6000)
    before.play("4")
    before.stall(9000)
    after = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000)
    after.stall(500)
    after.connect(0)
    after.connect(1)
    after.stall(4000)
    after.play("0")
    assert after.all_facts(MoveMade)[0].excused_ms == 4000
    after.stall(1)
    after.play("8")
    assert voided(after)
    assert after.over.seats_excused_ms == (6001, 4000)


def test_a_log_that_ends_between_too_much_and_the_verdict_is_void_after_a_restart() -> None:
    before = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    before.play("4", "0", "3", "1")
    before.stall(10_001)
    before.play("5")
    facts = [fact for fact in before.facts if fact is not before.over]
    assert voided(DrivenReferee.rebuilt(facts, now_ms=9_000_000))


# --- a clock that runs while its bot is away ---


def test_only_a_drop_on_the_bots_own_turn_is_counted() -> None:
    driven = DrivenReferee.seated()
    for seat in (0, 1, 0):
        driven.disconnect(seat)
        driven.connect(seat)
    driven.abort("enough")
    assert driven.over.drops == (2, 0)


def test_the_clock_runs_on_while_its_bot_is_away_if_the_tournament_says_so() -> None:
    driven = DrivenReferee.seated(time_control=BANK, away_clock="runs")
    driven.pass_ms(400)
    driven.disconnect(0)
    driven.pass_ms(800)
    driven.connect(0)
    assert driven.turn["clock"]["remaining_ms"] == 300
    driven.play("4", after_ms=100)
    assert driven.all_facts(MoveMade)[0].bank_ms == 500 - 300 + 100


def test_a_clock_that_runs_out_while_its_bot_is_away_loses_by_timeout() -> None:
    driven = DrivenReferee.seated(away_clock="runs")
    driven.pass_ms(400)
    driven.disconnect(0)
    assert timed_out(driven, 600) == (0,)
    assert driven.over.drops == (1, 0)


def test_the_clock_runs_for_a_bot_that_was_away_before_its_turn_came() -> None:
    driven = DrivenReferee.seated(away_clock="runs")
    driven.disconnect(1)
    driven.pass_ms(900)
    driven.play("4")
    driven.pass_ms(300)
    driven.connect(1)
    assert driven.turn["clock"]["remaining_ms"] == 700
    driven.disconnect(1)
    assert timed_out(driven, 700) == (1,)


def test_the_clock_runs_for_a_bot_that_goes_while_its_turn_waits_in_the_server() -> None:
    driven = DrivenReferee.seated(away_clock="runs")
    driven.progress.stop_clock(0, "1.1")
    driven.disconnect(0)
    assert timed_out(driven, 1000) == (0,)
    assert driven.over.drops == (0, 0)


def test_lateness_before_the_end_of_a_connection_with_stamps_is_thinking_also_for_a_clock_that_runs_on() -> None:
    driven = DrivenReferee.seated(away_clock="runs", is_stamped=True)
    driven.stall(700)
    driven.disconnect(0)
    driven.stall(4000)
    driven.connect(0, is_stamped=True)
    assert driven.turn["clock"]["remaining_ms"] == 300


@pytest.mark.parametrize("is_stamped", [False, True])
def test_the_clock_of_an_away_bot_does_not_run_while_the_server_is_late(is_stamped: bool) -> None:
    driven = DrivenReferee.seated(away_clock="runs", is_stamped=is_stamped)
    driven.pass_ms(400)
    driven.disconnect(0)
    driven.stall(4000)
    driven.pass_ms(200)
    driven.connect(0, is_stamped=is_stamped)
    assert driven.turn["clock"]["remaining_ms"] == 400
    driven.abort("enough")
    assert driven.over.seats_excused_ms == (4000, 0)


def test_the_clock_runs_after_a_restart_once_the_bots_had_time_to_come_back() -> None:
    before = DrivenReferee.seated(away_clock="runs")
    before.pass_ms(900)
    driven = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=30_000)
    driven.pass_ms(30_300)
    driven.connect(0)
    assert driven.turn["clock"]["remaining_ms"] == 700
    driven = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=30_000)
    driven.stall(200)
    driven.pass_ms(20_000)
    driven.connect(0)
    assert driven.turn["clock"]["remaining_ms"] == 1000
    assert driven.all_facts(StartTold)[-1].excused_ms == 0


def test_excused_time_of_a_clock_after_a_restart_survives_the_next_restart() -> None:
    before = DrivenReferee.seated(away_clock="runs")
    before.play("4")
    before.disconnect(0, 1)
    between = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=100)
    between.pass_ms(100)
    between.stall(300)
    between.connect(1)
    after = DrivenReferee.rebuilt(between.facts, now_ms=10_000_000)
    after.abort("enough")
    assert after.over.seats_excused_ms == (0, 300)


def test_the_start_tells_whether_the_clock_of_an_away_bot_runs() -> None:
    for given in ("stands", "runs"):
        assert DrivenReferee.seated(away_clock=given).seats[0].last("match_start")["away_clock"] == given
