"""Pieces stand out, light and dark: a piece or its outline 3:1 from its background, a label 4.5:1 from its piece."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from playwright.async_api import Page
from rumble_engine import Drawing, game_names, get_game

from tests.browser.axe import SCHEMES

pytestmark = pytest.mark.slow

LEAST = 3.0
"""The minimum contrast of graphics by WCAG 2.2 (1.4.11)."""
LEAST_OF_TEXT = 4.5
"""The minimum contrast of text by WCAG 2.2 (1.4.3)."""
PLACES = {"card": "raised", "to-move": "accent-paper", "page": "paper"}
"""The backgrounds of pieces beside names, each with the variable of its colour."""
MEASURE = """async ([drawing, places]) => {
  document.querySelector("main").replaceChildren();
  const { picture, seatPiece } = await import("/static/drawing.js");
  const light = (colour) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [less, more] = [light(one), light(other)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  };
  const standsOut = (piece, behind) => {
    const style = getComputedStyle(piece.querySelector(".body, .pen"));
    const colours = [style.fill, style.stroke].filter((colour) => colour !== "none");
    return Math.max(...colours.map((colour) => contrast(colour, behind)));
  };
  const found = {};
  const put = (classes, child) => {
    const place = document.createElement("div");
    place.className = classes;
    place.append(child);
    document.querySelector("main").append(place);
    return place;
  };
  for (const [name, variable] of Object.entries(places)) {
    for (const seat of new Set(Object.values(drawing.pieces).flatMap((piece) => piece.seat ?? []))) {
      const place = put("drawn token", seatPiece(drawing, seat));
      place.style.background = `var(--${variable})`;
      found[`${seat} beside a name, ${name}`] = standsOut(place, getComputedStyle(place).backgroundColor);
    }
  }
  const board = put("drawn", picture(drawing, "a board"));
  for (const kind of ["grid", "felt", "wood", "holes", "hexagons", "light-squares", "dark-squares"]) {
    const surface = board.querySelector(`.${kind}`);
    for (const piece of surface ? board.querySelectorAll(".piece") : []) {
      found[`${piece.getAttribute("class")} on ${kind}`] = standsOut(piece, getComputedStyle(surface).fill);
    }
  }
  const read = {};
  for (const label of document.querySelectorAll(".piece text")) {
    const fill = getComputedStyle(label.parentNode.querySelector(".body")).fill;
    read[label.parentNode.getAttribute("class")] = contrast(getComputedStyle(label).fill, fill);
  }
  return [found, read];
}"""


def all_pieces(name: str) -> Drawing:
    """Return a board with every piece of a game."""
    game = get_game(name)
    drawing = game.drawing(game.initial_for(game.most_seats).view())
    assert drawing is not None
    marks = "".join(drawing.pieces)
    rows = max(len(drawing.board), len(marks) + drawing.columns - 1) // drawing.columns
    return replace(drawing, board=marks.ljust(rows * drawing.columns, "."))


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_pieces_stand_out(page: Page, scheme: Any) -> None:
    await page.emulate_media(color_scheme=scheme)
    await page.goto("/")
    for name in game_names():
        found, read = await page.evaluate(MEASURE, [asdict(all_pieces(name)), PLACES])
        assert len(found) > 2 * len(PLACES), name
        assert {what: round(ratio, 2) for what, ratio in found.items() if ratio < LEAST} == {}, name
        assert {what: round(ratio, 2) for what, ratio in read.items() if ratio < LEAST_OF_TEXT} == {}, name
