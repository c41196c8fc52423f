"""Minichess: known counts, each ending, each setting, texts and errors."""

from typing import Any

import pytest
from rumble_engine import BadPosition, IllegalMove, UnreadableMove
from rumble_engine.games.minichess import GAME

from tests.engine.games.counting import ended, perft, played, random_states


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (GAME.initial().text(), [8, 38, 168, 591, 2_039]),
        ("k.../..P./.p../..K. W 0", [5, 10, 24, 85, 286]),
        ("..k./P.../..p./K... B 0", [5, 10, 42, 154, 631]),
    ],
)
def test_counts(text: str, counts: list[int]) -> None:
    """The counts of a plain second implementation of the rules."""
    assert [perft(GAME.parse(text), depth) for depth in range(1, 6)] == counts


def test_checkmate() -> None:
    state = GAME.parse("k.../..../K.../..Q. W 3").play("c1c4")
    assert ended(state) == (0, "checkmate")
    assert ended(GAME.parse("..../.k.q/..../K... B 0").play("d3d1")) == (1, "checkmate")


@pytest.mark.parametrize(("rule", "winner"), [("draw", None), ("loss", 0)])
def test_stalemate_is_a_draw_or_a_loss(rule: str, winner: int | None) -> None:
    state = GAME.parse("k.../..Q./..../K... B 0", {"stalemate": rule})
    assert ended(state) == (winner, "stalemate")


@pytest.mark.parametrize(("rule", "end"), [("queen", None), ("win", (0, "pawn reached the last row"))])
def test_promotion(rule: str, end: tuple[int, str] | None) -> None:
    state = GAME.parse("..../P..k/..../.K.. W 5", {"promotion": rule})
    if end is None:
        after = state.play("a3a4q")
        assert after.text() == "Q.../...k/..../.K.. B 0"
        with pytest.raises(IllegalMove, match="write a3a4q"):
            state.play("a3a4")
    else:
        assert ended(state.play("a3a4")) == end
        with pytest.raises(IllegalMove, match="write a3a4"):
            state.play("a3a4q")


def test_draws() -> None:
    assert ended(GAME.parse("..k./.p../P.../.K.. W 0").play("a2b3").play("c4b3")) == (None, "only kings are left")
    state = GAME.parse("k.../..../p.../...K W 0", {"quiet_plies": 3})
    assert ended(played(state, "d1d2 a4b4 d2d3")) == (None, "no capture and no pawn move")


def test_both_sides_and_mirrors_see_one_canonical() -> None:
    for seed in range(5):
        for state in random_states(GAME, seed):
            board, mark, quiet = state.text().split(" ")
            mirrored = "/".join(row[::-1] for row in board.split("/"))
            swapped = board[::-1].swapcase()
            twins = f"{mirrored} {mark} {quiet}", f"{swapped} {'BW'['WB'.index(mark)]} {quiet}"
            assert {GAME.parse(twin).canonical() for twin in twins} == {state.canonical()}
            assert {GAME.parse(twin).estimate() for twin in twins} == {state.estimate()}


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        ("b3b2", "no piece of yours is on b3"),
        ("a2a3", "no such move"),
        ("b1d1", "no such move"),
        ("c2b3q", "write c2b3"),
    ],
)
def test_moves_that_are_not_allowed(move: str, problem: str) -> None:
    with pytest.raises(IllegalMove, match=problem):
        GAME.initial().play(move)


def test_the_king_is_never_left_attacked() -> None:
    with pytest.raises(IllegalMove, match="the king would be attacked"):
        GAME.parse("..k./..../q.../K... W 0").play("a1b1")
    for text in ("e1e2", "a2", "a2a3n", "a2-a3", "A2A3", "a2a3 "):
        with pytest.raises(UnreadableMove):
            GAME.initial().play(text)


@pytest.mark.parametrize(
    ("text", "settings", "problem"),
    [
        ("..../pppp/PPPP/.K.. W 0", {}, "one king"),
        ("p.k./..../..../.K.. W 0", {}, "a pawn stands where no pawn can"),
        ("P.k./..../..../.K.. B 0", {}, "a pawn stands where no pawn can"),
        ("..k./..../..../.KQ. W 0", {}, "the king of the side that has moved is attacked"),
        ("..k./..../..../.K.q W 0", {"promotion": "win"}, "no queens"),
        ("..k./..../..../.K.. W 21", {}, "from 0 to 20"),
        ("..k./..../.K.. W 0", {}, "is not 4 rows"),
        ("..k./..x./..../.K.. W 0", {}, "other characters"),
    ],
)
def test_positions_that_cannot_occur(text: str, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        GAME.parse(text, settings)
