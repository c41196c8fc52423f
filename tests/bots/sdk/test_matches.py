"""The conversation about matches: turns, answers, rejections and results."""

import logging
from typing import Any

import pytest
from rumble_bots.sdk.actions import Say, Tell, Think
from rumble_bots.sdk.bot import Noted
from rumble_bots.sdk.conversation import LONGEST_ANSWER, LONGEST_NOTE, Conversation
from rumble_protocol import bot_messages as bot
from rumble_protocol.codec import read_bot_message, write_message
from rumble_protocol.fields import MoveInfo

from tests.bots.sdk import says
from tests.bots.sdk.conversations import playing, said, sent, thought

# --- turns ---


def test_a_turn_is_thought_about_and_answered() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    assert turn.start is not None
    assert turn.start.seats == ["ann", "bob"]
    assert sent(talk.on_move(turn, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


def test_several_matches_are_thought_about_at_the_same_time() -> None:
    talk = playing(says.match_start("cup.2"))
    first = thought(talk.on_frame(says.turn("t1")))
    second = thought(talk.on_frame(says.turn("t2", match="cup.2")))
    assert sent(talk.on_move(second, "8")) == [bot.Move(match="cup.2", turn_id="t2", move="8")]
    assert sent(talk.on_move(first, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


def admit(talk: Conversation, *matches: str, **welcome: Any) -> None:
    for frame in (says.welcome(**welcome), says.session(*matches), says.joined(), says.match_start()):
        talk.on_frame(frame)


def reconnect(talk: Conversation, *matches: str) -> None:
    assert talk.on_lost(1006, "gone") == []
    admit(talk, *matches)


def test_a_thought_under_way_answers_the_newest_asking() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn("t1")))
    reconnect(talk, "cup.1")
    assert not [action for action in talk.on_frame(says.turn("t2")) if isinstance(action, Think)]
    assert sent(talk.on_move(turn, "4")) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


def test_an_answer_found_between_connections_waits_for_the_next() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn("t1")))
    talk.on_lost(1006, "gone")
    assert sent(talk.on_move(turn, "4")) == []
    admit(talk, "cup.1")
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


def test_an_answer_that_was_lost_on_the_way_is_sent_again() -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "4")
    reconnect(talk, "cup.1")
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4")]


@pytest.mark.parametrize(
    "newer",
    [
        says.turn("t2", board="XO.......", moves=("0", "1")),
        says.turn("t2", attempt=2),
        says.turn("t2", board="........X"),
    ],
)
def test_a_thought_about_an_earlier_turn_is_dropped(newer: str) -> None:
    talk = playing()
    old = thought(talk.on_frame(says.turn("t1")))
    new = thought(talk.on_frame(newer))
    assert sent(talk.on_move(old, "4")) == []
    assert sent(talk.on_move(new, "5")) == [bot.Move(match="cup.1", turn_id="t2", move="5")]


def test_a_thought_of_a_finished_match_is_dropped() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    talk.on_frame(says.match_over())
    assert sent(talk.on_move(turn, "4")) == []
    assert sent(talk.on_no_move(turn, "tired")) == []


def test_matches_that_ended_while_away_are_forgotten() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    reconnect(talk)
    assert sent(talk.on_move(turn, "4")) == []


def test_an_answer_is_made_fit_for_the_wire() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn())), "\ud800" + "x" * 9999))
    assert move.move == "?" + "x" * (LONGEST_ANSWER - 1)
    assert read_bot_message(write_message(move).decode()) == move


def test_a_note_goes_with_its_move_also_when_asked_again() -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", "won"))
    reconnect(talk, "cup.1")
    assert sent(talk.on_frame(says.turn("t2"))) == [bot.Move(match="cup.1", turn_id="t2", move="4", note="won")]


def test_a_note_may_be_missing_or_another_value_than_text() -> None:
    talk = playing()
    notes: list[Any] = [None, 0.5]
    for number, note in enumerate(notes):
        turn = says.turn(f"t{number}", moves=("0", "1")[: 2 * number])
        (move,) = sent(talk.on_move(thought(talk.on_frame(turn)), Noted("4", note)))
        assert move.note == (None, "0.5")[number]


def test_an_info_goes_to_a_server_that_takes_it_also_when_asked_again() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", info={"depth": 2})))
    assert move == bot.Move(match="cup.1", turn_id="t1", move="4"), "this server has no such feature"
    talk.on_lost(1006, "")
    admit(talk, "cup.1", features=["info"])
    (move,) = sent(talk.on_frame(says.turn("t2")))
    assert move == bot.Move(match="cup.1", turn_id="t2", move="4", info=MoveInfo(depth=2))


