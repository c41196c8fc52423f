"""Matches of many seats, of joint moves and of chance: order, falls, draws, restarts, and what each bot hears."""

import json
import sys
import tracemalloc
from collections.abc import Sequence
from hashlib import sha256
from hmac import digest
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_engine.outcome import scores_of
from rumble_protocol.server_messages import MatchOver as MatchOverMessage
from rumble_server.match.facts import ChanceDrawn, MatchFact, MatchStarted, MoveMade, SeatFell
from rumble_server.match.transcript import TranscriptLine, public_facts, transcript

from tests.server.match.driven import BANK, START_MS, Connected, DrivenReferee

SEED = "5e" * 32
KINDS: dict[str, dict[str, Any]] = {
    "four snakes": {"game": "snakes", "seats": ("ann", "ben", "cid", "dot"), "settings": {"turns": 30}},
    "two snakes": {"game": "snakes", "seats": ("ann", "ben"), "settings": {"turns": 12}},
    "constrictors": {"game": "snakes", "seats": ("ann", "ben", "cid"), "settings": {"rules": "constrictor"}},
    "dilemma": {"game": "dilemma", "seats": ("ann", "ben"), "settings": {"rounds": 6}},
    "noise": {"game": "dilemma", "seats": ("ann", "ben"), "settings": {"rounds": 6, "noise": 30}},
    "backgammon": {"game": "backgammon", "seats": ("ann", "ben"), "settings": {}},
}
each = pytest.mark.parametrize("kind", KINDS)


def seated(kind: str, **given: Any) -> DrivenReferee:
    return DrivenReferee.seated(chance_seed=SEED, **{**KINDS[kind], **given})


def open_seats(driven: DrivenReferee) -> list[int]:
    return [seat for seat, own in enumerate(driven.progress.seats) if own.turn is not None]


def play_out(driven: DrivenReferee, choose: int = 0) -> None:
    """Have every asked bot make its legal move number `choose`, or its last, until the match is over."""
    while driven.progress.over is None:
        seat = open_seats(driven)[-1]
        legal = driven.seats[seat].last("turn")["legal"]
        driven.move(seat, legal[min(choose, len(legal) - 1)])


@each
def test_each_mover_is_asked_at_once_and_hears_nothing_before_all_are_in(kind: str) -> None:
    driven = seated(kind)
    for _ in range(4):
        movers = driven.progress.state.movers
        assert open_seats(driven) == list(movers)
        heard = [len(inbox.frames) for inbox in driven.seats]
        for seat in movers[:-1]:
            driven.move(seat, driven.seats[seat].last("turn")["legal"][0])
            assert [len(inbox.frames) for inbox in driven.seats] == heard
        driven.move(movers[-1], driven.seats[movers[-1]].last("turn")["legal"][0])


def test_the_order_of_the_answers_does_not_matter() -> None:
    one, other = seated("four snakes"), seated("four snakes")
    for seat in (0, 1, 2, 3):
        one.move(seat, ("up", "left", "down", "right")[seat])
    for seat in (3, 1, 0, 2):
        other.move(seat, ("up", "left", "down", "right")[seat])
    assert one.progress.state == other.progress.state
    assert one.progress.moves == other.progress.moves
    assert one.progress.moves[0] == "up left down right"


@each
def test_a_turn_tells_what_has_happened_since_the_bots_last_turn_and_no_moves(kind: str) -> None:
    driven = seated(kind)
    play_out(driven)
    turns = [(frame["ply"], frame["since"]) for frame in driven.seats[0].all("turn")]
    for (before, _), (ply, since) in pairwise(turns):
        parts = driven.progress.moves[before:ply]
        words = [(word, part) for part in parts for word in (part.split(" ") if kind != "backgammon" else [part])]
        assert [text for _, text in since] == [word for word, part in words if word != "-" or part == "-"]
    assert {tuple(frame["moves"]) for frame in driven.seats[0].all("turn")} == {()}
    assert driven.seats[0].last("match_over")["moves"] == driven.progress.moves


@each
def test_anybody_can_check_that_the_chances_follow_from_the_seed(kind: str) -> None:
    driven = seated(kind)
    play_out(driven)
    over = driven.seats[0].last("match_over")
    start = driven.seats[0].all("match_start")[0]
    said = f"{start['match']} {start['attempt']}".encode()
    assert start["seed_commitment"] == sha256(bytes.fromhex(over["seed"]) + said).hexdigest()
    state = driven.facts[0].first_state() if isinstance(driven.facts[0], MatchStarted) else None
    assert state is not None
    draws = 0
    for text in over["moves"]:
        if state.is_chance:
            number = digest(bytes.fromhex(over["seed"]), said + f" {draws}".encode(), "sha256")
            assert state.text_of(state.draw(int.from_bytes(number))) == text
            draws += 1
        state = state.play(text)
    assert draws == len(driven.all_facts(ChanceDrawn))
    assert bool(draws) is (kind not in ("dilemma", "constrictors"))
    assert state.outcome is not None


