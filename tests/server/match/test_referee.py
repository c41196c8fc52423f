"""The referee's rules of order: the order of turns, the moves that count, and each way a match ends."""

import json
from typing import Any

import pytest
from rumble_engine import Termination
from rumble_engine.errors import LONGEST_MOVE
from rumble_protocol.fields import TimeControl
from rumble_server.match.facts import FrameSeen, MatchOver, MoveMade, MoveRefused, StartTold, TurnAsked
from rumble_server.match.transcript import TranscriptLine, transcript

from tests.server.match.driven import START_MS, DrivenReferee

DIAGONAL = ("0", "1", "4", "2", "8")
"""Moves with which seat 0 wins."""
COLUMN = ("0", "1", "3", "4", "8", "7")
"""Moves with which seat 1 wins."""
FULL = ("4", "0", "8", "2", "1", "7", "6", "3", "5")
"""Moves of a drawn match."""


# --- order of play, and the content of frames ---


def test_each_bot_is_told_of_the_match_before_anything_else() -> None:
    driven = DrivenReferee.seated(settings={})
    for seat, inbox in enumerate(driven.seats):
        assert inbox.frames[0] == {
            "type": "match_start",
            "match": "friday.1.1.1.1",
            "attempt": 1,
            "tournament": "friday",
            "game": "tictactoe",
            "settings": {},
            "seat": seat,
            "seats": ["ann", "ben"],
            "time_control": {"move_ms": 1000, "bank_ms": 0, "increment_ms": 0},
            "moves": [],
            "resumed": False,
            "away_clock": "stands",
        }


def test_a_turn_is_a_full_snapshot() -> None:
    driven = DrivenReferee.seated(attempt=3, time_control=TimeControl(move_ms=1000, bank_ms=500))
    driven.connect(1, lag_ms=7)
    driven.play("4")
    assert driven.seats[1].last("turn") == {
        "type": "turn",
        "match": "friday.1.1.1.1",
        "attempt": 3,
        "turn_id": "1.2",
        "game": "tictactoe",
        "ply": 1,
        "seat": 1,
        "state": {"board": "....X...."},
        "legal": ["0", "1", "2", "3", "5", "6", "7", "8"],
        "moves": ["4"],
        "clock": {"remaining_ms": 1500, "seats_ms": [1500, 1500], "lag_ms": 7},
    }


@pytest.mark.parametrize("omit", [("legal",), ("moves",), ("legal", "moves")])
def test_a_turn_leaves_out_the_fields_that_the_login_omits_and_no_others(omit: tuple[str, ...]) -> None:
    whole, less = DrivenReferee.seated(), DrivenReferee()
    less.connect(0, omit=omit)
    less.connect(1)
    assert set(whole.turn) - set(less.turn) == set(omit)
    assert {**whole.turn, **less.turn} == whole.turn
    assert less.all_facts(TurnAsked)[0].omit == omit


def test_opening_moves_are_plies() -> None:
    driven = DrivenReferee.seated(moves=("4", "0", "8"))
    assert driven.seats[0].last("match_start")["moves"] == ["4", "0", "8"]
    assert driven.seats[0].all("turn") == []
    assert (driven.turn["ply"], driven.turn["seat"], driven.turn["moves"]) == (3, 1, ["4", "0", "8"])
    driven.play("2")
    assert driven.all_facts(MoveMade)[0].ply == 3
    assert driven.turn["moves"] == ["4", "0", "8", "2"]


def test_the_settings_of_the_game_hold() -> None:
    settings = {"columns": 5, "rows": 5, "connect": 3}
    driven = DrivenReferee.seated(game="connect4", settings=settings)
    assert driven.seats[1].last("match_start")["settings"] == settings
    assert driven.turn["legal"] == ["a", "b", "c", "d", "e"]
    driven.play("a", "b", "a", "b", "a")
    assert driven.over.scores == (1.0, 0.0)


def test_a_move_that_counts_is_told_by_the_next_turn_alone() -> None:
    driven = DrivenReferee.seated()
    driven.seats[0].heard()
    driven.play("4")
    assert driven.seats[0].heard() == []
    driven.play("0")
    assert driven.seats[0].kinds() == ["turn"]


# --- how a match ends ---


@pytest.mark.parametrize(
    ("moves", "scores", "winner", "reason"),
    [
        (DIAGONAL, (1.0, 0.0), 0, "three in a row"),
        (COLUMN, (0.0, 1.0), 1, "three in a row"),
        (FULL, (0.5, 0.5), None, "board full"),
    ],
)
def test_a_match_ends_by_the_rules_of_the_game(
    moves: tuple[str, ...], scores: tuple[float, ...], winner: int | None, reason: str
) -> None:
    driven = DrivenReferee.seated()
    driven.play(*moves, after_ms=10)
    assert driven.over == MatchOver(
        match="friday.1.1.1.1",
        attempt=1,
        seats=("ann", "ben"),
        scores=scores,
        termination=Termination.NORMAL,
        reason=reason,
        at_fault=(),
        moves=moves,
        at_ms=START_MS + 10 * len(moves),
        connected=(0, 1),
        seats_excused_ms=(0, 0),
        drops=(0, 0),
        started_at_ms=START_MS,
    )
    for inbox in driven.seats:
        assert inbox.last("match_over") == {
            "type": "match_over",
            "match": "friday.1.1.1.1",
            "attempt": 1,
            "scores": list(scores),
            "winner": winner,
            "termination": "normal",
            "reason": reason,
            "moves": list(moves),
            "state": driven.progress.state.view(),
        }


