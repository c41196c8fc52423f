import json
from dataclasses import replace

import pytest
from rumble_bots.bridges.stdio import BareStdio, Stdio, line_of
from rumble_bots.sdk.errors import Crashed, Resign
from rumble_protocol import server_messages as server

from tests.bots.bridges.talking import hold, turn
from tests.bots.sdk import says

TURN = turn("tictactoe", "4")


def test_the_line_is_the_message_that_the_server_sent() -> None:
    message = says.read(server.Turn, line_of(TURN))
    assert (message.moves, message.legal, message.state) == (["4"], list(TURN.legal), TURN.state)
    assert (message.turn_id, message.seat, message.ply, message.clock) == ("1.1", 1, 1, TURN.clock)
    assert "\n" not in line_of(TURN)


def test_the_line_has_the_events_since_the_last_turn() -> None:
    since = [(0, "C"), (1, "D"), (None, "-")]
    own = turn("dilemma")
    line = line_of(replace(own, message=own.message.model_copy(update={"since": since})))
    assert says.read(server.Turn, line).since == since


@pytest.mark.parametrize("answer", ["0", " 0 ", '"0"', "\n\n0"])
def test_a_turn_in_a_move_out(answer: str) -> None:
    written, move = hold(Stdio().move(TURN, 9), answer)
    assert [json.loads(line)["type"] for line in written] == ["turn"]
    assert move == "0"


@pytest.mark.parametrize("answer", ["nonsense", '"', '"unfinished', "{}", "resigned"])
def test_any_other_answer_of_the_program_is_passed_on(answer: str) -> None:
    assert hold(Stdio().move(TURN, 9), answer)[1] == answer


def test_legal_moves_in_a_move_out() -> None:
    assert hold(BareStdio().move(TURN, 9), "8") == (["0 1 2 3 5 6 7 8"], "8")


def test_moves_with_spaces_have_tabs_between() -> None:
    pytest.importorskip("pyspiel", reason="Go needs the extra: pip install '.[openspiel]'")
    written, move = hold(BareStdio().move(turn("openspiel:go", settings={"board_size": 2}), 9), "B a1")
    assert (written, move) == (["B a1\tB b1\tB a2\tB b2\tB PASS"], "B a1")


@pytest.mark.parametrize("dialogue", [Stdio(), BareStdio()])
def test_resigning(dialogue: Stdio | BareStdio) -> None:
    with pytest.raises(Resign, match="the program resigns"):
        hold(dialogue.move(TURN, 9), "Resign")


def test_a_failed_strategy_is_a_crash_with_its_message() -> None:
    with pytest.raises(Crashed, match=r"^line 4: no such move$"):
        hold(Stdio().move(TURN, 9), "failed: line 4: no such move")


def test_messages_about_matches_go_only_to_programs_that_want_them() -> None:
    start = says.read(server.MatchStart, says.match_start())
    assert Stdio().report(start) == ()
    (line,) = Stdio(everything=True).report(start)
    assert says.read(server.MatchStart, line) == start
