"""Chess: published counts, the draws of the FIDE laws, agreement with python-chess itself, texts and errors."""

import subprocess
import sys
from random import Random

import chess
import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.chess import GAME, ChessState

from tests.engine.games.counting import ended, perft, played

KNIGHTS = "g1f3 g8f6 f3g1 f6g8"

# The positions and counts of https://www.chessprogramming.org/Perft_Results, by their numbers there.
PUBLISHED = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8_902]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2_039, 97_862]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2_812, 43_238]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9_467]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1_486, 62_379]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", [46, 2_079, 89_890]),
]


@pytest.mark.parametrize(("fen", "counts"), PUBLISHED, ids=range(1, 7))
def test_published_counts(fen: str, counts: list[int]) -> None:
    state = GAME.parse(fen)
    assert [perft(state, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("seed", range(8))
def test_moves_and_ends_are_those_of_python_chess(seed: int) -> None:
    """Along a random match without claims, whose end python-chess finds too."""
    random, state, board = Random(seed), GAME.initial({"claims": "none"}), chess.Board()
    while True:
        assert list(state.legal_moves) == [] or sorted(state.legal_moves) == sorted(
            move.uci() for move in board.legal_moves
        )
        assert state.view()["fen"] == board.fen()
        known = board.outcome()
        assert (state.outcome is None) == (known is None)
        if state.outcome is not None and known is not None:
            winner = {chess.WHITE: 0, chess.BLACK: 1, None: None}[known.winner]
            assert state.outcome.winner == winner
            return
        move = random.choice(list(state.legal_moves))
        state = state.play(move)
        board.push_uci(move)


@pytest.mark.parametrize("seed", range(3))
def test_claims_are_those_of_python_chess(seed: int) -> None:
    """With few pieces and random moves, repetitions and quiet moves are frequent."""
    fen = ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "8/8/4k3/8/8/3QK3/8/8 w - - 90 70", "k7/8/8/8/8/8/7B/KB5n b - - 0 1")[
        seed
    ]
    random, state, board = Random(seed), GAME.parse(fen), chess.Board(fen)
    while state.outcome is None:
        assert not board.is_repetition(3)
        assert board.halfmove_clock < 100
        move = random.choice(list(state.legal_moves))
        state = state.play(move)
        board.push_uci(move)
    claimable = board.is_repetition(3) or board.is_fifty_moves()
    assert board.outcome() is not None or claimable


def test_a_scholars_mate() -> None:
    state = played(GAME.initial(), "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7")
    assert ended(state) == (0, "checkmate")


@pytest.mark.parametrize(
    ("fen", "winner", "reason"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None, "stalemate"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 150 99", 0, "checkmate"),
        ("7k/8/6K1/8/8/8/8/6B1 b - - 0 1", None, "insufficient material"),
        ("7k/8/6K1/8/8/8/8/6R1 b - - 100 99", None, "50 moves without capture or pawn move"),
    ],
)
def test_ends(fen: str, winner: int | None, reason: str) -> None:
    assert ended(GAME.parse(fen)) == (winner, reason)


def test_the_third_appearance_is_claimed_and_the_fifth_needs_no_claim() -> None:
    assert ended(played(GAME.initial(), f"{KNIGHTS} {KNIGHTS}")) == (None, "threefold repetition")
    unclaimed = GAME.initial({"claims": "none"})
    assert played(unclaimed, " ".join([KNIGHTS] * 3)).outcome is None
    assert ended(played(unclaimed, " ".join([KNIGHTS] * 4))) == (None, "fivefold repetition")


def test_fifty_moves_are_claimed_and_75_need_no_claim() -> None:
    fen = "7k/8/6K1/8/8/8/8/6R1 w - - {} 99"
    assert ended(played(GAME.parse(fen.format(99)), "g1f1")) == (None, "50 moves without capture or pawn move")
    assert played(GAME.parse(fen.format(148), {"claims": "none"}), "g1f1").outcome is None
    assert ended(played(GAME.parse(fen.format(149), {"claims": "none"}), "g1f1"))[1].startswith("75 moves")
    assert ended(played(GAME.parse("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80"), "a1a8")) == (0, "checkmate")


def test_a_position_with_castling_lost_is_another() -> None:
    """The first position had the right to castle, so it differs from the later two with the pieces back."""
    start = GAME.parse("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    state = played(start, "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8")
    assert state.outcome is None
    assert ended(played(state, "a1b1"))[1] == "threefold repetition"


def test_a_capture_in_passing_makes_another_position_only_if_it_is_legal() -> None:
    start = GAME.parse("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1").play("e2e4")
    assert " e3 " in start.view()["fen"]
    assert "d4e3" in start.legal_moves
    assert start.play("d4e3").view()["board"].count("P") == 0
    alone = GAME.parse("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").play("e2e4")
    assert " - " in alone.view()["fen"]
    shuffle = "e8d8 e1d1 d8e8 d1e1"
    assert played(start, f"{shuffle} {shuffle}").outcome is None
    assert ended(played(alone, f"{shuffle} {shuffle}"))[1] == "threefold repetition"


def test_history_comes_back_from_view_and_text() -> None:
    state = played(GAME.initial(), f"e2e4 e7e5 {KNIGHTS} g1f3")
    assert state.view()["since"] == [*KNIGHTS.split(), "g1f3"]
    for twin in (GAME.load(state.view()), GAME.parse(state.text())):
        assert twin == state
        assert ended(played(twin, "g8f6 f3g1 f6g8"))[1] == "threefold repetition"


@pytest.mark.parametrize(
    "since", [["e2e4"], ["f3g1"], ["b8c6"], ["f3g1", "b8c6"], ["?"], ["g8f6"] * 9, ["c6b8", "b8c6"]]
)
def test_a_history_that_cannot_be_is_refused(since: list[str]) -> None:
    view = played(GAME.initial(), "e2e4 e7e5 b1c3 b8c6 g1f3").view()
    with pytest.raises(BadPosition, match="`since`"):
        GAME.load({**view, "since": since})


def test_texts() -> None:
    state = GAME.initial().play("e2e4")
    assert state.text() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert state.view()["board"] == "rnbqkbnrpppppppp" + "." * 20 + "P" + "." * 11 + "PPPP.PPPRNBQKBNR"
    assert state.diagram().split("\n")[4] == "4 . . . . P . . ."
    assert state.board == chess.Board(state.text())


@pytest.mark.parametrize(
    ("moves", "problem"),
    [
        ("e7e5", "no piece of yours is on e7"),
        ("e4e5", "no piece of yours is on e4"),
        ("e2e5", "no such move"),
        ("e1g1", "no such move"),
        ("e2e4q", "a promotion ends with the new piece"),
        ("e2e4 e7e5 d1h5 f7f6", "the king would be attacked"),
        ("e2e2", "no such move"),
    ],
)
def test_moves_that_are_not_allowed(moves: str, problem: str) -> None:
    with pytest.raises(IllegalMove, match=problem):
        played(GAME.initial(), moves)


@pytest.mark.parametrize(
    "text", ["e2", "e4", "Nf3", "O-O", "0000", "e2-e4", "E2E4", "e2e4 ", "e7e8k", "i2i4", "e2e4qq"]
)
def test_only_the_exact_notation_counts(text: str) -> None:
    with pytest.raises(UnreadableMove, match="is not a move: write two squares"):
        GAME.initial().play(text)


@pytest.mark.parametrize(
    "text",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 151 99",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQQBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1",
        "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "9/8/8/8/8/8/8/8 w - - 0 1",
    ],
)
def test_positions_that_cannot_occur(text: str) -> None:
    with pytest.raises(BadPosition):
        GAME.parse(text)


def test_settings() -> None:
    with pytest.raises(BadSettings, match="claims must be one of referee, none, not 'players'"):
        GAME.initial({"claims": "players"})
    assert GAME.initial() != GAME.initial({"claims": "none"})


def test_the_error_without_the_extra_names_it() -> None:
    script = (
        "import sys; sys.modules['chess'] = None\n"
        "from rumble_engine import MissingExtra\n"
        "try:\n    import rumble_engine.games.chess\n"
        "except MissingExtra as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "chess needs the extra: pip install 'rumble[chess]'\n"


def test_a_state_is_equal_only_to_its_like() -> None:
    state: ChessState = GAME.initial()
    assert state == GAME.initial()
    assert state != "e2e4"
    assert state.play("g1f3").play("g8f6").play("f3g1").play("f6g8") != state