@each
def test_the_end_tells_the_place_of_each_seat(kind: str) -> None:
    driven = seated(kind)
    play_out(driven)
    over = driven.seats[0].last("match_over")
    assert tuple(over["scores"]) == scores_of(over["places"])


def test_the_seed_is_in_no_frame_before_the_end() -> None:
    driven = seated("backgammon")
    play_out(driven)
    for inbox in driven.seats:
        *before, over = inbox.frames
        assert SEED not in json.dumps(before)
        assert over["seed"] == SEED


# --- falling out ---


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


# --- time ---


def test_each_mover_has_its_own_clock() -> None:
    driven = seated("four snakes", away_clock="runs")
    driven.pass_ms(400)
    driven.move(0, "up")
    driven.disconnect(1)
    driven.connect(1)
    assert driven.seats[1].last("turn")["clock"]["remaining_ms"] == 600
    assert driven.seats[1].last("turn")["ply"] == 0
    driven.pass_ms(500)
    for seat in (1, 2, 3):
        driven.move(seat, "up")
    assert driven.all_facts(SeatFell) == []


@pytest.mark.parametrize(("away_clock", "other_ms"), [("stands", 1500), ("runs", 1200)])
def test_the_first_turn_of_a_ply_tells_the_running_clock_of_an_absent_bot(away_clock: str, other_ms: int) -> None:
    driven = seated("dilemma", time_control=BANK, away_clock=away_clock)
    driven.disconnect(0)
    driven.disconnect(1)
    again = DrivenReferee.rebuilt(driven.facts[:2], now_ms=driven.now_ms, grace_ms=0)
    again.pass_ms(300)
    again.connect(0)
    assert again.seats[0].last("turn")["clock"]["seats_ms"] == [other_ms, other_ms]


def test_a_bot_that_comes_back_does_not_learn_from_the_clocks_who_has_answered() -> None:
    driven = seated("dilemma", time_control=BANK)
    driven.pass_ms(100)
    driven.move(1, "C")
    driven.disconnect(0)
    driven.connect(0)
    assert driven.seats[0].last("turn")["clock"]["seats_ms"] == [1400, 1500]
    again = DrivenReferee.rebuilt(driven.facts, now_ms=driven.now_ms)
    assert again.progress.public_clocks(again.now_ms).seats_ms == (1500, 1500)
    again.connect(0)
    assert again.seats[0].last("turn")["clock"]["seats_ms"] == [1500, 1500]
    again.move(0, "C")
    assert driven.progress.seats[1].bank_ms == 600


def test_lateness_counts_once_for_all_that_think_about_a_ply() -> None:
    driven = seated("four snakes")
    for _ in range(3):
        driven.stall(3_000)
        for seat in open_seats(driven):
            driven.move(seat, ("up", "up", "down", "down")[seat])
    assert not driven.progress.over, "9 s of at most 10 s"
    driven.stall(2_000)
    driven.move(open_seats(driven)[0], "up")
    assert driven.over.stalled


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
    assert [own.excused_ms for own in again.progress.seats] == [340, 300, 340, 340]


# --- restarts ---


def frames_of(facts: Sequence[MatchFact], seat: int) -> list[Any]:
    lines = [entry for entry in transcript(facts) if isinstance(entry, TranscriptLine)]
    return [json.loads(line.frame) for line in lines if (line.seat, line.sender) == (seat, "server")]


ACTIONS = st.tuples(
    st.sampled_from(["move"] * 12 + ["nonsense", "drop", "login", "resign", "wait"]),
    st.integers(0, 7),
    st.integers(0, 400),
)


@each
@settings(max_examples=40)
@given(script=st.lists(ACTIONS, max_size=60))
def test_a_restart_goes_on_where_the_log_ends_and_draws_nothing_anew(
    kind: str, script: list[tuple[str, int, int]]
) -> None:
    driven = seated(kind, illegal_retries=1)
    for action, seat, number in script:
        if driven.progress.over is not None:
            break
        seat %= len(driven.seats)
        if action == "wait":
            driven.pass_ms(number)
            continue
        own = driven.progress.seats[seat]
        is_there = own.away_since_ms is None
        if action == "move" and own.turn is not None and is_there:
            legal = driven.seats[seat].last("turn")["legal"]
            driven.move(seat, legal[number % len(legal)])
        elif action == "nonsense" and is_there and own.turn is not None:
            driven.move(seat, "nonsense")
        elif action == "drop":
            driven.disconnect(seat)
        elif action == "login":
            driven.connect(seat)
        elif action == "resign" and is_there:
            driven.resign(seat)
    for seat, inbox in enumerate(driven.seats):
        assert frames_of(driven.facts, seat) == inbox.frames
    for end in range(1, len(driven.facts) + 1):
        again = DrivenReferee.rebuilt(driven.facts[:end], now_ms=driven.now_ms)
        logged = [fact for fact in driven.facts[:end] if isinstance(fact, MoveMade | ChanceDrawn | SeatFell)]
        known = [fact for fact in driven.facts if isinstance(fact, MoveMade | ChanceDrawn | SeatFell)]
        done = [fact for fact in again.facts[1:] if isinstance(fact, MoveMade | ChanceDrawn | SeatFell)]
        for fact, was in zip(done, known[len(logged) :], strict=False):
            if isinstance(fact, ChanceDrawn) and isinstance(was, ChanceDrawn):
                assert (fact.ply, fact.move) == (was.ply, was.move)
        if again.progress.over is None and end == len(driven.facts):
            assert again.progress.state == driven.progress.state
            for seat in range(len(again.seats)):
                again.connect(seat)
            answered = set() if again.progress.plies is None else set(again.progress.plies.answers)
            assert answered.isdisjoint(open_seats(again))
            assert all(not again.seats[seat].all("turn") for seat in answered)


