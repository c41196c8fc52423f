import pytest
from rumble_bots.bridges.dialogue import Garbled
from rumble_bots.bridges.gomocup import Gomocup
from rumble_bots.sdk.errors import Resign

from tests.bots.bridges.talking import hold, turn

INFO = ["INFO timeout_turn 9000", "INFO timeout_match 0", "INFO time_left 2147483647", "INFO game_type 1"]


def test_the_answer_to_about_shows_a_brain() -> None:
    assert hold(Gomocup().begin(), 'MESSAGE hello\nname="brain", version="1"')[0] == ["ABOUT"]


def test_begin_then_turn() -> None:
    brain = Gomocup()
    written, move = hold(brain.move(turn("gomoku"), 9000), "OK\nDEBUG depth 3\n7,7")
    assert (written, move) == (["START 15", *INFO, "INFO rule 0", "BEGIN"], "h8")
    written, move = hold(brain.move(turn("gomoku", "h8,a15"), 9000), "8,6")
    assert (written[-1], move) == ("TURN 0,0", "i9")


def test_board_where_the_brain_does_not_know_the_moves() -> None:
    brain = Gomocup()
    written, move = hold(brain.move(turn("gomoku", "h8,a1,h9"), 9000), "OK\n0,0")
    assert written[6:] == ["BOARD", "7,7,2", "0,14,1", "7,6,2", "DONE"]
    assert move == "a15"
    written, _ = hold(brain.move(turn("gomoku", "h8,a1,h9,b2,h10"), 9000), "0,1")
    assert written[5] == "BOARD", "its last move did not count"
    assert written[6:] == ["7,7,2", "0,14,1", "7,6,2", "1,13,1", "7,5,2", "DONE"]


def test_rules_and_shape() -> None:
    settings = {"columns": 12, "rows": 10, "line": "exact"}
    control = {"move_ms": 0, "bank_ms": 60_000}
    asked = turn("gomoku", settings=settings, control=control)
    written, move = hold(Gomocup().move(asked, 9000), "OK\n0,0")
    assert written[0] == "RECTSTART 12,10"
    assert {"INFO rule 1", "INFO timeout_match 60000", "INFO time_left 9000"} <= set(written)
    assert move == "a10"


def test_a_square_off_the_board_is_passed_on_as_it_is() -> None:
    assert hold(Gomocup().move(turn("gomoku"), 9), "OK\n15,0")[1] == "15,0"


def test_an_answer_that_is_no_square_is_garbled() -> None:
    with pytest.raises(Garbled, match="it answered 'ERROR what', not a square"):
        hold(Gomocup().move(turn("gomoku"), 9), "OK\nERROR what")


def test_a_match_that_the_brain_does_not_play_is_resigned() -> None:
    with pytest.raises(Resign, match="five in a row, not 4"):
        hold(Gomocup().move(turn("gomoku", settings={"connect": 4}), 9), "")
    with pytest.raises(Resign, match="the brain refuses 'START 15': 'ERROR size'"):
        hold(Gomocup().move(turn("gomoku"), 9), "ERROR size")
