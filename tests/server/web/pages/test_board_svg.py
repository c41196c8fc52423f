"""Boards as SVG: well-formed and in words for any text of a game, with the script's shapes."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rumble_engine import Drawing, Piece, game_names, get_game
from rumble_server.web.pages.board_svg import SHAPES, describe, seat_piece, svg
from rumble_server.web.static_files import STATIC

NASTY = '"><script>alert(1)</script>'
GAMES = game_names()


def drawing(name: str) -> Drawing:
    game = get_game(name)
    drawn = game.drawing(game.initial().view())
    assert drawn is not None
    return drawn


def parsed(drawn: Drawing, label: str = "ann – ben", *, flipped: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(svg(drawn, label, flipped))


def places(picture: ElementTree.Element) -> list[str]:
    return [piece.attrib["transform"] for piece in picture.iter("g") if "transform" in piece.attrib]


@pytest.mark.parametrize("name", GAMES)
def test_every_piece_is_inside_the_picture(name: str) -> None:
    drawn = drawing(name)
    picture = parsed(drawn)
    _, _, width, height = map(int, picture.attrib["viewBox"].split())
    assert len(places(picture)) == len(drawn.board) - drawn.board.count(".")
    for place in places(picture):
        x, y = map(int, re.findall(r"\d+", place))
        assert 50 <= x <= width - 50
        assert 50 <= y <= height - 50
    for each in picture.iter("text"):
        assert 0 <= int(each.attrib["x"]) <= width
        assert 0 <= int(each.attrib["y"]) <= height


def test_a_picture_has_no_style_and_no_script() -> None:
    attributes = {name for game in GAMES for each in parsed(drawing(game)).iter() for name in each.attrib}
    assert "style" not in attributes
    assert not [name for name in attributes if name.startswith("on")]


def test_markup_in_the_texts_of_a_game_is_text() -> None:
    piece = {"x": Piece(NASTY, 0, "disc", "first")}
    drawn = Drawing("grid", 1, "x", piece, (NASTY,), (NASTY,))
    picture = parsed(drawn, NASTY)
    assert [each.text for each in picture.iter("text")] == [NASTY, NASTY]
    assert "<script" not in svg(drawn, NASTY)
    assert picture.attrib["aria-label"].startswith(NASTY)


def test_the_position_is_told_in_words() -> None:
    drawn = drawing("minichess")
    assert describe(drawn) == "white king: b1. white pawn: a2, b2, c2, d2. black king: c4. black pawn: a3, b3, c3, d3."
    assert describe(drawing("tictactoe")) == "Nothing on the board."
    assert parsed(drawn).attrib["aria-label"] == f"ann – ben. {describe(drawn)}"


def test_checkers_of_a_point_are_counted_and_a_board_without_names_is_read_row_by_row() -> None:
    assert (
        describe(drawing("backgammon")) == "white: 13 (5), 24 (2), 6 (5), 8 (3). black: 17 (3), 19 (5), 12 (5), 1 (2)."
    )
    dice = get_game("backgammon").parse("-b----E-C---eE---c-e----B- X 31 0").view()
    rolled = get_game("backgammon").drawing(dice)
    assert rolled is not None
    assert describe(rolled).startswith("die 1. die 3. white: ")
    assert describe(drawing("dilemma")) == "First 0. Second 0."
    assert describe(drawing("snakes")).endswith("food: 5,5; 2,2; 10,0.")


def test_labels_are_above_and_below_and_on_pieces() -> None:
    pieces = {"o": Piece("match", None, "disc", "first", "7")}
    picture = parsed(Drawing("points", 2, "...o..", pieces, ("a", "b"), top_labels=("c", "d")))
    texts = [(each.text, int(each.attrib["y"])) for each in picture.iter("text")]
    assert texts == [("a", 370), ("b", 370), ("c", 22), ("d", 22), ("7", 0)]
    assert picture.attrib["viewBox"] == "0 0 216 392"


def test_the_second_seat_sees_its_side_below_where_the_game_has_sides() -> None:
    chess = drawing("chess")
    assert places(parsed(chess, flipped=True)) == places(parsed(chess))[::-1]
    texts = [each.text for each in parsed(chess).iter("text")]
    assert [each.text for each in parsed(chess, flipped=True).iter("text")] == texts
    stones = replace(drawing("connect4"), board="X" + "." * 41)
    assert svg(stones, "", flipped=True) == svg(stones, "")


def test_a_seat_has_its_piece() -> None:
    assert ElementTree.fromstring(seat_piece(drawing("gomoku"), 1)).attrib["aria-label"] == "white"
    assert seat_piece(Drawing("grid", 1, ".", {"o": Piece("match", None, "disc", "first")}), 0) == ""


def test_every_shape_and_class_has_its_colours() -> None:
    sheet = (STATIC / "css" / "board.css").read_text(encoding="utf-8")
    for paths in SHAPES.values():
        for kind, data in paths:
            assert f".{kind}" in sheet
            assert re.fullmatch(r"[MmLlHhVvCcAaZz0-9 .-]+", data)
