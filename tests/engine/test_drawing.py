"""The drawing and the paths of each game; the conformance kit checks the rules that are common to all games."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest
from rumble_engine import ConformanceError, Drawing, Game, JointState, Path, Piece, State, get_game
from rumble_engine.conformance import check_game
from rumble_engine.games import (
    backgammon,
    backgammon_drawing,
    breakthrough,
    checkers,
    chess,
    connect4,
    dilemma,
    hex,
    minichess,
    mnk,
    othello,
    snakes,
    tictactoe,
)

from .shipped import PLAIN
from .take import Take


def played(game: Game, *moves: str, **settings: Any) -> State:
    state = game.initial(settings)
    for move in moves:
        state = state.play(move)
    return state


def drawn(game: Game, state: State, last: str | None = None) -> Drawing:
    drawing = game.drawing(state.view(), last)
    assert drawing is not None
    return drawing


def clicks(game: Game, state: State, move: str) -> list[str]:
    """Return the names of the cells where a move shows."""
    drawing = drawn(game, state)
    return [drawing.name_of(cells[0]) for cells in game.path(state.view(), move)]


@pytest.mark.parametrize("game", PLAIN, ids=lambda game: game.name)
def test_drawings_are_small_and_of_the_view(game: Game) -> None:
    state = game.initial()
    drawing = drawn(game, state)
    assert len(json.dumps(asdict(drawing))) < 2_000
    assert drawing.board == (state.view()["board"][::-1] if game.name == "checkers" else state.view()["board"])
    assert drawing.last == ()
    assert {piece.seat for piece in drawing.pieces.values()} == {0, 1}
    names = [drawing.name_of(cell) for cell in range(len(drawing.board))]
    assert len({name for name in names if name}) == sum(1 for name in names if name)


def test_a_mark_goes_on_its_square() -> None:
    state = played(tictactoe.GAME, "4")
    assert drawn(tictactoe.GAME, state, "4").last == (4,)
    assert tictactoe.GAME.path(state.view(), "8") == ((8,),)


def test_a_stone_falls_down_the_column_that_is_clicked_anywhere() -> None:
    game = connect4.GAME
    state = played(game, "d", "d")
    (click,) = game.path(state.view(), "d")
    assert click[0] == 3 * 7 + 3
    assert sorted(click) == [column for column in range(42) if column % 7 == 3]
    assert drawn(game, state, "d").last == (4 * 7 + 3,)
    assert drawn(game, state, "e").last == ()


@pytest.mark.parametrize(
    "game", [game for game in PLAIN if drawn(game, game.initial()).facing], ids=lambda game: game.name
)
def test_seats_that_sit_face_to_face_have_seat_0_below(game: Game) -> None:
    drawing = drawn(game, game.initial())
    seats = [drawing.pieces[mark].seat for mark in drawing.board if mark != "."]
    assert seats == [1] * (len(seats) // 2) + [0] * (len(seats) // 2)


def test_a_row_that_wins_is_marked_whole() -> None:
    won = played(tictactoe.GAME, "0", "1", "4", "2", "8")
    assert drawn(tictactoe.GAME, won, "8").last == (0, 4, 8)
    won = played(connect4.GAME, *"aabbccd")
    assert drawn(connect4.GAME, won, "d").last == (35, 36, 37, 38)
    won = played(mnk.GAME, *["a1", "b1", "a2", "b2", "a4", "b4", "a3"], columns=4, rows=4, connect=4)
    assert drawn(mnk.GAME, won, "a3").last == (0, 4, 8, 12)


def test_a_row_that_does_not_win_is_not_marked() -> None:
    state = played(mnk.GAME, *["a1", "a5", "b1", "b5", "d1", "d5", "c1"], columns=5, rows=5, connect=3, line="exact")
    assert drawn(mnk.GAME, state, "c1").last == (22,)
    across = played(tictactoe.GAME, "2", "0", "3", "1", "4")
    assert drawn(tictactoe.GAME, across, "4").last == (4,)
    assert drawn(mnk.GAME, mnk.GAME.initial(), "a1").last == (14 * 15,)


def test_a_step_is_two_clicks() -> None:
    state = breakthrough.GAME.initial()
    assert clicks(breakthrough.GAME, state, "b2b3") == ["b2", "b3"]
    assert clicks(minichess.GAME, minichess.GAME.initial(), "b2a3") == ["b2", "a3"]
    assert drawn(breakthrough.GAME, played(breakthrough.GAME, "b2b3"), "b2b3").last == (49, 41)


def test_promotions_share_their_path() -> None:
    game = chess.GAME
    state = game.parse("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    promotions = [move for move in state.legal_moves if move.startswith("a7a8")]
    assert len(promotions) == 4
    assert {game.path(state.view(), move) for move in promotions} == {((8,), (0,))}


def test_jumps_are_clicked_square_by_square() -> None:
    game = checkers.GAME
    state = game.parse("......../......../.b....../..w...../......../....w.../......../........ b")
    (jump,) = state.legal_moves
    assert jump == "9x18x27"
    assert clicks(game, state, jump) == ["9", "18", "27"]
    after = state.play(jump)
    assert [drawn(game, after).name_of(cell) for cell in drawn(game, after, jump).last] == ["9", "18", "27"]


def test_passes_and_swaps_have_no_path() -> None:
    state = played(hex.GAME, "b1", size=3)
    assert hex.GAME.path(state.view(), "swap") == ()
    swapped = drawn(hex.GAME, state.play("swap"), "swap")
    assert [swapped.name_of(cell) for cell in swapped.last] == ["a2"]
    assert othello.GAME.path(othello.GAME.initial().view(), "pass") == ()


def snakes_view(*bodies: list[list[int]]) -> dict[str, Any]:
    """Return the parts of a view that are drawn, with snakes on a board of seven columns and rows."""
    return {"size": 7, "food": [[0, 0]], "snakes": [{"body": body, "out": 0} for body in bodies]}


def test_snakes_are_drawn_by_their_letters_with_the_head_on_top() -> None:
    view = snakes_view([[1, 5], [1, 6], [0, 6]], [[6, 0], [6, 0], [6, 0]], [[3, 3], [3, 4], [3, 5]])
    view["snakes"][2]["out"] = 2
    drawing = snakes.GAME.drawing(view)
    assert drawing.board == "aa......A....." + "." * 28 + "*.....B"
    assert [drawing.name_of(cell) for cell in (0, 8, 48)] == ["0,6", "1,5", "6,0"]
    assert {piece.seat for piece in drawing.pieces.values()} == {0, 1, 2, None}, "no more snakes than seats"
    assert {piece.label for piece in drawing.pieces.values() if piece.seat == 2} == {"C", "c"}


@pytest.mark.parametrize(
    ("ply", "marked"),
    [
        ("down right", ["1,5"]),
        ("- right", []),
        ("0,0", ["0,0"]),
        ("3,3", []),
        ("-", []),
        ("down", []),
        ("up up up", []),
    ],
)
def test_the_heads_that_moved_and_the_new_food_are_marked(ply: str, marked: list[str]) -> None:
    """The second snake has run over the edge, where its head has no cell."""
    drawing = snakes.GAME.drawing(snakes_view([[1, 5], [1, 6], [0, 6]], [[7, 2], [6, 2], [5, 2]]), ply)
    assert [drawing.name_of(cell) for cell in drawing.last] == marked


@pytest.mark.parametrize("seats", range(2, 9))
def test_every_seat_of_snakes_is_told_apart_by_colour_and_by_letter(seats: int) -> None:
    drawing = snakes.GAME.drawing(snakes.GAME.initial_for(seats).view())
    heads = [piece for mark, piece in drawing.pieces.items() if mark in "ABCDEFGH"]
    assert len({piece.colour for piece in heads}) == len({piece.label for piece in heads}) == seats


def backgammon_rows(text: str, last: str | None = None) -> tuple[list[str], list[str]]:
    """Return the rows of the drawing of a position, and the names of its marked cells."""
    drawing = drawn(backgammon.GAME, backgammon.GAME.parse(text), last)
    names = [f"{drawing.name_of(cell)} {drawing.board[cell]}" for cell in drawing.last]
    return [drawing.board[start : start + 14] for start in range(0, len(drawing.board), 14)], names


def test_checkers_stand_on_their_points() -> None:
    rows, _ = backgammon_rows("-b----E-C---eE---c-e----B- X 31 0")
    assert rows == [
        *("X...O..O....X.", "X...O..O....X.", "X...O..O......", "X......O......", "X......O......"),
        ".........31...",
        *("O......X......", "O......X......", "O...X..X......", "O...X..X....O.", "O...X..X....O."),
    ]


def test_a_high_stack_has_its_number_and_the_bar_and_the_checkers_off_have_their_sides() -> None:
    rows, _ = backgammon_rows("a-----L----------------j-B O 65 8")
    ends = [row[6] + row[7] + row[11] + row[13] for row in rows]
    assert ends[:5] == ["O.OO", "..OO", "..OO", "..OO", "..e."]
    assert ends[6:] == [".G..", ".X..", ".X..", "XX..", "XX.X"]
    assert rows[5] == "..65.........."
    assert backgammon_drawing.PIECES["G"].label == "12"


@pytest.mark.parametrize(
    ("text", "ply", "marked"),
    [
        ("-b----E-C---eE---c-e----B- X 31 0", "13", [" 3", " 1"]),
        ("-b---BD-B---eE---c-e----B- O - 1", "8/5 6/5", ["8 .", "5 X", "6 .", "5 X"]),
        ("-b----E-C---dE---d-e----B- X - 2", "13/8", ["12 .", "17 O"]),
        ("-b----E-C---eE---c-e----B- O - 1", "8/99 x", []),
        ("-b----E-C---eE---c-e----B- O - 1", "8/0", []),
        ("-b----E-C---eE---c-e----B- O - 1", "pass", []),
    ],
)
def test_dice_and_the_ways_of_checkers_are_marked(text: str, ply: str, marked: list[str]) -> None:
    assert backgammon_rows(text, ply)[1] == marked


def test_a_dilemma_is_a_board_of_scores() -> None:
    state = played(dilemma.GAME, "C D", "D D", rounds=10, noise=0)
    drawing = drawn(dilemma.GAME, state, "D D")
    assert drawing.board == "AD.1ad.6"
    assert [drawing.pieces[drawing.board[cell]].name for cell in drawing.last] == ["defects", "defects"]
    assert drawn(dilemma.GAME, state, "D").last == ()
    chosen = played(dilemma.GAME, "C D", noise=10)
    assert drawn(dilemma.GAME, chosen, "C D").board == "AC..0ad..0", "the choices before chance turns them around"
    assert drawn(dilemma.GAME, chosen.play("0"), "0").board == "AD..1ad..1"


def test_a_sum_fits_its_board_whatever_the_payoffs() -> None:
    state = played(dilemma.GAME, *["D D"] * 10, rounds=10, punishment=-1000, reward=1000, temptation=1000, sucker=-1000)
    assert drawn(dilemma.GAME, state).board == "AD-10000ad-10000"


def test_keys_are_of_moves_that_are_offered() -> None:
    for game in (snakes.GAME, dilemma.GAME):
        state = game.initial()
        assert isinstance(state, JointState)
        assert list(game.keys) == [state.text_for(0, code) for code in state.codes_for(0)]
    assert not connect4.GAME.keys


def test_a_game_without_pictures_returns_no_drawing() -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    game = get_game("openspiel:go")
    assert game.drawing(game.initial().view()) is None


class DrawnTake(Take):
    """The game of `take`, drawn as a row of discs; a click on a disc takes that disc and all discs after it."""

    name = "drawn"

    def drawing(self, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
        board = ("o" * view["pile"]).ljust(20, ".")
        numbers = tuple(str(number) for number in range(20))
        return Drawing("grid", 20, board, {"o": Piece("match", None, "disc", "first")}, names=numbers)

    def path(self, view: Mapping[str, Any], move: str) -> Path:
        return ((view["pile"] - "ab".index(move) - 1,),)


def flawed(**change: Any) -> Game:
    def drawing(self: DrawnTake, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
        drawing = DrawnTake.drawing(self, view, last)
        return None if drawing is None else replace(drawing, **change)

    return broken(drawing=drawing)


def broken(**members: Any) -> Game:
    game: Game = type("BrokenTake", (DrawnTake,), members)()
    return game


def wearing(self: DrawnTake, view: dict[str, Any], last: str | None = None) -> None:
    view["pile"] = 0


def moody(self: DrawnTake, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
    return None if view["mover"] else DrawnTake.drawing(self, view, last)


def growing(self: DrawnTake, view: Mapping[str, Any], last: str | None = None) -> Drawing | None:
    drawing = DrawnTake.drawing(self, view, last)
    return None if drawing is None else replace(drawing, board=drawing.board + "." * view["mover"])


FLAWS = {
    "no columns": (flawed(columns=0), "at least one column"),
    "not rows": (flawed(columns=3), "20 cells are not rows of 3"),
    "surface": (flawed(surface="mud"), "'mud' is no surface"),
    "unexplained": (flawed(board="?" * 20), "characters that pieces does not explain: ?"),
    "piece": (flawed(pieces={"o": Piece("match", None, "stick", "first")}), "'stick' is no shape"),  # type: ignore[arg-type]
    "colour": (flawed(pieces={"o": Piece("match", None, "disc", "mauve")}), "'mauve' is no colour"),  # type: ignore[arg-type]
    "long label": (flawed(pieces={"o": Piece("match", None, "disc", "first", "100")}), "'100' is no label"),
    "top labels": (flawed(top_labels=("a",)), "top_labels has 1 entries, not 20 or none"),
    "nameless": (flawed(pieces={"o": Piece("", None, "disc", "first")}), "has no name"),
    "labels": (flawed(column_labels=("a",)), "column_labels has 1 entries, not 20 or none"),
    "edges": (flawed(edges=("first",)), "edges has 1 entries, not 4 or none"),
    "last": (flawed(last=(20,)), "last is not cells of the board"),
    "last of nonsense": (flawed(last=(0,)), "marks cells for a text that is no move"),
    "off the board": (broken(path=lambda self, view, move: ((20,),)), "a path leaves the board"),
    "nothing to click": (broken(path=lambda self, view, move: ((),)), "a click of a path has no cell"),
    "beginning": (broken(path=lambda self, view, move: ((0,),) * (1 + "ab".index(move))), "begins that of another"),
    "path without drawing": (broken(drawing=Take.drawing), "path() gives cells, but drawing() gives None"),
    "changed view": (broken(drawing=wearing), "changed the view it was given"),
    "now and then": (broken(drawing=moody), "two drawings differ in more than board and last"),
    "another size": (broken(drawing=growing), "two drawings differ in more than board and last"),
    "crash": (broken(path=lambda self, view, move: 1 / 0), "ZeroDivisionError"),
}


def test_a_drawn_game_passes_the_kit() -> None:
    assert check_game(DrawnTake()).playouts == 100


@pytest.mark.parametrize("flaw", FLAWS)
def test_the_kit_finds_a_flawed_drawing(flaw: str) -> None:
    game, problem = FLAWS[flaw]
    with pytest.raises(ConformanceError) as caught:
        check_game(game, playouts=20)
    assert problem in str(caught.value)
