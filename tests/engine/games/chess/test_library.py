"""The libraries that make the moves: published counts, and agreement with python-chess along random matches.

RUMBLE_PERFT=5 makes the library that chess is played with count to a depth of five plies. RUMBLE_PLIES=100000 makes
each library play 100,000 plies.
"""

import os
import pickle
import subprocess
import sys
import tomllib
from itertools import cycle
from pathlib import Path
from random import Random

import chess
import pytest
from packaging.requirements import Requirement
from rumble_engine.games.chess import Chess, ChessState
from rumble_engine.games.chess.codes import CODES
from rumble_engine.games.chess.library import Opener, Position, open_position

from tests.needs import long_or

DEPTH = int(os.environ.get("RUMBLE_PERFT", "3"))
PLIES = int(os.environ.get("RUMBLE_PLIES", long_or("500", "2000")))

# The positions and counts of https://www.chessprogramming.org/Perft_Results, in the order of that page.
PUBLISHED = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", [20, 400, 8_902, 197_281, 4_865_609]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", [48, 2_039, 97_862, 4_085_603, 193_690_690]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", [14, 191, 2_812, 43_238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", [6, 264, 9_467, 422_333, 15_833_292]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", [44, 1_486, 62_379, 2_103_487, 89_941_194]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
        [46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
]
# Full boards, few pieces (where repetitions and quiet moves are frequent), castling, promotions, captures in passing.
STARTS = [
    chess.STARTING_FEN,
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "8/8/4k3/8/8/3QK3/8/8 w - - 90 70",
    "k7/8/8/8/8/8/7B/KB5n b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 140 200",
]


def perft(position: Position, depth: int) -> int:
    """Count the ways to play `depth` plies."""
    codes = position.codes()
    return len(codes) if depth == 1 else sum(perft(position.after(code), depth - 1) for code in codes)


@pytest.mark.parametrize(("key", "counts"), PUBLISHED, ids=range(1, 7))
def test_published_counts(opener: Opener, key: str, counts: list[int]) -> None:
    depths = range(1, (DEPTH if opener is open_position else 2) + 1)
    assert [perft(opener(key), depth) for depth in depths] == counts[: len(depths)]


def draws(board: chess.Board) -> dict[str, bool]:
    """Return whether python-chess sees each of the ends that need no claim, by Rumble's words for them."""
    return {
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "insufficient material": board.is_insufficient_material(),
        "fivefold repetition": board.is_fivefold_repetition(),
        "75 moves without capture or pawn move": board.is_seventyfive_moves(),
    }


def claimed(board: chess.Board) -> dict[str, bool]:
    """Return whether python-chess sees each of the draws that a player may claim, by Rumble's words for them."""
    return {
        "threefold repetition": board.is_repetition(3),
        "50 moves without capture or pawn move": board.is_fifty_moves(),
    }


def check_end(state: ChessState, ends: dict[str, bool]) -> None:
    if state.outcome is None:
        assert not any(ends.values())
    else:
        assert ends[state.outcome.reason]
        assert not state.codes()


def test_every_ply_is_that_of_python_chess(opener: Opener, game: Chess) -> None:
    random, plies, starts = Random(4), 0, cycle(STARTS)
    while plies < PLIES:
        fen = next(starts)
        state, board = game.parse(fen, {"claims": "none"}), chess.Board(fen)
        claiming: ChessState | None = game.parse(fen)
        while True:
            assert state.view()["fen"] == board.fen()
            assert state.to_move == (0 if board.turn else 1)
            position = opener(board.epd())
            assert position.is_check() == board.is_check()
            assert position.is_stuck() == (not any(board.legal_moves))
            check_end(state, draws(board))
            if claiming is not None:
                check_end(claiming, draws(board) | claimed(board))
            if state.outcome is not None:
                winner = board.result(claim_draw=False)
                assert state.outcome.scores == {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (0.5, 0.5)}[winner]
                break
            codes = [CODES[move.uci()] for move in board.legal_moves]
            assert list(state.codes()) == sorted(codes)
            assert all(position.allows(code) for code in codes)
            code = random.choice(state.codes())
            move = state.text_of(code)
            board.push_uci(move)
            state = state.after(code)
            claiming = claiming.play(move) if claiming is not None and claiming.outcome is None else None
            plies += 1


def test_a_move_is_allowed_only_if_it_is_listed(opener: Opener) -> None:
    """Try all texts that look like moves, including castling as the king's capture of its rook."""
    for key, _ in PUBLISHED:
        for turned in (key, key.replace(" w ", " b ")):
            if chess.Board(f"{turned} 0 1").is_valid():
                position = opener(turned)
                assert [code for code in sorted(CODES.values()) if position.allows(code)] == position.codes()


def test_a_position_can_be_pickled(opener: Opener) -> None:
    position = opener(PUBLISHED[1][0])
    twin = pickle.loads(pickle.dumps(position))
    assert (type(twin), twin.key, twin.codes()) == (type(position), position.key, position.codes())


def test_a_square_where_nothing_can_be_captured_in_passing_is_left_out(opener: Opener) -> None:
    assert opener("4k3/8/8/8/3pP3/8/8/4K3 b - e3").rights == "- e3"
    assert opener("4k3/8/8/8/4P3/8/8/4K3 b - e3").rights == "- -"
    # The pawn is pinned; a queen can go to the square.
    assert opener("8/8/8/8/k2pP2R/8/8/4K3 b - e3").key == "8/8/8/8/k2pP2R/8/8/4K3 b - -"
    assert opener("4k3/8/8/8/3qP3/8/8/4K3 b - e3").rights == "- -"


def test_the_native_library_plays_where_it_can_be_installed() -> None:
    project = tomllib.loads(Path(__file__).parents[4].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    (needed,) = (Requirement(each) for each in project["dependencies"] if each.startswith("cozy-chess-py"))
    usable = needed.marker is not None and needed.marker.evaluate()
    assert open_position.__name__ == ("open_cozy" if usable else "open_python_chess")


def test_python_chess_plays_where_the_native_library_is_missing() -> None:
    script = (
        "import sys; sys.modules['cozy_chess'] = None\n"
        "from rumble_engine.games.chess import GAME\n"
        "print(*GAME.initial().play('e2e4').legal_moves, 'chess' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    *moves, imported = done.stdout.split()
    assert (len(moves), moves[:2], imported) == (20, ["a7a5", "a7a6"], "True")
