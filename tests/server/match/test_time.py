"""The referee's rules of time: the thinking clock, the network's allowance, away budgets, and blame."""

import pytest
from rumble_protocol.fields import TimeControl
from rumble_server.match import public_view
from rumble_server.match.facts import MoveMade, SeatAway, SeatBack, TurnAsked

from tests.server.match.driven import BANK, START_MS, DrivenReferee, disconnected, timed_out

# --- the thinking clock ---


def test_the_clock_runs_out_at_its_last_millisecond_and_not_before() -> None:
    driven = DrivenReferee.seated()
    assert timed_out(driven, 1000) == (0,)
    assert driven.over.at_ms == START_MS + 1000
    assert driven.over.reason == "ann did not move within 1000 ms (ply 0)"
    assert driven.seats[1].last("match_over")["winner"] == 1


def test_each_move_has_its_move_time_anew() -> None:
    driven = DrivenReferee.seated()
    driven.play("4", "0", "8", after_ms=999)
    assert driven.turn["clock"] == {"remaining_ms": 1000, "seats_ms": [1000, 1000], "lag_ms": 0}
    assert timed_out(driven, 1000) == (1,)


def test_thinking_beyond_the_move_time_draws_on_the_bank_and_the_increment_is_added() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    clocks = []
    for move, thought_ms in [("4", 400), ("0", 1000), ("8", 1200), ("2", 1550), ("6", 1499)]:
        clocks.append(driven.turn["clock"]["seats_ms"])
        driven.play(move, after_ms=thought_ms)
    assert [made.bank_ms for made in driven.all_facts(MoveMade)] == [600, 600, 500, 150, 101]
    assert clocks == [[1500, 1500], [1600, 1500], [1600, 1600], [1500, 1600], [1500, 1150]]


def test_a_bank_alone_is_a_chess_clock() -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(bank_ms=2000, increment_ms=50))
    driven.play("4", "0", "8", "2", after_ms=600)
    assert driven.turn["clock"] == {"remaining_ms": 900, "seats_ms": [900, 900], "lag_ms": 0}
    assert timed_out(driven, 900) == (0,)


def test_the_clock_of_the_bot_that_waits_stands() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    driven.pass_ms(1400)
    assert driven.progress.times_left_ms(driven.now_ms) == (100, 1500)
    driven.move(0, "4")
    assert driven.progress.times_left_ms(driven.now_ms) == (1200, 1500)
    driven.pass_ms(1100)
    assert driven.progress.times_left_ms(driven.now_ms) == (1200, 400)


# --- the network's allowance ---


def test_the_networks_part_is_not_thinking() -> None:
    driven = DrivenReferee(time_control=BANK)
    driven.connect(0, lag_ms=150)
    driven.connect(1)
    assert driven.turn["clock"] == {"remaining_ms": 1500, "seats_ms": [1500, 1500], "lag_ms": 150}
    driven.play("4", after_ms=1250)
    assert driven.all_facts(MoveMade)[0].bank_ms == 500 - 100 + 100


def test_a_bot_has_its_remaining_time_and_the_networks_on_top() -> None:
    driven = DrivenReferee()
    driven.connect(0, lag_ms=150)
    assert timed_out(driven, 1150) == (0,)


@pytest.mark.parametrize("measured_ms", [200, 201, 90_000])
def test_a_slow_network_is_allowed_200_ms_at_most(measured_ms: int) -> None:
    driven = DrivenReferee()
    driven.connect(0, lag_ms=measured_ms)
    driven.connect(1)
    assert driven.turn["clock"]["lag_ms"] == 200
    driven.progress.seats[1].set_lag(measured_ms)
    driven.play("4")
    assert driven.turn["clock"]["lag_ms"] == 200


def test_a_measurement_counts_from_the_next_turn_on() -> None:
    driven = DrivenReferee.seated()
    driven.progress.seats[0].set_lag(80)
    assert timed_out(driven, 1000) == (0,)
    driven = DrivenReferee.seated()
    driven.progress.seats[0].set_lag(80)
    driven.play("4", "0")
    assert driven.turn["clock"]["lag_ms"] == 80


