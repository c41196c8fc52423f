"""Seats that fall out of matches of many seats, of joint moves or of chance: places, faults and the others' play."""

import pytest
from rumble_engine import Termination
from rumble_server.match.facts import SeatFell
from rumble_server.match.transcript import TranscriptLine, transcript

from tests.server.match.driven import DrivenReferee
from tests.server.match.kinds import open_seats, play_out, seated


def test_the_others_play_on_when_a_seat_falls_out_and_it_is_last() -> None:
    driven = seated("four snakes")
    driven.move(1, "nonsense")
    assert driven.seats[1].last("rejected")["your_turn"] is False
    assert driven.seats[1].last("notice")["code"] == "seat_fell"
    assert driven.seats[1].last("notice")["seat"] == 1
    for seat in (0, 2, 3):
        assert driven.seats[seat].all("notice") == [], "told while they answer"
        driven.move(seat, "up")
    for seat in (0, 2, 3):
        assert driven.seats[seat].last("notice")["seat"] == 1
    assert driven.progress.moves[0] == "up - up up"
    play_out(driven)
    over = driven.seats[1].last("match_over")
    assert over["places"][1] == 4
    assert over["falls"] == [{"seat": 1, "ply": 0, "termination": "illegal_move"}]
    assert driven.over.at_fault == (1,)
    assert len(driven.seats[1].all("turn")) == 1


def test_seats_that_fall_in_one_joint_move_share_their_place() -> None:
    driven = seated("four snakes")
    driven.resign(0)
    driven.resign(3)
    driven.resign(0)
    for seat in (1, 2):
        driven.move(seat, "up")
    play_out(driven)
    assert driven.over.placement is not None
    assert driven.over.placement.places is not None
    assert driven.over.placement.places[0] == driven.over.placement.places[3] == 3
    assert [fact.seat for fact in driven.all_facts(SeatFell)] == [0, 3]
    assert driven.over.at_fault == ()


def test_a_seat_that_crashes_falls_out_by_its_fault_also_after_a_restart() -> None:
    driven = seated("four snakes")
    driven.resign(1, "KeyError: 'x' (mine.py, line 3, in ai)")
    assert driven.seats[0].last("turn")["ply"] == 0, "the others are not through with the ply"
    rebuilt = DrivenReferee.rebuilt(driven.facts, now_ms=driven.now_ms)
    for match in (driven, rebuilt):
        for seat in (0, 2, 3):
            match.resign(seat)
        assert match.over.at_fault == (1,)
        assert match.over.failures == ("", "KeyError: 'x' (mine.py, line 3, in ai)", "", "")
    assert driven.seats[0].last("match_over")["falls"][1] == {"seat": 1, "ply": 0, "termination": "crashed"}
    assert not [frame for inbox in driven.seats for frame in inbox.all("match_over") if "KeyError" in str(frame)]


def test_seats_whose_clocks_run_out_fall_and_the_rest_play_on() -> None:
    driven = seated("four snakes")
    driven.move(2, "up")
    driven.pass_ms(1_000)
    assert {fact.seat: fact.termination for fact in driven.all_facts(SeatFell)} == dict.fromkeys(
        (0, 1, 3), Termination.TIMEOUT
    )
    assert driven.over.scores == pytest.approx((1 / 3, 1 / 3, 1.0, 1 / 3))
    assert driven.over.winner == 2


@pytest.mark.parametrize("kind", ["two snakes", "dilemma", "noise"])
def test_of_two_seats_the_fallen_seat_loses_once_the_other_has_moved(kind: str) -> None:
    driven = seated(kind)
    driven.resign(0)
    assert driven.progress.over is None
    driven.move(1, driven.seats[1].last("turn")["legal"][0])
    assert driven.over.scores == (0.0, 1.0)
    assert (driven.over.termination, driven.over.reason) == (Termination.RESIGNATION, "ann resigned")


