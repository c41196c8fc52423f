"""Positions as text: Rumble finds exactly the faults that python-chess finds, and calls them by the same words."""

import re
from random import Random

import chess
import pytest
from rumble_engine import BadPosition
from rumble_engine.games.chess import Chess
from rumble_engine.games.chess.fen import CASTLING, Fields, faults, read

from tests.needs import long_or

ROOKS = {"K": chess.BB_H1, "Q": chess.BB_A1, "k": chess.BB_H8, "q": chess.BB_A8}
CORRECT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def random_fields(random: Random) -> Fields:
    """Return a position of a random match with some pieces, and sometimes rights, changed."""
    board = chess.Board()
    for _ in range(random.randrange(60)):
        if board.is_game_over():
            break
        board.push(random.choice(list(board.legal_moves)))
    if board.ep_square is None and random.random() < 0.3:
        board.ep_square = random.choice(range(1, 64))
    cells = re.sub(r"\s", "", str(board))
    for _ in range(random.choice((0, 1, 1, 2, 30))):
        at = random.randrange(64)
        cells = cells[:at] + random.choice("..PNBRQpnbrqKk") + cells[at + 1 :]
    passing = "-" if board.ep_square is None else chess.SQUARE_NAMES[board.ep_square]
    castling = random.choice((board.castling_xfen(), "-", "KQkq", "Kq"))
    return Fields(cells, random.choice("wb"), castling, passing, 0, 1)


def known_faults(fields: Fields) -> list[str]:
    """Return the faults that python-chess finds.

    From a FEN, python-chess guesses which rook castles, so the rights to castle are set by the rooks' corners.
    """
    board = chess.Board(f"{fields._replace(castling='-').key} 0 1")
    board.castling_rights = sum(mask for right, mask in ROOKS.items() if right in fields.castling)
    status = board.status()
    return [str(fault.name).lower().replace("_", " ") for fault in chess.Status if fault and fault in status]


@pytest.mark.parametrize("seed", range(long_or(1, 3)))
def test_faults_are_those_of_python_chess(game: Chess, seed: int) -> None:
    random, found = Random(seed), set()
    for _ in range(100):
        fields = random_fields(random)
        known = known_faults(fields)
        if fields.cells.count("K") == fields.cells.count("k") == 1:
            assert faults(fields) == known
        assert bool(faults(fields)) == bool(known)
        found.update(known)
        if known:
            with pytest.raises(BadPosition, match="the position cannot occur: "):
                game.parse(f"{fields.key} 0 1")
        else:
            assert game.parse(f"{fields.key} 0 1").view()["board"] == fields.cells
    assert len(found) > 5


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king, no black king"),
        ("4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", "bad castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w q - 0 1", "bad castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "invalid ep square"),
        ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "opposite check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawns on backrank"),
        ("4k3/8/8/8/4r3/5n2/8/r3K3 w - - 0 1", "too many checkers, impossible check"),
        ("4k3/8/8/8/4r3/8/8/r3K2r w - - 0 1", "too many checkers, impossible check"),
        ("4k3/8/8/8/8/8/8/r3K2r w - - 0 1", "impossible check"),
        ("4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1", "impossible check"),
        ("4k3/8/8/3pP3/8/8/8/r3K3 w - d6 0 1", "impossible check"),
    ],
)
def test_the_message_says_what_is_wrong(text: str, fault: str) -> None:
    with pytest.raises(BadPosition, match=f"^the position cannot occur: {fault}$"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        CORRECT[:-2],
        f" {CORRECT}",
        f"{CORRECT}\n",
        CORRECT.replace(" - ", "  "),
        CORRECT.replace("KQkq", ""),
        CORRECT.replace("KQkq", "kqKQ"),
        CORRECT.replace("/8/", "/44/", 1),
        CORRECT.replace("/8/", "/9/", 1),
        CORRECT.replace("/8/", "/7/", 1),
        CORRECT.replace("/8/", "/", 1),
        CORRECT.replace("/8/", "/8/8/", 1),
        CORRECT.replace("- 0", "i9 0"),
        CORRECT.replace(" 0 ", " \u0663 "),
        CORRECT.replace(" 0 ", " -1 "),
        CORRECT.replace(" 1", " 10000"),
    ],
)
def test_other_texts_are_no_notation(text: str) -> None:
    with pytest.raises(BadPosition, match="is not a position in Forsyth-Edwards Notation"):
        read(text)


@pytest.mark.parametrize(("old", "new"), [(" 1", " 0"), (" 0 1", " 151 99")])
def test_counts_that_cannot_occur(old: str, new: str) -> None:
    with pytest.raises(BadPosition, match="quiet plies is from 0 to 150, the number of the move from 1 to 9999"):
        read(CORRECT.replace(old, new))


def test_the_key_has_the_standard_s_order() -> None:
    assert read(CORRECT).key == CORRECT.removesuffix(" 0 1")
    assert read(CORRECT.replace("KQkq", "QKqk")).key == read(CORRECT).key
    assert "".join(CASTLING) == "KQkq"