# --- frames that waited in the server ---


def test_the_clock_of_a_turn_that_waited_in_the_server_starts_when_it_is_sent() -> None:
    driven = DrivenReferee.seated()
    driven.progress.stop_clock(0, "1.1")
    driven.pass_ms(900)
    assert driven.progress.times_left_ms(driven.now_ms) == (1000, 1000)
    driven.progress.start_clock(0, "1.1", driven.now_ms)
    assert timed_out(driven, 1000) == (0,)


def test_another_frame_that_waited_changes_no_clock() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.pass_ms(900)
    driven.progress.start_clock(0, "1.1", driven.now_ms)
    driven.progress.start_clock(1, "no such turn", driven.now_ms)
    assert timed_out(driven, 100) == (1,)
    driven.progress.start_clock(0, "1.1", driven.now_ms)


def test_the_clock_of_a_turn_that_waits_in_the_server_does_not_run() -> None:
    driven = DrivenReferee.seated()
    driven.progress.stop_clock(0, "1.1")
    assert driven.progress.wake_at_ms is None
    driven.pass_ms(900_000)
    driven.disconnect(0)
    driven.connect(0)
    assert driven.turn["clock"]["remaining_ms"] == 1000


# --- away ---


def test_while_a_bot_is_away_its_clock_stands_and_comes_back_as_it_stood() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    driven.pass_ms(1100)
    driven.disconnect(0)
    driven.pass_ms(4999)
    assert driven.progress.over is None
    assert driven.progress.times_left_ms(driven.now_ms) == (400, 1500)
    driven.connect(0)
    assert driven.turn["clock"] == {"remaining_ms": 400, "seats_ms": [400, 1500], "lag_ms": 0}
    assert timed_out(driven, 400) == (0,)


def test_thinking_in_several_sittings_adds_up() -> None:
    driven = DrivenReferee.seated(time_control=BANK)
    for _ in range(3):
        driven.pass_ms(400)
        driven.disconnect(0)
        driven.connect(0)
    driven.play("4")
    assert driven.all_facts(MoveMade)[0].bank_ms == 500 - 200 + 100


def test_the_ply_after_a_ply_in_several_sittings_has_a_whole_clock() -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(900)
    driven.disconnect(0)
    driven.connect(0)
    driven.play("4")
    assert driven.turn["clock"]["remaining_ms"] == 1000


def test_one_away_budget_counts_for_the_whole_match_and_ends_it() -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    for move in ("4", "0", "8"):
        driven.disconnect(1)
        driven.pass_ms(1000)
        driven.connect(1)
        driven.play(move)
    assert [fact.away_left_ms for fact in driven.all_facts(SeatAway)] == [5000, 4000, 3000]
    assert [fact.away_left_ms for fact in driven.all_facts(SeatBack)] == [4000, 3000, 2000]
    driven.disconnect(1)
    assert disconnected(driven, 2000) == (1,)
    assert driven.over.reason == "ben was away for more than its 5000 ms"


def test_the_away_budget_does_not_run_while_a_bot_is_silent_but_connected() -> None:
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=60_000))
    driven.pass_ms(59_999)
    driven.disconnect(0)
    assert driven.all_facts(SeatAway)[0].away_left_ms == 5000


def test_the_opponent_is_told_who_is_away_and_for_how_long_at_most() -> None:
    driven = DrivenReferee.seated()
    driven.seats[0].heard()
    driven.disconnect(1)
    (notice,) = driven.seats[0].heard()
    assert (notice["type"], notice["code"], notice["match"]) == ("notice", "opponent_away", "friday.1.1.1.1")
    assert "ben" in notice["message"]
    assert "5000 ms" in notice["message"]


def test_the_bot_that_stays_goes_on_thinking_and_can_move() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(1)
    driven.pass_ms(500)
    driven.play("4")
    assert not public_view.is_ticking(driven.progress)
    assert driven.seats[1].all("turn") == []
    driven.connect(1)
    assert (driven.turn["ply"], driven.turn["clock"]["remaining_ms"]) == (1, 1000)


