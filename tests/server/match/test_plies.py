"""Matches of many seats, of joint moves and of chance: order, draws, restarts, and what each bot hears."""

import json
import tracemalloc
from collections.abc import Sequence
from hashlib import sha256
from hmac import digest
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rumble_engine.outcome import scores_of
from rumble_server.match import public_view
from rumble_server.match.facts import ChanceDrawn, MatchFact, MatchStarted, MoveMade, SeatFell
from rumble_server.match.transcript import TranscriptLine, public_facts, transcript

from tests.server.failing import calls_during
from tests.server.match.driven import BANK, DrivenReferee
from tests.server.match.kinds import SEED, each, open_seats, play_out, seated


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
    public = public_view.position(again.progress, again.now_ms)
    assert public_view.clocks(again.progress, public, again.now_ms).seats_ms == (1500, 1500)
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


def test_the_end_of_a_match_for_payoffs_tells_the_payoffs() -> None:
    driven = seated("dilemma")
    play_out(driven, 1)
    assert driven.seats[0].last("match_over")["payoffs"] == [6.0, 6.0]


def cost_of_a_ply(driven: DrivenReferee) -> tuple[int, int]:
    """Make a joint move. Return the number of calls, and the most bytes that were in use for the move at a time."""
    tracemalloc.start()
    calls = calls_during(lambda: answer_all(driven), "call", "c_call")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return len(calls), used


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
