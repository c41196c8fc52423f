import json
from collections.abc import Iterable
from typing import Any

import pytest
from rumble_engine import get_game
from rumble_server.cli.output.advice import CLOSES, ERRORS, LOSSES, REJECTIONS
from rumble_server.cli.output.trace import MOST_LISTED, Trace, TraceEntry

from tests.bots.sdk import says
from tests.protocol.conversation import read_conversation
from tests.protocol.golden_transcript import EXAMPLES


def shown(entries: Iterable[TraceEntry]) -> list[tuple[str, str]]:
    return [(entry.about, entry.text) for entry in entries]


def drawn(board: str) -> str:
    return get_game("tictactoe").parse(board).diagram()


def lines_of(trace: Trace, *frames: str) -> list[tuple[str, str]]:
    return [entry for frame in frames for entry in shown(trace.frame("server", frame)) if entry[0] != "server"]


def move(text: object) -> str:
    return json.dumps({"type": "move", "match": "cup.1", "turn_id": "t1", "move": text})


def test_a_match_is_followed_on_the_board() -> None:
    trace = Trace()
    assert lines_of(trace, says.welcome(), says.session(), says.match_start(), says.turn()) == []
    assert trace.is_logged_in
    assert shown(trace.frame("bot", move("4")))[1:] == [("board", drawn("....X...."))]
    assert lines_of(trace, says.turn(board="O...X....", moves=("4", "0"))) == [
        ("note", "the last move was 0"),
        ("board", drawn("O...X....")),
    ]
    over = json.loads(says.match_over(winner=0)) | {"state": {"board": "O.OXXX..."}}
    assert lines_of(trace, json.dumps(over)) == [
        ("board", drawn("O.OXXX...")),
        ("note", "your bot won: three in a row"),
    ]
    assert lines_of(trace, says.tournament_over()) == []
    assert (trace.is_over, trace.faults) == (True, 0)


@pytest.mark.parametrize("bad", ["9", 4, None, {"a": 1}])
def test_a_move_without_meaning_changes_no_board(bad: object) -> None:
    trace = Trace()
    lines_of(trace, says.match_start(), says.turn())
    assert len(shown(trace.frame("bot", move(bad)))) == 1
    assert lines_of(trace, says.rejected(code="bad_move")) == [("next", REJECTIONS["bad_move"])]


def test_a_move_of_another_type_than_text_changes_no_board_in_any_game() -> None:
    trace, state = Trace(), get_game("checkers").initial()
    turn = json.loads(says.turn(game="checkers")) | {"state": state.view(0), "legal": list(state.legal_moves)}
    lines_of(trace, says.match_start(), json.dumps(turn))
    assert len(shown(trace.frame("bot", move([state.legal_moves[0]])))) == 1
    assert len(shown(trace.frame("bot", move(state.legal_moves[0])))) == 2


def test_a_trace_knows_whether_the_bot_is_thinking() -> None:
    trace = Trace()
    for frame, thinking in ((says.match_start(), False), (says.turn(), True), (says.match_over(), False)):
        lines_of(trace, frame)
        assert trace.is_thinking is thinking
    lines_of(trace, says.turn())
    list(trace.frame("bot", move("4")))
    assert not trace.is_thinking


def test_a_refusal_is_remembered_until_something_follows() -> None:
    trace = Trace()
    assert lines_of(trace, says.error("not_logged_in")) == [("next", ERRORS["not_logged_in"])]
    assert trace.was_refused
    list(trace.frame("bot", "{}"))
    assert not trace.was_refused


def lost_by(termination: str, **more: Any) -> str:
    return json.dumps(json.loads(says.match_over(winner=1)) | {"termination": termination, **more})


def test_a_loss_by_the_bots_own_fault_counts() -> None:
    trace = Trace()
    assert lines_of(trace, says.match_start(), says.turn(), lost_by("timeout"))[-1] == ("next", LOSSES["timeout"])
    assert trace.faults == 1
    lines_of(trace, says.match_start(), says.turn(), lost_by("normal"))
    lines_of(trace, says.match_start(), says.turn(), lost_by("timeout", winner=0))
    lines_of(trace, says.match_start(), says.turn(), lost_by("aborted", scores=None, winner=None))
    assert trace.faults == 1