def test_a_thinking_bot_can_time_out_while_its_opponent_is_away() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(1)
    assert timed_out(driven, 1000) == (0,)


def test_a_bot_that_is_back_is_told_that_the_match_goes_on_and_asked_anew() -> None:
    driven = DrivenReferee.seated()
    driven.play("4", "0")
    old = driven.turn
    driven.disconnect(0)
    driven.seats[0].heard()
    driven.connect(0, lag_ms=30, omit=("legal",))
    start, turn = driven.seats[0].heard()
    assert (start["type"], start["resumed"], start["moves"]) == ("match_start", True, ["4", "0"])
    assert turn == {
        **{name: value for name, value in old.items() if name != "legal"},
        "turn_id": "1.4",
        "clock": {"remaining_ms": 1000, "seats_ms": [1000, 1000], "lag_ms": 30},
    }


def test_when_both_are_away_the_one_whose_budget_ends_first_loses() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(1)
    driven.pass_ms(100)
    driven.disconnect(0)
    assert disconnected(driven, 4900) == (1,)


def test_when_both_are_away_and_the_next_comes_back_the_match_goes_on() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.disconnect(0, 1)
    driven.pass_ms(4000)
    driven.connect(1)
    assert driven.turn["seat"] == 1
    driven.connect(0)
    driven.play("0", "8")
    assert driven.progress.moves == ["4", "0", "8"]


def test_disconnecting_twice_is_disconnecting_once() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(0)
    driven.pass_ms(3000)
    driven.disconnect(0)
    assert disconnected(driven, 2000) == (0,)
    assert len(driven.all_facts(SeatAway)) == 1


def test_a_replacement_without_a_gap_costs_nothing_but_gains_no_time_either() -> None:
    driven = DrivenReferee.seated()
    driven.pass_ms(600)
    driven.connect(0)
    assert driven.all_facts(SeatAway) == driven.all_facts(SeatBack) == []
    assert (driven.turn["turn_id"], driven.turn["clock"]["remaining_ms"]) == ("1.2", 400)
    assert timed_out(driven, 400) == (0,)


@pytest.mark.parametrize("is_dropped", [True, False])
def test_the_networks_part_is_subtracted_once_for_a_move_whose_bot_connects_again_and_again(is_dropped: bool) -> None:
    driven = DrivenReferee.seated(lag_ms=150)
    for _ in range(5):
        driven.pass_ms(150)
        if is_dropped:
            driven.disconnect(0)
        driven.connect(0, lag_ms=150)
    assert driven.turn["clock"] == {"remaining_ms": 250, "lag_ms": 150, "seats_ms": [250, 1000]}
    assert timed_out(driven, 250 + 150) == (0,)


def test_a_grace_subtracts_no_part_of_the_network_from_the_time_used_before() -> None:
    driven = DrivenReferee.seated(away_clock="runs", lag_ms=150)
    driven.pass_ms(400)
    driven.disconnect(0)
    driven.progress.give_grace(driven.now_ms, driven.now_ms + 1000)
    driven.connect(0)
    assert driven.turn["clock"]["remaining_ms"] == 600


def test_a_replacement_of_the_bot_that_waits_leaves_the_open_turn_alone() -> None:
    driven = DrivenReferee.seated()
    driven.connect(1)
    assert [fact.turn_id for fact in driven.all_facts(TurnAsked)] == ["1.1"]
    assert driven.seats[1].last("match_start")["resumed"] is True
    driven.play("4")
    assert driven.progress.moves == ["4"]


# --- lag that only pings measured ---


def test_lag_that_only_pings_measured_has_a_budget_for_the_match() -> None:
    driven = DrivenReferee()
    driven.connect(0, lag_ms=200, lag_by_pings=True)
    driven.connect(1, lag_ms=200)
    driven.play("4", "0", "8", "2", "6", "7", "1")
    allowed = [(asked.seat, asked.lag_ms) for asked in driven.all_facts(TurnAsked)]
    assert [lag_ms for seat, lag_ms in allowed if seat == 0] == [200, 200, 100, 0]
    assert [lag_ms for seat, lag_ms in allowed if seat == 1] == [200, 200, 200, 200]


