"""A referee rebuilt from any part of a match's facts goes on as if the server had never stopped.

A property test plays at random (moves, faults, drops, waits), cuts the log anywhere after the start, and plays on.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match import public_view
from rumble_server.match.clock import FastControl, remaining_ms
from rumble_server.match.facts import (
    FrameSeen,
    MatchFact,
    MatchOver,
    MoveMade,
    MoveRefused,
    SeatAway,
    SeatBack,
    TurnAsked,
    with_turns,
)
from rumble_server.match.last_attempt import thought_ms
from rumble_server.match.transcript import transcript

from tests.server.match.driven import Connected, DrivenReferee

CONTROL = TimeControl(move_ms=1000, bank_ms=3000, increment_ms=50)
MONTH_MS = 30 * 24 * 3600 * 1000

actions = st.one_of(
    st.tuples(st.just("move"), st.integers(0, 8)),
    st.tuples(st.just("wait"), st.integers(1, 900)),
    st.tuples(st.just("fault"), st.just(0)),
    st.tuples(st.just("drop"), st.integers(0, 1)),
    st.tuples(st.just("login"), st.integers(0, 1)),
    st.tuples(st.just("stray"), st.integers(0, 1)),
)


def play_at_random(driven: DrivenReferee, script: Sequence[tuple[str, int]]) -> None:
    """Do the steps of a script that are possible; stop at the end of the match."""
    for action, number in script:
        if driven.progress.over is not None:
            return
        seat = driven.progress.state.to_move
        is_open = driven.progress.seats[seat].turn is not None
        match action:
            case "move" if is_open:
                legal = driven.progress.state.legal_moves
                driven.move(seat, legal[number % len(legal)])
            case "fault" if is_open:
                driven.move(seat, "nonsense")
            case "wait":
                driven.pass_ms(number)
            case "drop":
                driven.disconnect(number)
            case "login":
                driven.connect(number)
            case "stray" if driven.progress.seats[number].away_since_ms is None:
                driven.move(number, "0", turn_id="no such turn")
            case _:
                pass


def newest(facts: Sequence[MatchFact], kinds: tuple[type[MatchFact], ...], seat: int) -> MatchFact | None:
    """Return the last fact of these kinds about a seat."""
    return next((fact for fact in reversed(facts) if type(fact) in kinds and getattr(fact, "seat", None) == seat), None)


@given(st.lists(actions, max_size=40), st.data())
def test_a_match_goes_on_from_any_prefix_of_its_facts(script: list[tuple[str, int]], data: st.DataObject) -> None:
    before = DrivenReferee.seated(time_control=CONTROL, illegal_retries=2)
    play_at_random(before, script)
    running = [fact for fact in before.facts if not isinstance(fact, MatchOver)]
    logged = running[: data.draw(st.integers(1, len(running)), label="facts on disk")]

    after = DrivenReferee.rebuilt(logged, now_ms=before.now_ms + MONTH_MS)

    made = [fact for fact in logged if isinstance(fact, MoveMade)]
    assert after.progress.moves == [fact.move for fact in made], "a logged move is lost"
    for seat, seat_state in enumerate(after.progress.seats):
        played = newest(logged, (MoveMade,), seat)
        refused = newest(logged, (MoveRefused,), seat)
        away = newest(logged, (SeatAway, SeatBack), seat)
        assert seat_state.bank_ms == (played.bank_ms if isinstance(played, MoveMade) else CONTROL.bank_ms)
        assert seat_state.retries_left == (refused.retries_left if isinstance(refused, MoveRefused) else 2)
        assert seat_state.away_left_ms == (away.away_left_ms if isinstance(away, SeatAway | SeatBack) else 5000)
    assert not public_view.is_ticking(after.progress), "nobody is connected, so nobody is asked"
    if after.progress.state.outcome is not None:
        assert after.over.scores == after.progress.state.outcome.scores, "the log ends between a move and its outcome"
        return

    after.pass_ms(data.draw(st.integers(0, 30_000), label="until they are back"))
    after.connect(1)
    after.connect(0)
    for inbox in after.seats:
        start = inbox.frames[0]
        assert (start["type"], start["resumed"], start["moves"]) == ("match_start", True, after.progress.moves)
    turn = after.turn
    to_move = after.progress.seats[turn["seat"]]
    assert turn["clock"]["remaining_ms"] == remaining_ms(FastControl(CONTROL), to_move.bank_ms)
    asked = [fact for fact in with_turns(logged) if isinstance(fact, TurnAsked)]
    first = next((fact for fact in asked if fact.ply == len(made)), None)
    if first is not None:
        assert turn["clock"]["remaining_ms"] == first.remaining_ms, "a resumed ply has the clock it first had"
        assert turn["clock"]["seats_ms"] == list(first.seats_ms)
    assert turn["turn_id"] not in {fact.turn_id for fact in asked}
    for fact in made:
        after.move(fact.seat, fact.move, turn_id=fact.turn_id)
        assert after.seats[fact.seat].last("rejected")["code"] == "already_played"
    if first is not None:
        after.move(turn["seat"], after.progress.state.legal_moves[0], turn_id=first.turn_id)
        assert after.seats[turn["seat"]].last("rejected")["code"] == "stale_turn"

    while after.progress.over is None:
        after.play(after.progress.state.legal_moves[0])
    assert after.over.termination is Termination.NORMAL
    assert list(after.over.moves[: len(made)]) == [fact.move for fact in made]
    assert [fact.ply for fact in [*made, *after.all_facts(MoveMade)]] == list(range(len(after.over.moves)))


@given(st.lists(actions, max_size=40))
def test_disconnecting_never_gains_thinking_time_beyond_the_away_budget(script: list[tuple[str, int]]) -> None:
    """From the first asking to the end, a seat has at most the time of its clock and its away budget."""
    driven = DrivenReferee.seated(time_control=TimeControl(move_ms=1000), away_ms=5000)
    play_at_random(driven, [each for each in script if each[0] != "fault"])
    if driven.progress.over is None:
        driven.disconnect(0, 1)
        driven.pass_ms(5000)
    asked_at_ms = driven.progress.terms.at_ms
    gaps_ms = {0: 0, 1: 0}
    for fact in [*driven.all_facts(MoveMade), *driven.all_facts(MatchOver)]:
        seat = fact.seat if isinstance(fact, MoveMade) else driven.progress.state.to_move
        gaps_ms[seat] += max(0, fact.at_ms - asked_at_ms - 1000)
        asked_at_ms = fact.at_ms
    assert max(gaps_ms.values()) <= 5000


def test_resuming_again_and_again_refills_nothing() -> None:
    driven = DrivenReferee.seated(time_control=CONTROL, illegal_retries=1)
    driven.play("4", "0", after_ms=2000)
    driven.move(0, "nonsense")
    facts = driven.facts
    for run in range(2, 6):
        driven = DrivenReferee.rebuilt(facts, now_ms=driven.now_ms, grace_ms=0, run=run)
        driven.pass_ms(500)
        driven.connect(0)
        driven.connect(1)
        assert driven.turn["clock"]["seats_ms"] == [3050, 3050]
        assert [seat_state.away_left_ms for seat_state in driven.progress.seats] == [5000 - 500 * (run - 1)] * 2
        assert driven.progress.seats[0].retries_left == 0
        facts = [*facts, *driven.facts[1:]]


def test_a_match_whose_log_ends_between_the_last_move_and_its_outcome_ends() -> None:
    driven = DrivenReferee.seated()
    driven.play("0", "1", "4", "2", "8")
    after = DrivenReferee.rebuilt(
        [fact for fact in driven.facts if not isinstance(fact, MatchOver)], now_ms=driven.now_ms
    )
    assert replace(after.over, connected=driven.over.connected) == driven.over
    assert after.over.connected == (), "nobody is connected yet"


def test_a_match_whose_log_holds_its_end_is_over() -> None:
    driven = DrivenReferee.seated()
    driven.resign(0)
    rebuilt = DrivenReferee.rebuilt(driven.facts, now_ms=driven.now_ms)
    assert rebuilt.over == driven.over
    assert rebuilt.facts == driven.facts[:1], "nothing more is recorded"


def test_an_opening_is_not_asked_again() -> None:
    driven = DrivenReferee.seated(moves=("4",))
    driven.play("0")
    after = DrivenReferee.rebuilt(driven.facts, now_ms=driven.now_ms)
    after.connect(0)
    assert after.turn["moves"] == ["4", "0"]


def test_frames_and_questions_do_not_change_the_rebuilt_match() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    silent = [fact for fact in driven.facts if not isinstance(fact, FrameSeen | TurnAsked)]
    whole, less = (DrivenReferee.rebuilt(facts, now_ms=driven.now_ms) for facts in (driven.facts, silent))
    known = attrgetter("bank_ms", "away_left_ms", "retries_left", "away_since_ms", "answered_turn_ids")
    assert [known(seat) for seat in whole.progress.seats] == [known(seat) for seat in less.progress.seats]
    assert whole.progress.state == less.progress.state


@pytest.mark.parametrize("info", [None, {"depth": 2}])
@pytest.mark.parametrize("note", ["", "a long remark " * 60], ids=["short", "a frame that is a fact of its own"])
def test_the_end_tells_whether_a_move_had_an_info_live_and_rebuilt(info: Any, note: str) -> None:
    driven = DrivenReferee.seated()
    said: dict[str, Any] = {"note": note} if info is None else {"note": note, "info": info}
    driven.move(0, "0", **said)
    rebuilt = DrivenReferee.rebuilt(driven.facts, now_ms=driven.now_ms)
    for each in (driven, rebuilt):
        each.referee.abort("enough", each.now_ms)
        assert each.over.informed is (info is not None)


def apart(facts: Sequence[MatchFact]) -> list[MatchFact]:
    """Return the facts in the form of older logs, in which each turn is a fact of its own."""
    alone: dict[str, Any] = {"next_turn_id": "", "next_seat": 0, "seats_ms": (), "lag_ms": 0, "omit": ()}
    return [replace(fact, **alone) if isinstance(fact, MoveMade) else fact for fact in with_turns(facts)]


@given(st.lists(actions, max_size=40), st.integers(0, 300))
def test_a_turn_in_the_fact_of_its_move_tells_as_much_as_a_fact_of_its_own(
    script: list[tuple[str, int]], lag_ms: int
) -> None:
    driven = DrivenReferee(time_control=CONTROL, illegal_retries=2)
    driven.referee.start([Connected(lag_ms, True, ("moves",)), Connected(7)], driven.now_ms)
    play_at_random(driven, script)
    together, earlier = driven.facts, apart(driven.facts)
    moves, turns = driven.all_facts(MoveMade), driven.all_facts(TurnAsked)
    assert len(earlier) == len(together) + sum(bool(made.next_turn_id) for made in moves)
    frames = [frame for inbox in driven.seats for frame in inbox.all("turn")]
    assert sorted(turn.turn_id for turn in turns) == sorted(frame["turn_id"] for frame in frames)
    assert list(transcript(together)) == list(transcript(earlier))
    terms = driven.progress.terms
    assert thought_ms(together, terms, 9) == thought_ms(earlier, terms, 9)
    assert known_of(together, driven.now_ms) == known_of(earlier, driven.now_ms)
    for made, after in pairwise(moves):
        if made.next_turn_id == after.turn_id:
            assert made.next_seat == after.seat


def known_of(facts: Sequence[MatchFact], now_ms: int) -> list[Any]:
    """Return the seats of a referee rebuilt from these facts."""
    times = ("bank_ms", "away_left_ms", "allowed_lag_ms", "excused_sum_ms")
    known = attrgetter(*times, "retries_left", "drops", "answered_turn_ids")
    return [known(seat) for seat in DrivenReferee.rebuilt(facts, now_ms=now_ms).progress.seats]