@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_ends_by_resignation_at_any_time_and_nobody_is_at_fault(seat: int) -> None:
    driven = DrivenReferee.seated()
    driven.resign(seat)
    assert driven.over.termination is Termination.RESIGNATION
    assert (driven.over.winner, driven.over.at_fault, driven.over.failures) == (1 - seat, (), ())
    assert [fact.sender for fact in driven.all_facts(FrameSeen)].count("bot") == 1
    assert all(inbox.kinds()[-1] == "match_over" for inbox in driven.seats)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_crash_is_the_fault_of_the_seat_and_its_error_stays_out_of_the_frames(seat: int) -> None:
    driven = DrivenReferee.seated()
    driven.resign(seat, "KeyError: 'x' (mine.py, line 3, in ai)")
    assert driven.over.termination is Termination.CRASHED
    assert (driven.over.winner, driven.over.at_fault) == (1 - seat, (seat,))
    assert driven.over.failures[seat] == "KeyError: 'x' (mine.py, line 3, in ai)"
    assert driven.over.failures[1 - seat] == ""
    for inbox in driven.seats:
        assert inbox.last("match_over")["reason"] == f"{driven.over.seats[seat]} crashed"
        assert "KeyError" not in str(inbox.last("match_over"))


@pytest.mark.parametrize("termination", [Termination.FLOOD, Termination.ADJUDICATION])
def test_a_match_ends_by_a_forfeit_from_outside_the_board(termination: Termination) -> None:
    driven = DrivenReferee.seated()
    driven.forfeit(0, termination, "ann went too far")
    assert (driven.over.termination, driven.over.scores, driven.over.at_fault) == (termination, (0.0, 1.0), (0,))
    assert driven.seats[1].last("match_over")["reason"] == "ann went too far"


def test_an_aborted_match_is_void_and_nobodys_fault() -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.abort("the power failed")
    assert (driven.over.scores, driven.over.winner, driven.over.at_fault) == (None, None, ())
    over = driven.seats[0].last("match_over")
    assert (over["scores"], over["winner"], over["termination"]) == (None, None, "aborted")
    assert (over["reason"], over["moves"]) == ("the power failed", ["4"])


@pytest.mark.parametrize(
    "move", ["4", "9", "", "x" * (LONGEST_MOVE + 1)], ids=["illegal", "unreadable", "empty", "long"]
)
def test_a_match_ends_by_a_move_that_is_illegal_or_unreadable(move: str) -> None:
    driven = DrivenReferee.seated()
    driven.play("4")
    driven.seats[1].heard()
    driven.move(1, move)
    assert driven.over.termination is Termination.ILLEGAL_MOVE
    assert (driven.over.scores, driven.over.at_fault) == ((1.0, 0.0), (1,))
    assert driven.over.reason.startswith("ben sent a move that does not count: ")
    assert driven.over.moves == ("4",)
    rejected, over = driven.seats[1].heard()
    assert (rejected["type"], rejected["your_turn"], rejected["remaining_ms"]) == ("rejected", False, None)
    assert over["type"] == "match_over"


def test_a_match_has_one_outcome_whatever_comes_after_it() -> None:
    driven = DrivenReferee.seated()
    driven.resign(0)
    driven.seats[0].heard()
    over, facts = driven.over, len(driven.facts)
    driven.forfeit(1, Termination.FLOOD, "too late")
    driven.abort("too late")
    driven.disconnect(0, 1)
    driven.connect(1)
    driven.pass_ms(1_000_000)
    driven.referee.wake(driven.now_ms, driven.now_ms)
    assert (driven.over, len(driven.facts), driven.seats[0].heard()) == (over, facts, [])


def test_kept_results_share_values_that_nearly_all_results_have() -> None:
    one, other = DrivenReferee.seated(), DrivenReferee.seated()
    for driven in (one, other):
        driven.play("0", "3", "1", "4", "2")
    assert one.over.connected is other.over.connected
    assert one.over.drops is other.over.drops
    assert one.over.seats_excused_ms is other.over.seats_excused_ms


# --- rejections ---


def rejection(driven: DrivenReferee, seat: int) -> tuple[str, bool, int | None]:
    frame = driven.seats[seat].heard()[-1]
    assert (frame["type"], frame["match"]) == ("rejected", "friday.1.1.1.1")
    return frame["code"], frame["your_turn"], frame["remaining_ms"]