def test_waking_a_referee_too_early_does_nothing() -> None:
    driven = DrivenReferee.seated()
    driven.referee.wake(START_MS + 999, START_MS + 999)
    assert driven.progress.over is None
    assert driven.progress.wake_at_ms == START_MS + 1000


# --- after a restart ---


def test_after_a_restart_no_away_time_runs_at_first() -> None:
    driven = DrivenReferee.rebuilt(DrivenReferee.seated().facts, now_ms=9_000_000, grace_ms=30_000)
    assert disconnected(driven, 35_000) == (0,)


def test_a_bot_back_within_the_grace_has_its_whole_budget() -> None:
    driven = DrivenReferee.rebuilt(DrivenReferee.seated().facts, now_ms=9_000_000, grace_ms=30_000)
    driven.pass_ms(29_000)
    driven.connect(0)
    assert driven.all_facts(SeatBack)[0].away_left_ms == 5000
    driven.disconnect(0)
    driven.pass_ms(1_000)
    driven.connect(0)
    assert driven.all_facts(SeatBack)[1].away_left_ms == 5000


def test_a_bot_back_after_the_grace_has_used_the_time_since_its_end() -> None:
    driven = DrivenReferee.rebuilt(DrivenReferee.seated().facts, now_ms=9_000_000, grace_ms=30_000)
    driven.pass_ms(31_000)
    driven.connect(1)
    assert driven.all_facts(SeatBack)[0].away_left_ms == 4000


def test_within_the_grace_no_clock_runs_of_a_bot_that_goes_away_again() -> None:
    """Whatever budget it has: not even one without any loses before it had time to come back."""
    before = DrivenReferee.seated(away_clock="runs", away_ms=0)
    driven = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=30_000)
    driven.connect(0)
    driven.pass_ms(400)
    driven.disconnect(0)
    driven.pass_ms(20_000)
    driven.connect(0)
    assert driven.seats[0].last("turn")["clock"]["remaining_ms"] == 600, "as it stood when the bot went"
    driven.pass_ms(100)
    driven.disconnect(0)
    assert disconnected(driven, 9_500) == (0,)


def test_a_clock_that_runs_on_does_so_from_the_end_of_the_grace() -> None:
    """The bot went away in the grace, or its opponent moved then."""
    before = DrivenReferee.seated(away_clock="runs")
    driven = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=30_000)
    driven.connect(0)
    driven.pass_ms(400)
    driven.disconnect(0)
    assert timed_out(driven, 30_200) == (0,)
    driven = DrivenReferee.rebuilt(before.facts, now_ms=9_000_000, grace_ms=30_000)
    driven.connect(0)
    driven.move(0, "4")
    assert timed_out(driven, 31_000) == (1,)


def test_in_a_grace_that_is_given_later_clocks_stand_and_used_time_stays_used() -> None:
    driven = DrivenReferee.seated(away_clock="runs", time_control=TimeControl(move_ms=4000))
    driven.disconnect(0, 1)
    driven.pass_ms(1000)
    driven.progress.give_grace(driven.now_ms, driven.now_ms + 30_000)
    driven.pass_ms(30_000)
    driven.connect(1)
    assert driven.all_facts(SeatBack)[0].away_left_ms == 4000
    assert timed_out(driven, 3000) == (0,)


def test_within_the_grace_no_drop_is_counted() -> None:
    driven = DrivenReferee.rebuilt(DrivenReferee.seated().facts, now_ms=9_000_000, grace_ms=30_000)
    driven.connect(0)
    driven.disconnect(0)
    driven.pass_ms(30_000)
    driven.connect(0)
    driven.disconnect(0)
    driven.abort("enough")
    assert driven.over.drops == (1, 0)