def test_a_wrong_field_of_an_info_is_left_out_and_logged() -> None:
    talk = playing()
    talk.on_frame(says.welcome(features=["info"]))
    actions = talk.on_move(thought(talk.on_frame(says.turn("t1"))), Noted("4", "hm", {"depth": "two", "nodes": 5}))
    assert sent(actions) == [bot.Move(match="cup.1", turn_id="t1", move="4", note="hm", info=MoveInfo(nodes=5))]
    assert said(actions, logging.WARNING) == "cup.1: of its info the bot cannot say: depth"


def test_a_note_is_cut_to_the_bound_of_the_protocol() -> None:
    talk = playing()
    (move,) = sent(talk.on_move(thought(talk.on_frame(says.turn())), Noted("4", "\ud800" + "½" * LONGEST_NOTE)))
    assert move.note == "?" + "½" * (LONGEST_NOTE // 2 - 1)
    assert read_bot_message(write_message(move).decode()) == move


def test_resigning() -> None:
    talk = playing()
    actions = talk.on_no_move(thought(talk.on_frame(says.turn())), "tired")
    assert sent(actions) == [bot.Resign(match="cup.1")]
    assert said(actions, logging.WARNING) == "cup.1: resigning: tired"


@pytest.mark.parametrize("failed", [True, None])
def test_a_server_with_the_feature_is_told_the_reason(failed: bool | None) -> None:
    talk = playing()
    talk.on_frame(says.welcome(features=["failure"]))
    turn = thought(talk.on_frame(says.turn()))
    (resign,) = sent(talk.on_no_move(turn, "é" * 300, failed=bool(failed)))
    assert resign == bot.Resign(match="cup.1", reason="é" * 250, failed=failed)
    assert read_bot_message(write_message(resign).decode()) == resign


def test_a_resignation_between_connections_is_asked_for_again() -> None:
    talk = playing()
    turn = thought(talk.on_frame(says.turn()))
    talk.on_lost(1006, "gone")
    assert sent(talk.on_no_move(turn, "tired")) == []
    admit(talk, "cup.1")
    assert thought(talk.on_frame(says.turn("t2"))).turn_id == "t2"


# --- rejections ---


@pytest.mark.parametrize("code", ["illegal_move", "bad_move"])
def test_a_move_that_does_not_count_is_thought_about_again_if_there_is_a_retry(code: str) -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "9")
    actions = talk.on_frame(says.rejected("t1", code))
    again = thought(actions)
    assert again.turn_id == "t1"
    assert said(actions, logging.WARNING) == f"cup.1: {code}: no"
    assert sent(talk.on_move(again, "4")) == [bot.Move(match="cup.1", turn_id="t1", move="4")]


@pytest.mark.parametrize(
    "frame",
    [
        says.rejected("t1", your_turn=False),
        says.rejected("t0"),
        says.rejected("t1", "stale_turn"),
        says.rejected("t1", "already_played", your_turn=False),
        says.rejected("t1", "unknown_match", your_turn=False),
    ],
)
def test_other_rejections_are_said_and_no_more(frame: str) -> None:
    talk = playing()
    talk.on_move(thought(talk.on_frame(says.turn("t1"))), "9")
    actions = talk.on_frame(frame)
    assert isinstance(actions[0], Tell)
    assert isinstance(actions[1], Say)
    assert len(actions) == 2


# --- results ---


@pytest.mark.parametrize(
    ("frame", "result"),
    [
        (says.match_over(winner=0), "cup.1: won: three in a row"),
        (says.match_over(winner=1), "cup.1: lost to bob: three in a row"),
        (says.match_over(winner=None), "cup.1: drawn: three in a row"),
        (says.match_over("cup.9", winner=1), "cup.9: over: three in a row"),
        (says.match_over("cup.9").replace("normal", "no_show"), "cup.9: won before it began: three in a row"),
        (says.match_over().replace("[1.0, 0.0]", "null"), "cup.1: void, to be played again: three in a row"),
    ],
)
def test_results_are_said(frame: str, result: str) -> None:
    assert said(playing().on_frame(frame)) == result


def test_a_late_word_about_an_earlier_attempt_does_not_end_the_newer() -> None:
    talk = playing(says.match_start(attempt=2))
    turn = thought(talk.on_frame(says.turn(attempt=2)))
    talk.on_frame(says.match_over(attempt=1))
    assert len(sent(talk.on_move(turn, "4"))) == 1
