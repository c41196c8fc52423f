import pytest
from rumble_bots.bridges.gtp import Gtp, board_size, vertex
from rumble_bots.sdk.errors import Resign

from tests.bots.bridges.talking import hold, turn

GREETING = "= boardsize\nclear_board\nkomi\nplay\ngenmove\n\n"
OK = "= \n\n"


def engine(commands: str = GREETING) -> Gtp:
    gtp = Gtp()
    written, _ = hold(gtp.begin(), commands)
    assert written == ["list_commands"]
    return gtp


def test_a_match_of_hex_is_told_once_and_then_only_new_moves() -> None:
    gtp = engine()
    settings = {"size": 5}
    written, move = hold(gtp.move(turn("hex", settings=settings), 900), OK + OK + "= C3\n\n")
    assert (written, move) == (["boardsize 5", "clear_board", "genmove black"], "c3")
    written, move = hold(gtp.move(turn("hex", "c3,b2", settings=settings), 900), OK + "= d4\n\n")
    assert (written, move) == (["play white b2", "genmove black"], "d4")


def test_an_engine_is_sent_the_moves_it_lacks_and_a_new_attempt_from_the_start() -> None:
    gtp = engine()
    hold(gtp.move(turn("hex"), 900), OK + OK + "= a1\n\n")
    written, _ = hold(gtp.move(turn("hex", "b1,c3"), 900), OK * 4 + "= d4\n\n")
    assert written == ["boardsize 11", "clear_board", "play black b1", "play white c3", "genmove black"]
    written, _ = hold(gtp.move(turn("hex", "b1,c3,d4,e5", attempt=2), 900), OK * 6 + "= a1\n\n")
    assert written[:2] == ["boardsize 11", "clear_board"], "another attempt is another game"


def test_a_swap_has_its_own_name_there() -> None:
    gtp = engine()
    _, move = hold(gtp.move(turn("hex", "c3"), 900), OK * 3 + "= swap-pieces\n\n")
    assert move == "swap"
    written, _ = hold(engine().move(turn("hex", "c3,swap"), 900), OK * 4 + "= a2\n\n")
    assert "play white swap-pieces" in written


def test_clocks_go_to_engines_that_know_them() -> None:
    gtp = engine("= play\ntime_settings\ntime_left\n\n")
    asked = turn("hex", control={"move_ms": 2000, "bank_ms": 60_000})
    written, _ = hold(gtp.move(asked, 61_500), OK * 4 + "= a1\n\n")
    assert written[2:] == ["time_settings 60 2 1", "time_left black 61 0", "genmove black"]
    written, _ = hold(engine("= time_settings\ntime_left\n\n").move(turn("hex"), 9500), OK * 4 + "= a1\n\n")
    assert written[2:] == ["time_settings 0 10 1", "time_left black 9 1", "genmove black"]
    gtp = Gtp(clock=False)
    hold(gtp.begin(), "= time_settings\ntime_left\n\n")
    assert hold(gtp.move(asked, 61_500), OK * 2 + "= a1\n\n")[0][2:] == ["genmove black"]


def test_go_has_komi_and_colours_before_its_moves() -> None:
    pytest.importorskip("pyspiel", reason="Go needs the extra: pip install '.[openspiel]'")
    settings = {"board_size": 9, "komi": "5.5"}
    gtp = engine()
    asked = turn("openspiel:go", "B j9,W PASS", settings=settings)
    written, move = hold(gtp.move(asked, 900), OK * 5 + "= E5\n\n")
    assert written == ["boardsize 9", "clear_board", "komi 5.5", "play black j9", "play white PASS", "genmove black"]
    assert move == "B e5"
    asked = turn("openspiel:go", "B j9,W PASS,B e5", settings=settings)
    _, move = hold(engine().move(asked, 900), OK * 6 + "= pass\n\n")
    assert move == "W PASS"
    with pytest.raises(Resign, match="no handicap games"):
        hold(engine().move(turn("openspiel:go", settings={"handicap": 2}), 900), "")


def test_answers_with_ids_comments_and_several_lines() -> None:
    _, move = hold(engine("GNU Go is here\n=1 play\n\n").move(turn("hex"), 900), ["=", "", "=", "", "= b2", ""])
    assert move == "b2"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (OK + OK + "= resign\n\n", "the engine resigns"),
        ("? unacceptable size\n\n", "the engine refuses 'boardsize 11': 'unacceptable size'"),
        (OK + OK + "? boom\n\n", "the engine refuses 'genmove black': 'boom'"),
    ],
)
def test_resigning(answers: str, reason: str) -> None:
    gtp = engine()
    with pytest.raises(Resign) as resigned:
        hold(gtp.move(turn("hex"), 900), answers)
    assert str(resigned.value) == reason
    written, _ = hold(gtp.move(turn("hex"), 900), OK + OK + "= a1\n\n")
    assert written[0] == "boardsize 11", "what it knows is not sure any more"


def test_an_illegal_answer_is_passed_on_as_it_is() -> None:
    assert hold(engine().move(turn("hex"), 900), OK + OK + "= z99\n\n")[1] == "z99"


def test_boards() -> None:
    assert board_size({"columns": 8, "rows": 8}) == board_size({"size": 8}) == board_size({"board_size": 8}) == 8
    for state in ({"columns": 7, "rows": 6}, {"board": "..."}):
        with pytest.raises(Resign, match="square boards"):
            board_size(state)
    assert vertex("othello", "d3") == "d3"
