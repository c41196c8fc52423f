"""The first screen of a match's page, for every game: board, clocks, controls, moves; desktop, projector, phone."""

from typing import Any

import pytest
from playwright.async_api import Page
from rumble_engine import game_names

from tests.browser.paced_bots import PacedBots
from tests.browser.running_server import RunningServer

SCREENS = ((1280, 800), (1920, 1080), (1024, 768), (390, 844), (360, 740))
PARTS = ["#board svg", ".replay", *(f"[data-seat='{seat}'].seat{part}" for seat in (0, 1) for part in ("", " .clock"))]
BESIDE = ["#moves", ".links"]
LOOK = """(selectors) => {
  const { innerWidth, innerHeight } = window;
  const outside = selectors.filter((selector) => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    return !inside || box.width === 0 || box.height === 0;
  });
  if (document.documentElement.scrollWidth > innerWidth) outside.push("the page is wider than the screen");
  return outside;
}"""
CUT = """() => {
  const [board, around] = ["#board svg", "#board"].map((each) => document.querySelector(each).getBoundingClientRect());
  const fits = board.bottom <= around.bottom + 1 && board.right <= around.right + 1;
  const large = board.height > 0.5 * innerHeight || board.width > 0.85 * innerWidth;
  return !fits || !large;
}"""


def long_name(start: str) -> str:
    return f"{start}-{'m' * 40}"[:32]


async def begun(server: RunningServer, paced_bots: PacedBots, game: str, bots: str = "") -> str:
    """Begin a match of two bots with the longest names, stop it at its third ply, and return its id."""
    names = [long_name(f"{bots or game}-{number}") for number in (1, 2)]
    cup, _ = await paced_bots.held(
        server, f"Screen of {game}", game, *names, ply=2, legs=1, time_control={"bank_ms": 36_000_000}
    )
    return f"{cup}.1.1.1.1"


@pytest.mark.slow
async def test_the_first_screen_has_the_parts_that_readers_look_at(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    """The bots have names of the maximum length, which must not widen the page."""
    for game in game_names():
        match = await begun(server, paced_bots, game)
        await page.goto(f"/matches/{match}")
        for width, height in SCREENS:
            await page.set_viewport_size({"width": width, "height": height})
            parts = PARTS + (BESIDE if width >= 1280 else [])
            assert await page.evaluate(LOOK, parts) == [], (game, width)
            assert not await page.evaluate(CUT), f"the board of {game} is cut off or small at {width}"


async def facts(page: Page, seat: int) -> Any:
    """The line of a seat shows piece, name, side and clock."""
    line = page.locator(f"[data-seat='{seat}'].seat")
    return [
        await line.locator(".token svg").get_attribute("aria-label"),
        await line.locator(".name").text_content(),
        await line.locator(".name").get_attribute("title"),
        await line.locator(".seat-name").text_content(),
        await line.locator(".clock").is_visible(),
    ]


@pytest.mark.slow
async def test_each_seat_has_its_line_beside_its_side_of_the_board(
    page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    match = await begun(server, paced_bots, "chess", "sides")
    names = server.host.get(f"matches/{match}")["seats"]
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.goto(f"/matches/{match}")
    assert await facts(page, 0) == ["white king", names[0], names[0], "White", True]
    assert await facts(page, 1) == ["black king", names[1], names[1], "Black", True]

    async def tops() -> list[float]:
        found = [page.locator(each) for each in ("[data-seat='1'].seat", "#board svg", "[data-seat='0'].seat")]
        boxes = [await each.bounding_box() for each in found]
        return [box["y"] for box in boxes if box is not None]

    assert await tops() == sorted(await tops()), "black, the board, white"
    await page.locator("#flip").click()
    black, board, white = await tops()
    assert white < board < black
    first = page.locator("#board .labels text").first
    assert await first.text_content() == "a"
    box, around = await first.bounding_box(), await page.locator("#board svg").bounding_box()
    assert box is not None
    assert around is not None
    assert box["x"] > around["x"] + around["width"] / 2, "the board is turned round, too"
    await page.keyboard.press("f")
    assert await tops() == sorted(await tops())
