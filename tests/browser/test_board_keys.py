"""Moves that a single key makes: snakes by the arrow keys, the dilemma by C and D."""

import pytest
from playwright.async_api import Page, expect
from rumble_engine import get_game

CHOOSE = """async ([game, state]) => {
  const { MoveBoard } = await import("/static/play/move_board.js");
  const root = document.createElement("div");
  const field = document.createElement("input");
  document.querySelector("main").replaceChildren(root, field);
  window.made = [];
  window.board = new MoveBoard(root, () => {});
  window.board.begin("a board", false);
  const position = { game, settings: {}, state, moves: [] };
  window.ask = (legal) => window.board.draw(position, legal, (move) => window.made.push(move));
}"""


async def offer(page: Page, name: str, *legal: str) -> None:
    """Show the start of a game on the page, and offer moves."""
    await page.evaluate(CHOOSE, [name, get_game(name).initial().view()])
    await page.evaluate("(legal) => window.ask(legal)", list(legal))


async def made(page: Page) -> list[str]:
    moves: list[str] = await page.evaluate("window.made")
    return moves


@pytest.mark.parametrize(
    ("game", "key", "move"),
    [("snakes", "ArrowUp", "up"), ("snakes", "ArrowLeft", "left"), ("dilemma", "d", "D"), ("dilemma", "C", "C")],
)
async def test_a_key_anywhere_on_the_page_makes_its_move_once(home: Page, game: str, key: str, move: str) -> None:
    await offer(home, game, *get_game(game).keys)
    await home.keyboard.press(key)
    await home.keyboard.press(key)
    assert await made(home) == [move], "the first press ends the choice"
    await home.evaluate("(legal) => window.ask(legal)", list(get_game(game).keys))
    await home.keyboard.press(key)
    assert await made(home) == [move, move]


async def test_other_keys_fields_and_moves_that_are_not_offered_make_no_move(home: Page) -> None:
    await offer(home, "dilemma", "C")
    assert await home.locator(".choices").inner_text() == "C\nKeys: C"
    for key in ("d", "x", "Control+c", "ArrowUp"):
        await home.keyboard.press(key)
    await home.locator("main input").press("c")
    assert await made(home) == []
    assert await home.locator("main input").input_value() == "c"
    await home.evaluate("document.activeElement.blur()")
    await home.keyboard.down("c")
    await home.evaluate("(legal) => window.ask(legal)", ["C"])
    await home.keyboard.down("c")
    assert await made(home) == ["C"], "a key that is held makes a single move"


async def test_a_finger_has_buttons_and_no_cursor_is_on_the_board(home: Page) -> None:
    await home.set_viewport_size({"width": 390, "height": 800})
    await offer(home, "snakes", *get_game("snakes").keys)
    buttons = home.locator(".choices button")
    assert await buttons.all_inner_texts() == ["up", "down", "left", "right"]
    assert await home.locator(".choices span").inner_text() == "Keys: ↑ ↓ ← →"
    await expect(home.locator("svg .cursor")).to_have_count(0)
    for button in await buttons.all():
        box = await button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    await buttons.first.click()
    assert await made(home) == ["up"]