@pytest.mark.parametrize("kind", ["constrictors", "four snakes"])
def test_a_match_ends_whose_seats_have_all_fallen_out(kind: str) -> None:
    driven = seated(kind)
    *answered, last = range(len(driven.seats))
    for seat in answered:
        driven.move(seat, "up")
        driven.resign(seat)
    driven.resign(last)
    assert driven.over.scores == (0.5,) * len(driven.seats)


def test_a_fall_ends_a_match_of_two_seats_in_turn_at_once() -> None:
    driven = seated("backgammon")
    driven.resign(driven.progress.state.movers[0] ^ 1)
    assert driven.over.termination is Termination.RESIGNATION
    assert driven.over.scores in ((0.0, 1.0), (1.0, 0.0))


def test_a_snake_that_is_out_by_the_rules_may_leave() -> None:
    driven = seated("constrictors")
    while not driven.progress.state.finished:
        for seat in open_seats(driven):
            driven.move(seat, "up" if seat == 0 else ("left", "right")[len(driven.progress.moves) // 2 % 2])
    out = next(iter(driven.progress.state.finished))
    driven.resign(out)
    driven.disconnect(out)
    driven.pass_ms(0)
    assert driven.all_facts(SeatFell) == []
    assert [notice for inbox in driven.seats for notice in inbox.all("notice")] == []


def test_a_fallen_bot_is_never_away() -> None:
    driven = seated("four snakes")
    driven.resign(0)
    driven.disconnect(0)
    for _ in range(20):
        for seat in (1, 2, 3):
            if driven.progress.over is None and seat in open_seats(driven):
                driven.pass_ms(300)
                driven.move(seat, ("up", "left", "right")[seat - 1])
    assert [fact.seat for fact in driven.all_facts(SeatFell)] == [0]


def test_excused_time_before_a_fall_is_in_the_fact_and_in_the_sum_of_the_seat() -> None:
    driven = seated("four snakes", away_clock="runs")
    driven.stall(300)
    driven.resign(1)
    driven.stall(40)
    for seat in (0, 2, 3):
        driven.move(seat, "up")
    driven.stall(5)
    driven.abort("the host wants it")
    assert [fact.excused_ms for fact in driven.all_facts(SeatFell)] == [300]
    assert driven.over.seats_excused_ms == (345, 300, 345, 345)
    again = DrivenReferee.rebuilt(driven.facts[:-1], now_ms=driven.now_ms)
    assert [own.excused_sum_ms for own in again.progress.seats] == [340, 300, 340, 340]


def test_an_answer_that_is_too_late_with_all_lateness_excused_loses_only_its_own_seat() -> None:
    driven = seated("constrictors")
    for seat in (1, 2):
        driven.move(seat, driven.seats[seat].last("turn")["legal"][0])
    turn, now_ms = driven.seats[0].last("turn"), driven.now_ms + 1100
    assert not driven.referee.move(0, turn["turn_id"], turn["legal"][0], now_ms, "{}", lambda _: (0, False))
    assert (driven.progress.over, driven.progress.seats[0].is_out) == (None, True)
    assert driven.seats[0].last("rejected")["code"] == "not_your_turn"
    assert "{}" in [line.frame for line in transcript(driven.facts) if isinstance(line, TranscriptLine)]


def test_an_answer_that_is_too_late_costs_no_other_seat_its_answer_that_was_received_in_time() -> None:
    """Both answers are read after a stall of the loop: first an answer received 12 ms too late, then one in time."""
    driven = seated("dilemma")
    driven.now_ms += 1015

    def answer(seat: int, waited_ms: int) -> bool:
        turn = driven.seats[seat].last("turn")
        return driven.referee.move(
            seat, turn["turn_id"], turn["legal"][0], driven.now_ms, "{}", lambda _: (waited_ms, True)
        )

    assert (answer(0, 3), answer(1, 16)) == (False, True)
    assert (driven.over.termination, driven.over.at_fault) == (Termination.TIMEOUT, (0,))
