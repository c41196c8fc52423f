"""A referee rebuilt from any part of a match's facts goes on as if the server had never stopped.

A property test plays at random (moves, faults, drops, waits), cuts the log anywhere after the start, and finishes.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rumble_engine import Termination
from rumble_protocol.fields import TimeControl
from rumble_server.match.clock import remaining_ms
from rumble_server.match.facts import (
    FrameSeen,
    MatchFact,
    MatchOver,
    MatchStarted,
    MoveMade,
    MoveRefused,
    SeatAway,
    SeatBack,
    TurnAsked,
)
from rumble_server.match.referee import Referee

from tests.server.match.desk import Desk, TurnIds

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


def play_at_random(desk: Desk, script: Sequence[tuple[str, int]]) -> None:
    """Do what the script says, as far as it is possible; stop at the end of the match."""
    for action, number in script:
        if desk.referee.over is not None:
            return
        turn = desk.referee.turn
        match action:
            case "move" if turn is not None:
                legal = desk.referee.state.legal_moves
                desk.move(turn.seat, legal[number % len(legal)])
            case "fault" if turn is not None:
                desk.move(turn.seat, "nonsense")
            case "wait":
                desk.pass_ms(number)
            case "drop":
                desk.disconnect(number)
            case "login":
                desk.connect(number)
            case "stray" if desk.referee.chairs[number].away_since_ms is None:
                desk.move(number, "0", turn_id="no such turn")
            case _:
                pass


def newest(facts: Sequence[MatchFact], kinds: tuple[type[MatchFact], ...], seat: int) -> MatchFact | None:
    """The last fact of these kinds about a seat."""
    return next((fact for fact in reversed(facts) if type(fact) in kinds and getattr(fact, "seat", None) == seat), None)


@given(st.lists(actions, max_size=40), st.data())
def test_a_match_goes_on_from_any_prefix_of_its_facts(script: list[tuple[str, int]], data: st.DataObject) -> None:
    before = Desk.seated(time_control=CONTROL, illegal_retries=2)
    play_at_random(before, script)
    running = [fact for fact in before.facts if not isinstance(fact, MatchOver)]
    logged = running[: data.draw(st.integers(1, len(running)), label="facts on disk")]

    after = Desk.resumed(logged, now_ms=before.now_ms + MONTH_MS)

    made = [fact for fact in logged if isinstance(fact, MoveMade)]
    assert after.referee.moves == [fact.move for fact in made], "a logged move is lost"
    for seat, chair in enumerate(after.referee.chairs):
        played = newest(logged, (MoveMade,), seat)
        refused = newest(logged, (MoveRefused,), seat)
        away = newest(logged, (SeatAway, SeatBack), seat)
        assert chair.bank_ms == (played.bank_ms if isinstance(played, MoveMade) else CONTROL.bank_ms)
        assert chair.retries_left == (refused.retries_left if isinstance(refused, MoveRefused) else 2)
        assert chair.away_left_ms == (away.away_left_ms if isinstance(away, SeatAway | SeatBack) else 5000)
    assert after.referee.turn is None, "nobody is connected, so nobody is asked"
    if after.referee.state.outcome is not None:
        assert after.over.scores == after.referee.state.outcome.scores, "the log ends between a move and its outcome"
        return

    after.pass_ms(data.draw(st.integers(0, 30_000), label="until they are back"))
    after.connect(1)
    after.connect(0)
    for inbox in after.seats:
        start = inbox.frames[0]
        assert (start["type"], start["resumed"], start["moves"]) == ("match_start", True, after.referee.moves)
    turn = after.turn
    to_move = after.referee.chairs[turn["seat"]]
    assert turn["clock"]["remaining_ms"] == remaining_ms(CONTROL, to_move.bank_ms)
    asked = [fact for fact in logged if isinstance(fact, TurnAsked)]
    first = next((fact for fact in asked if fact.ply == len(made)), None)
    if first is not None:
        assert turn["clock"]["remaining_ms"] == first.remaining_ms, "a resumed ply has the clock it first had"
        assert turn["clock"]["seats_ms"] == list(first.seats_ms)
    assert turn["turn_id"] not in {fact.turn_id for fact in asked}
    for fact in made:
        after.move(fact.seat, fact.move, turn_id=fact.turn_id)
        assert after.seats[fact.seat].last("rejected")["code"] == "already_played"
    if first is not None:
        after.move(turn["seat"], after.referee.state.legal_moves[0], turn_id=first.turn_id)
        assert after.seats[turn["seat"]].last("rejected")["code"] == "stale_turn"

    while after.referee.over is None:
        after.play(after.referee.state.legal_moves[0])
    assert after.over.termination is Termination.NORMAL
    assert list(after.over.moves[: len(made)]) == [fact.move for fact in made]
    assert [fact.ply for fact in [*made, *after.all_facts(MoveMade)]] == list(range(len(after.over.moves)))


@given(st.lists(actions, max_size=40))
def test_disconnecting_never_gains_thinking_time_beyond_the_away_budget(script: list[tuple[str, int]]) -> None:
    """From the first asking to the end, a seat has at most what its clock gives and its away budget."""
    desk = Desk.seated(time_control=TimeControl(move_ms=1000), away_ms=5000)
    play_at_random(desk, [each for each in script if each[0] != "fault"])
    if desk.referee.over is None:
        desk.disconnect(0, 1)
        desk.pass_ms(5000)
    asked_at_ms = desk.referee.terms.at_ms
    gaps_ms = {0: 0, 1: 0}
    for fact in [*desk.all_facts(MoveMade), *desk.all_facts(MatchOver)]:
        seat = fact.seat if isinstance(fact, MoveMade) else desk.referee.state.to_move
        gaps_ms[seat] += max(0, fact.at_ms - asked_at_ms - 1000)
        asked_at_ms = fact.at_ms
    assert max(gaps_ms.values()) <= 5000


def test_resuming_again_and_again_refills_nothing() -> None:
    desk = Desk.seated(time_control=CONTROL, illegal_retries=1)
    desk.play("4", "0", after_ms=2000)
    desk.move(0, "nonsense")
    facts = desk.facts
    for run in range(2, 6):
        desk = Desk.resumed(facts, now_ms=desk.now_ms, grace_ms=0, run=run)
        desk.pass_ms(500)
        desk.connect(0)
        desk.connect(1)
        assert desk.turn["clock"]["seats_ms"] == [3050, 3050]
        assert [chair.away_left_ms for chair in desk.referee.chairs] == [5000 - 500 * (run - 1)] * 2
        assert desk.referee.chairs[0].retries_left == 0
        facts = [*facts, *desk.facts[1:]]


def test_a_match_whose_log_ends_between_the_last_move_and_its_outcome_ends() -> None:
    desk = Desk.seated()
    desk.play("0", "1", "4", "2", "8")
    after = Desk.resumed([fact for fact in desk.facts if not isinstance(fact, MatchOver)], now_ms=desk.now_ms)
    assert replace(after.over, told=desk.over.told) == desk.over
    assert after.over.told == (), "nobody is connected yet"


def test_a_match_whose_log_holds_its_end_is_over() -> None:
    desk = Desk.seated()
    desk.resign(0)
    referee = Referee.resume(desk.facts, TurnIds(), now_ms=desk.now_ms, nobody_away_before_ms=desk.now_ms)
    assert referee.over == desk.over
    assert referee.conclude(desk.now_ms) == []


@pytest.mark.parametrize("with_start", [True, False])
def test_a_log_without_the_start_of_the_match_is_refused(with_start: bool) -> None:
    desk = Desk.seated()
    facts = [] if with_start else desk.facts[1:]
    with pytest.raises(ValueError, match=r"without facts|does not begin with its start"):
        Referee.resume(facts, TurnIds(), now_ms=0, nobody_away_before_ms=0)


def test_an_opening_is_not_asked_again() -> None:
    desk = Desk.seated(moves=("4",))
    desk.play("0")
    after = Desk.resumed(desk.facts, now_ms=desk.now_ms)
    after.connect(0)
    assert after.turn["moves"] == ["4", "0"]


def test_what_was_said_does_not_change_the_position() -> None:
    desk = Desk.seated()
    desk.play("4")
    silent = [fact for fact in desk.facts if not isinstance(fact, FrameSeen | TurnAsked)]
    whole, less = (Desk.resumed(facts, now_ms=desk.now_ms) for facts in (desk.facts, silent))
    assert whole.referee.chairs == less.referee.chairs
    assert whole.referee.state == less.referee.state


def test_the_attempt_is_that_of_the_start() -> None:
    started = replace(Desk().referee.terms, attempt=4)
    assert isinstance(started, MatchStarted)
    desk = Desk.resumed([started], now_ms=0)
    desk.connect(0)
    assert desk.turn["attempt"] == 4
