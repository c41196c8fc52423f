"""Standard Algebraic Notation, compared with python-chess along random matches.

RUMBLE_PLIES=100000 makes the test play 100,000 plies.
"""

import os
import re
from itertools import cycle
from random import Random

import chess
import pytest
from rumble_engine import IllegalMove
from rumble_engine.games.chess import Chess
from rumble_engine.games.chess.san import san

from tests.needs import long_or

PLIES = int(os.environ.get("RUMBLE_PLIES", long_or("240", "2000")))
# Full boards, several pieces of a kind that go to the same square, castling, promotions, captures in passing.
STARTS = [
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    chess.STARTING_FEN,
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
    "4k3/8/3Q1Q2/8/8/Q2Q1Q2/8/4K3 w - - 0 1",
    "4k3/2n3n1/8/1N1N4/8/1N1N4/8/4K3 w - - 0 1",
    "8/pppppppp/4k3/8/8/4K3/PPPPPPPP/8 w - - 0 1",
    "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
]
MOST_PLIES = 30
"""Maximum number of plies of a match, so that the test gets to all of `STARTS`."""


@pytest.mark.slow
def test_every_legal_move_is_written_as_python_chess_writes_it(game: Chess) -> None:
    random, plies, forms, starts = Random(20), 0, set(), cycle(STARTS)
    while plies < PLIES:
        fen = next(starts)
        state, board = game.parse(fen, {"claims": "none"}), chess.Board(fen)
        until = plies + MOST_PLIES
        while state.outcome is None and plies < until:
            for move in state.legal_moves:
                expected = board.san(chess.Move.from_uci(move))
                assert san(state, move) == expected
                forms.add(re.sub("[1-8]", "1", re.sub("[a-h]", "a", expected)))
            move = random.choice(state.legal_moves)
            board.push_uci(move)
            state = state.play(move)
            plies += 1
    assert {"Qaa1", "Qa1a1", "Q1a1", "Naxa1", "axa1=Q+", "O-O", "O-O-O", "Ra1#"} <= forms


def test_the_game_writes_its_moves_so(game: Chess) -> None:
    state = game.initial()
    written = []
    for move in ["f2f3", "e7e5", "g2g4", "d8h4"]:
        written.append(game.written(state, move))
        state = state.play(move)
    assert written == ["f3", "e5", "g4", "Qh4#"]


@pytest.mark.parametrize(
    ("fen", "text", "moves"),
    [
        (chess.STARTING_FEN, "Nf3", ["g1f3"]),
        (chess.STARTING_FEN, "Ngf3", ["g1f3"]),
        (chess.STARTING_FEN, "Nd2", []),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", ["b1d2", "f3d2"]),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "N3d2", ["f3d2"]),
        ("6k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e8", ["e7e8n", "e7e8b", "e7e8r", "e7e8q"]),
        ("6k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e8=Q+", ["e7e8q"]),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", ["e1g1"]),
    ],
)
def test_a_typed_move_means_the_legal_moves_with_that_spelling(
    game: Chess, fen: str, text: str, moves: list[str]
) -> None:
    state = game.parse(fen)
    assert [move for move in state.legal_moves if text in game.spellings(state, move)] == moves


def test_stalemate_is_no_mate(game: Chess) -> None:
    assert san(game.parse("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"), "c1c7") == "Qc7"


def test_a_move_that_is_not_allowed_is_refused(game: Chess) -> None:
    with pytest.raises(IllegalMove):
        san(game.initial(), "e2e5")
