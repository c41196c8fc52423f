import pytest
from rumble_bots.bridges.dialogue import Garbled
from rumble_bots.bridges.uci import MATE, Uci, UciWishes, clocks, thought
from rumble_bots.sdk.bot import Noted
from rumble_bots.sdk.errors import BadProgram, Resign

from tests.bots.bridges.talking import hold, turn

GREETING = """Stockfish 15 by the authors
id name Stockfish 15
option name Hash type spin default 16 min 1 max 33554432
option name Skill Level type spin default 20 min 0 max 20
option name Odd
uciok"""


def test_the_greeting_sets_the_options_under_the_names_that_the_engine_gives_them() -> None:
    uci = Uci(UciWishes({"skill level": "3", "Hash": "32"}))
    written, _ = hold(uci.begin(), GREETING + "\nreadyok")
    assert written == ["uci", "setoption name Skill Level value 3", "setoption name Hash value 32", "isready"]


def test_an_option_that_the_engine_does_not_have_is_told_with_those_it_has() -> None:
    with pytest.raises(BadProgram, match="has no option 'Hsah'; it offers: Hash, Skill Level, Odd"):
        hold(Uci(UciWishes({"Hsah": "32"})).begin(), GREETING)


def test_the_position_is_told_from_the_first_move_on() -> None:
    uci = Uci(UciWishes(depth=5))
    written, move = hold(uci.move(turn("chess"), 9000), "readyok\ninfo depth 1\nbestmove e2e4 ponder e7e5")
    assert (written, move) == (["ucinewgame", "isready", "position startpos", "go depth 5"], "e2e4")
    written, move = hold(uci.move(turn("chess", "e2e4,e7e5"), 9000), "bestmove g1f3")
    assert (written, move) == (["position startpos moves e2e4 e7e5", "go depth 5"], "g1f3")
    written, _ = hold(uci.move(turn("chess", attempt=2), 9000), "readyok\nbestmove e2e4")
    assert written[0] == "ucinewgame", "another attempt is another game"


@pytest.mark.parametrize(
    ("wishes", "go"),
    [
        (UciWishes(nodes=1000), "go nodes 1000"),
        (UciWishes(depth=3, movetime_ms=50), "go depth 3 movetime 50"),
        (UciWishes(), "go movetime 9000"),
    ],
)
def test_limits(wishes: UciWishes, go: str) -> None:
    written, _ = hold(Uci(wishes).move(turn("chess"), 9000), "readyok\nbestmove e2e4")
    assert written[-1] == go


@pytest.mark.parametrize(
    ("control", "remaining_ms", "seats_ms", "think_ms", "told"),
    [
        ({}, 10_000, None, 9000, "movetime 9000"),
        ({}, 10_000, None, 0, "movetime 1"),
        (
            {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500},
            40_000,
            [40_000, 50_000],
            39_000,
            "wtime 39000 btime 49000 winc 500 binc 500",
        ),
        (
            {"move_ms": 2000, "bank_ms": 60_000},
            42_000,
            [42_000, 800],
            41_000,
            "wtime 41000 btime 1 winc 2000 binc 2000",
        ),
    ],
)
def test_clocks(
    control: dict[str, int], remaining_ms: int, seats_ms: list[int] | None, think_ms: int, told: str
) -> None:
    asked = turn("chess", control=control, remaining_ms=remaining_ms, seats_ms=seats_ms)
    assert clocks(asked, think_ms) == told


def test_a_promotion_in_capitals_is_ours_all_the_same() -> None:
    asked = turn("chess", "a2a4,b7b5,a4b5,a7a6,b5a6,b8c6,a6a7,a8b8")
    _, move = hold(Uci(UciWishes()).move(asked, 9), "readyok\nbestmove A7B8Q")
    assert move == "a7b8q"


def test_an_illegal_move_is_passed_on_as_it_is() -> None:
    assert hold(Uci(UciWishes()).move(turn("chess"), 9), "readyok\nbestmove e2e5")[1] == "e2e5"


@pytest.mark.parametrize("best", ["bestmove (none)", "bestmove 0000"])
def test_no_move_resigns(best: str) -> None:
    with pytest.raises(Resign, match="the engine finds no move"):
        hold(Uci(UciWishes()).move(turn("chess"), 9), f"readyok\n{best}")


@pytest.mark.parametrize("best", ["bestmove", "bestmoves e2e4"])
def test_a_garbled_answer(best: str) -> None:
    with pytest.raises(Garbled, match="not a bestmove"):
        hold(Uci(UciWishes()).move(turn("chess"), 9), f"readyok\n{best}")


def test_thoughts_of_the_engine_go_with_its_move_as_info() -> None:
    lines = """readyok
info string NNUE evaluation using nn.nnue
info depth 1 seldepth 1 multipv 1 score cp 10 nodes 20 nps 20000 time 1 pv d2d4
info depth 9 seldepth 12 multipv 1 score cp -35 nodes 1234 nps 20000 hashfull 3 tbhits 0 time 42 pv e2e4 e7e5 g1f3
info depth 9 seldepth 12 multipv 2 score cp -80 nodes 1300 time 44 pv a2a3
info depth 10 currmove e2e4 currmovenumber 1
info depth 10 score cp 900 lowerbound nodes 1500 time 50
bestmove e2e4 ponder e7e5"""
    _, move = hold(Uci(UciWishes()).move(turn("chess"), 9000), lines)
    assert move == "e2e4"
    assert isinstance(move, Noted)
    assert move.note == ""
    assert move.info == {"score": -0.35, "depth": 10, "nodes": 1500, "time_ms": 50, "pv": ["e2e4", "e7e5", "g1f3"]}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("info score mate 3", {"score": MATE - 3}),
        ("info score mate -2", {"score": 2 - MATE}),
        ("info score mate 0", {"score": -MATE}),
        ("info", {}),
        ("", {}),
        ("depth 3", {}),
        ("info depth", {}),
        ("info depth x nodes -1x time 9" + "9" * 5000, {}),
        ("info string depth 3 pv e2e4", {}),
    ],
)
def test_lines_of_engines(line: str, told: dict[str, object]) -> None:
    assert thought(line) == told