def test_joint_moves_and_chances_are_told_with_the_next_turn() -> None:
    trace, shown_with = Trace(), list[list[tuple[str, str]]]()
    for line in read_conversation(EXAMPLES / "good" / "reconnect-in-a-joint-move.jsonl")[1]:
        if line.get("on", "").startswith("alice") and "frame" in line:
            entries = shown(trace.frame(line["from"], json.dumps(line["frame"])))[1:]
            shown_with += [entries] if entries else []
    assert shown_with == [
        [("note", "since the last turn: C, D, 0"), ("board", "round 1 of 3\nFirst       1 D\nSecond      1 D")],
        [("note", "since the last turn: C, C, -"), ("board", "round 2 of 3\nFirst       4 C\nSecond      4 C")],
        [("board", "round 3 of 3\nFirst       7 C\nSecond      7 C"), ("note", "a draw: 7 to 7 after 3 rounds")],
    ]
    assert trace.faults == 0


@pytest.mark.parametrize(("termination", "faults"), [("timeout", 1), ("resignation", 0)])
def test_at_a_table_the_place_and_the_bots_own_fall_are_told(termination: str, faults: int) -> None:
    trace, falls = Trace(), [{"seat": 0, "ply": 4, "termination": termination}]
    over = {"winner": 2, "scores": [0.0, 0.5, 1.0], "places": [3, 2, 1], "falls": falls, "reason": "the last there"}
    lines = lines_of(trace, says.match_start(), says.turn(), json.dumps(json.loads(says.match_over()) | over))
    assert lines[-1 - faults] == ("note", "your bot has place 3 of 3: the last there")
    assert trace.faults == faults


def test_the_ends_of_connections() -> None:
    trace = Trace()
    assert shown(trace.opened()) == [("note", "your bot opened a connection")]
    assert shown(trace.closed("server", 4000, "no login")) == [
        ("note", "the server closed the connection: 4000, no login"),
        ("next", CLOSES[4000]),
    ]
    assert shown(trace.closed("bot", 1006, ""))[-1] == ("next", LOSSES["disconnect"])
    lines_of(trace, says.tournament_over())
    assert shown(trace.closed("bot", 1000, "")) == [("note", "your bot closed the connection: 1000")]


@pytest.mark.parametrize("frame", ["{nope", "[]", "[" * 10_000, "3", '{"type": 3}', '"\\u001b[31m"', "\x1b[31m"])
def test_any_frame_of_a_bot_is_shown_on_one_plain_line(frame: str) -> None:
    (entry,) = Trace().frame("bot", frame)
    assert str(entry).isprintable()
    assert json.loads(json.dumps(entry.as_json()))["from"] == "bot"


def test_a_binary_frame() -> None:
    assert shown(Trace().frame("bot", b"abc")) == [("bot", "a binary frame of 3 bytes")]


def test_entries_for_people_are_short_and_for_programs_whole() -> None:
    legal = [str(number) for number in range(30)]
    frame = {"type": "turn", "legal": legal}
    entry = TraceEntry("server", json.dumps(frame), frame)
    assert f'"{MOST_LISTED - 1}", "... 30 in all"]' in str(entry)
    assert entry.as_json() == {"from": "server", "frame": frame}
    assert str(TraceEntry("board", "a\nb")) == "       a\n       b"
    assert str(TraceEntry("next", "do this")) == "next   do this"
    assert TraceEntry("next", "do this").as_json() == {"next": "do this"}


def test_where_something_is_hidden_the_board_is_that_of_the_view() -> None:
    game, trace = get_game("liars-dice"), Trace()
    state = game.initial().play("12345 23456").play("3x4")
    turn = {"type": "turn", "game": "liars-dice", "state": state.view(1), "ply": 2, "since": [[0, "3x4"]]}
    (board,) = [text for about, text in shown(trace.frame("server", json.dumps(turn))) if about == "board"]
    assert board == "Player A ?????  3x4\nPlayer B 23456"
    assert not shown(trace.frame("bot", move("liar")))[1:]