@pytest.mark.parametrize("clock", ["stands", "runs"])
def test_spectators_cannot_tell_who_has_answered_or_fallen_before_the_ply_is_made(clock: str) -> None:
    def shown(driven: DrivenReferee) -> object:
        progress = driven.progress
        return progress.movers(), progress.is_ticking, progress.absences(), progress.public_clocks(driven.now_ms)

    seen, seen_later = [], []
    for what in ("nothing", "answer", "fall"):
        driven = seated("four snakes", away_clock=clock)
        driven.pass_ms(100)
        if what == "answer":
            driven.move(1, "up")
        elif what == "fall":
            driven.resign(1)
        driven.disconnect(1)
        driven.pass_ms(100)
        seen.append(shown(driven))
        driven.connect(1)
        driven.disconnect(0)
        driven.connect(0)
        seen_later.append((shown(driven), driven.seats[0].last("turn")["clock"]))
    assert seen[0] == seen[1] == seen[2]
    assert seen_later[0] == seen_later[1] == seen_later[2]


@each
def test_the_transcript_of_a_running_match_has_no_answer_before_all_are_in(kind: str) -> None:
    driven = seated(kind)
    for _ in range(4):
        public = public_facts(driven.facts, to_a_seat=False)
        assert public == driven.facts
        *others, last = driven.progress.state.movers
        for seat in others:
            driven.move(seat, driven.seats[seat].last("turn")["legal"][0])
            for gone in range(len(driven.seats)):
                driven.disconnect(gone)
                driven.connect(gone)
            assert public_facts(driven.facts, to_a_seat=False) == public, "who is asked again has not answered"
        driven.move(last, driven.seats[last].last("turn")["legal"][0])
    driven.abort("the host wants it")
    assert public_facts(driven.facts, to_a_seat=False) == driven.facts


def test_the_transcript_of_a_running_match_has_no_fall_before_the_ply_is_made() -> None:
    driven = seated("four snakes")
    public = public_facts(driven.facts, to_a_seat=False)
    driven.resign(1)
    assert public_facts(driven.facts, to_a_seat=False) == public
    for seat in (0, 2, 3):
        driven.move(seat, "up")
    assert SeatFell in map(type, public_facts(driven.facts, to_a_seat=False))


def test_the_transcript_of_a_running_plain_match_has_all() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.disconnect(1)
    assert public_facts(driven.facts, to_a_seat=False) == driven.facts


def test_a_seat_may_send_its_answer_only_once() -> None:
    driven = seated("four snakes")
    turn = driven.seats[0].last("turn")
    driven.move(0, "up")
    driven.move(0, "down", turn=turn)
    assert driven.seats[0].last("rejected")["code"] == "already_played"
    for seat in (1, 2, 3):
        driven.move(seat, "up")
    assert driven.progress.moves[0] == "up up up up"


def test_the_end_is_a_valid_message() -> None:
    driven = seated("dilemma")
    play_out(driven, 1)
    over = MatchOverMessage.model_validate(driven.seats[0].last("match_over"))
    assert over.payoffs == [6.0, 6.0]
    assert over.places == [1, 1]
    assert over.scores == [0.5, 0.5]
    assert driven.now_ms == START_MS
    assert Connected().omit == ()


def cost_of_a_ply(driven: DrivenReferee) -> tuple[int, int]:
    """Make a joint move. Return the number of calls, and the most bytes that were in use for the move at a time."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        answer_all(driven)
    finally:
        sys.setprofile(None)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return calls, used


def answer_all(driven: DrivenReferee) -> None:
    for seat, turn_id in [(seat, str(inbox.frames[-1]["turn_id"])) for seat, inbox in enumerate(driven.seats)]:
        driven.referee.move(seat, turn_id, "C", driven.now_ms, "{}")


@pytest.mark.slow
def test_a_ply_late_in_the_match_costs_no_more_than_an_early_one() -> None:
    driven = seated("dilemma", settings={"rounds": 10_000})
    costs = []
    for played in (10, 9_900):
        while len(driven.progress.moves) < played:
            answer_all(driven)
        several = [cost_of_a_ply(driven) for _ in range(5)]
        costs.append([min(numbers) for numbers in zip(*several, strict=True)])  # now and then a list grows
    (early_calls, early_bytes), (late_calls, late_bytes) = costs
    assert late_calls <= 1.5 * early_calls
    assert late_bytes <= 1.5 * early_bytes


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
