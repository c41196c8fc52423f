"""Boards as self-contained pictures."""

import re
from random import Random
from xml.etree import ElementTree

import pytest
from rumble_engine import Drawing, game_names, get_game
from rumble_server.web.pages.picture import MAKES_PNG, PNG_WIDTH, picture, png

from tests.needs import missing

SVG = "{http://www.w3.org/2000/svg}"


def drawing_of(name: str) -> Drawing:
    """Return the drawing after ten random plies, or at the end."""
    game, random = get_game(name), Random(name)
    state, move = game.initial(), ""
    for _ in range(10):
        if state.outcome is None:
            codes = [state.draw(random.getrandbits(256))] if state.is_chance else list(state.codes())
            move = state.text_of(random.choice(codes))
            state = state.play(move)
    drawing = game.drawing(state.view(), move)
    assert drawing is not None
    return drawing


@pytest.mark.parametrize("name", game_names())
def test_a_picture_needs_nothing_else(name: str) -> None:
    root = ElementTree.fromstring(picture(drawing_of(name), "A <board> & more"))
    assert root.tag == f"{SVG}svg"
    assert root.attrib["aria-label"].startswith("A <board> & more. ")
    assert int(root.attrib["width"]) > 0 < int(root.attrib["height"])
    style = root.findtext(f"{SVG}style") or ""
    used, set_ = set(re.findall(r"var\((--[\w-]+)\)", style)), re.findall(r"(--[\w-]+):", style)
    assert sorted(set_) == sorted(2 * list(used)), "each variable for light and for dark"
    assert "{ " not in style
    assert style.count("{") == style.count("}")


@pytest.mark.parametrize("name", game_names())
def test_everything_has_its_colour(name: str) -> None:
    """Every class of a painted element has a rule in the picture's style."""
    drawn = picture(drawing_of(name), "A board", light=True)
    root = ElementTree.fromstring(drawn)
    style = root.findtext(f"{SVG}style") or ""
    painted = {tag for tag in root.iter() if tag.tag in (f"{SVG}path", f"{SVG}rect", f"{SVG}circle")}
    classes = {tag.attrib["class"].split()[0] for tag in painted}
    assert {name for name in classes if f".{name}" not in style} == set()
    assert "var(" not in drawn
    assert "@media" not in drawn


def test_a_board_with_sides_can_be_turned_round() -> None:
    drawing = drawing_of("chess")
    assert picture(drawing, "") != picture(drawing, "", flipped=True)


def test_png_has_the_board_on_paper() -> None:
    if not MAKES_PNG:
        missing("resvg-py is not installed (the extra `pictures`)")
    drawn = png(drawing_of("chess"), "A board")
    assert drawn.startswith(b"\x89PNG")
    assert int.from_bytes(drawn[16:20]) == PNG_WIDTH
    assert len(drawn) > 10_000, "pieces and squares"