def test_a_move_while_the_other_bot_thinks_is_not_your_turn() -> None:
    driven = DrivenReferee.seated()
    driven.move(1, "4", turn_id="1.1")
    assert rejection(driven, 1) == ("not_your_turn", False, None)
    driven.move(1, "4", turn_id="anything")
    assert rejection(driven, 1) == ("not_your_turn", False, None)
    assert driven.progress.moves == []


def test_a_move_while_nobody_is_asked_is_not_your_turn() -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(0)
    driven.move(1, "4", turn_id="1.1")
    assert rejection(driven, 1) == ("not_your_turn", False, None)


def test_an_accepted_move_sent_again_is_already_played_whoever_is_to_move() -> None:
    driven = DrivenReferee.seated()
    first = driven.turn
    driven.play("4")
    driven.move(0, "4", turn=first)
    assert rejection(driven, 0) == ("already_played", False, None)
    driven.play("0")
    driven.pass_ms(300)
    driven.move(0, "8", turn=first)
    assert rejection(driven, 0) == ("already_played", True, 700)
    assert driven.progress.moves == ["4", "0"]


def test_the_other_bots_accepted_turn_is_not_already_played_by_this_one() -> None:
    driven = DrivenReferee.seated()
    first = driven.turn
    driven.play("4")
    driven.move(1, "0", turn=first)
    assert rejection(driven, 1) == ("stale_turn", True, 1000)


@pytest.mark.parametrize("turn_id", ["1.1", "nonsense"])
def test_an_answer_to_another_asking_than_the_open_one_is_stale(turn_id: str) -> None:
    driven = DrivenReferee.seated()
    driven.disconnect(0)
    driven.connect(0)
    assert driven.turn["turn_id"] == "1.2"
    driven.pass_ms(1)
    driven.move(0, "4", turn_id=turn_id)
    assert rejection(driven, 0) == ("stale_turn", True, 999)
    assert driven.progress.moves == []


def test_stray_moves_are_no_fault_and_do_not_touch_the_clock() -> None:
    driven = DrivenReferee.seated()
    for _ in range(20):
        driven.pass_ms(10)
        driven.move(0, "nonsense", turn_id="stale")
        driven.move(1, "nonsense", turn_id="stale")
    driven.pass_ms(799)
    driven.play(*FULL)
    assert driven.over.termination is Termination.NORMAL


# --- retries ---


def test_a_retry_goes_on_with_the_same_turn_and_the_same_clock() -> None:
    driven = DrivenReferee.seated(illegal_retries=2)
    driven.play("4")
    for left, (move, code) in enumerate([("9", "bad_move"), ("4", "illegal_move")]):
        driven.pass_ms(100)
        driven.move(1, move)
        assert rejection(driven, 1) == (code, True, 900 - 100 * left)
    assert [fact.retries_left for fact in driven.all_facts(MoveRefused)] == [1, 0]
    driven.move(1, "0")
    assert driven.progress.moves == ["4", "0"]


def test_each_seat_has_retries_of_its_own_for_the_whole_match() -> None:
    driven = DrivenReferee.seated(illegal_retries=1)
    driven.move(0, "9")
    driven.play("4")
    driven.move(1, "9")
    driven.play("0")
    driven.move(0, "9")
    assert (driven.over.at_fault, driven.over.moves) == ((0,), ("4", "0"))


def test_retries_do_not_stop_the_clock() -> None:
    driven = DrivenReferee.seated(illegal_retries=100)
    for _ in range(10):
        driven.pass_ms(99)
        driven.move(0, "9")
    driven.pass_ms(10)
    assert (driven.over.termination, driven.over.at_fault) == (Termination.TIMEOUT, (0,))


def test_moves_are_handed_to_the_log_as_they_were_sent() -> None:
    driven = DrivenReferee.seated()
    driven.play("4", after_ms=30)
    made: Any = driven.all_facts(MoveMade)[0]
    assert (made.ply, made.seat, made.turn_id, made.move, made.at_ms) == (0, 0, "1.1", "4", START_MS + 30)
    assert '"move": "4"' in made.frame


def test_one_fact_tells_that_both_seats_were_told_the_start() -> None:
    driven = DrivenReferee.seated()
    (start,) = driven.all_facts(StartTold)
    assert (start.seat, start.all_seats, start.resumed) == (0, True, False)
    starts = [seat.last("match_start") for seat in driven.seats]
    assert [start["seat"] for start in starts] == [0, 1]
    lines = [line for line in transcript(driven.facts) if isinstance(line, TranscriptLine)][:2]
    assert [(line.seat, json.loads(line.frame)) for line in lines] == list(enumerate(starts))


def test_a_log_with_a_fact_for_each_seat_that_was_told_is_the_same_match() -> None:
    driven = DrivenReferee.seated()
    started, start, *later = driven.facts
    assert isinstance(start, StartTold)
    each = [StartTold(start.match, start.attempt, seat, False, start.at_ms) for seat in range(2)]
    assert list(transcript([started, *each, *later])) == list(transcript(driven.facts))
    again = DrivenReferee.rebuilt([started, *each], now_ms=start.at_ms)
    again.connect(0)
    assert again.seats[0].last("match_start")["resumed"]
