"""Chess: the ends and draws of the FIDE laws, texts and errors, with each library."""

import pytest
from rumble_engine import BadPosition, BadSettings, IllegalMove, UnreadableMove
from rumble_engine.games.chess import Chess, ChessState

from tests.engine.games.counting import ended, played

KNIGHTS = "g1f3 g8f6 f3g1 f6g8"


def test_a_scholars_mate(game: Chess) -> None:
    state = played(game.initial(), "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7")
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
def test_ends(game: Chess, fen: str, winner: int | None, reason: str) -> None:
    assert ended(game.parse(fen)) == (winner, reason)


def test_the_third_appearance_is_claimed_and_the_fifth_needs_no_claim(game: Chess) -> None:
    assert ended(played(game.initial(), f"{KNIGHTS} {KNIGHTS}")) == (None, "threefold repetition")
    unclaimed = game.initial({"claims": "none"})
    assert played(unclaimed, " ".join([KNIGHTS] * 3)).outcome is None
    assert ended(played(unclaimed, " ".join([KNIGHTS] * 4))) == (None, "fivefold repetition")


def test_fifty_moves_are_claimed_and_75_need_no_claim(game: Chess) -> None:
    fen = "7k/8/6K1/8/8/8/8/6R1 w - - {} 99"
    assert ended(played(game.parse(fen.format(99)), "g1f1")) == (None, "50 moves without capture or pawn move")
    assert played(game.parse(fen.format(148), {"claims": "none"}), "g1f1").outcome is None
    assert ended(played(game.parse(fen.format(149), {"claims": "none"}), "g1f1"))[1].startswith("75 moves")
    assert ended(played(game.parse("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80"), "a1a8")) == (0, "checkmate")


def test_a_position_with_castling_lost_is_another(game: Chess) -> None:
    """At the start white may castle, so the start differs from the later two positions with the same pieces."""
    start = game.parse("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    state = played(start, "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8")
    assert state.outcome is None
    assert ended(played(state, "a1b1"))[1] == "threefold repetition"


def test_a_capture_in_passing_makes_another_position_only_if_it_is_legal(game: Chess) -> None:
    start = game.parse("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1").play("e2e4")
    assert " e3 " in start.view()["fen"]
    assert "d4e3" in start.legal_moves
    assert start.play("d4e3").view()["board"].count("P") == 0
    alone = game.parse("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").play("e2e4")
    assert " - " in alone.view()["fen"]
    shuffle = "e8d8 e1d1 d8e8 d1e1"
    assert played(start, f"{shuffle} {shuffle}").outcome is None
    assert ended(played(alone, f"{shuffle} {shuffle}"))[1] == "threefold repetition"


def test_history_comes_back_from_view_and_text(game: Chess) -> None:
    state = played(game.initial(), f"e2e4 e7e5 {KNIGHTS} g1f3")
    assert state.view()["since"] == [*KNIGHTS.split(), "g1f3"]
    for twin in (game.load(state.view()), game.parse(state.text())):
        assert twin == state
        assert ended(played(twin, "g8f6 f3g1 f6g8"))[1] == "threefold repetition"


@pytest.mark.parametrize(
    "since", [["e2e4"], ["f3g1"], ["b8c6"], ["f3g1", "b8c6"], ["?"], ["g8f6"] * 9, ["c6b8", "b8c6"]]
)
def test_a_history_that_cannot_be_is_refused(game: Chess, since: list[str]) -> None:
    view = played(game.initial(), "e2e4 e7e5 b1c3 b8c6 g1f3").view()
    with pytest.raises(BadPosition, match="`since`"):
        game.load({**view, "since": since})


def test_texts(game: Chess) -> None:
    state = game.initial().play("e2e4")
    assert state.text() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert state.view()["board"] == "rnbqkbnrpppppppp" + "." * 20 + "P" + "." * 11 + "PPPP.PPPRNBQKBNR"
    assert state.diagram().split("\n")[4] == "4 . . . . P . . ."


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
def test_moves_that_are_not_allowed(game: Chess, moves: str, problem: str) -> None:
    with pytest.raises(IllegalMove, match=problem):
        played(game.initial(), moves)


@pytest.mark.parametrize(
    "text", ["e2", "e4", "Nf3", "O-O", "0000", "e2-e4", "E2E4", "e2e4 ", "e7e8k", "i2i4", "e2e4qq"]
)
def test_only_the_exact_notation_counts(game: Chess, text: str) -> None:
    with pytest.raises(UnreadableMove, match="is not a move: write two squares"):
        game.initial().play(text)


def test_settings(game: Chess) -> None:
    with pytest.raises(BadSettings, match="claims must be one of referee, none, not 'players'"):
        game.initial({"claims": "players"})
    assert game.initial() != game.initial({"claims": "none"})


def test_a_state_is_equal_only_to_its_like(game: Chess) -> None:
    state: ChessState = game.initial()
    assert state == game.initial()
    assert state != "e2e4"
    assert state.play("g1f3").play("g8f6").play("f3g1").play("f6g8") != state
