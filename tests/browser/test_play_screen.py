"""A person plays bots on a phone or by mouse: taps, choices, and what is on the screen."""

import re
import zlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.browser.opponents import Opponents, WaitingBot
from tests.browser.playing import begin, click, here, moves, my_turn, sit_down
from tests.browser.problems import Problems
from tests.browser.running_server import RunningServer
from tests.browser.tabs import forget, new_context

PHONES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 360, "height": 740})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def touched(browser: Browser, server: RunningServer) -> AsyncIterator[Page]:
    """The page that all tests share as `phone`."""
    context = await new_context(browser, base_url=server.url, has_touch=True, is_mobile=True, viewport=PHONES[0])
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def phone(touched: Page, problems: Problems) -> AsyncIterator[Page]:
    """A page on a phone with touch."""
    async with problems.watching(touched.context):
        await touched.set_viewport_size(PHONES[0])
        yield touched
        await forget(touched)
    assert problems.found == []


@pytest_asyncio.fixture(loop_scope="session")
async def rival(request: pytest.FixtureRequest, opponents: Opponents, server: RunningServer) -> str:
    """The name of an opponent for this test alone, since a bot takes only a few challenges of an address at a time."""
    name = f"rival-{zlib.crc32(request.node.nodeid.encode()):08x}"
    opponents.reference("random", name)
    await here(server, name)
    return name


async def tap(page: Page, cell: int) -> None:
    await page.locator(f'#board [data-cell="{cell}"]').tap()


@pytest.mark.parametrize("size", PHONES, ids=lambda size: str(size["width"]))
@pytest.mark.slow
async def test_on_small_cells_a_tap_is_confirmed(phone: Page, rival: str, size: ViewportSize) -> None:
    await phone.set_viewport_size(size)
    await begin(phone, rival, "gomoku")
    await expect(phone.locator("#board .choices")).to_have_text("Tap a place; then confirm it here.")
    await tap(phone, 112)
    await expect(phone.locator("#board .choices button")).to_have_text("Play h8")
    await expect(phone.locator("#board .choices button")).to_be_in_viewport(ratio=1)
    await tap(phone, 113)
    await expect(phone.locator("#board .choices button")).to_have_text("Play i8")
    assert await moves(phone) == []
    await phone.locator("#board .choices button").tap()
    await expect(phone.locator("#moves li")).to_have_count(2)
    assert (await moves(phone))[0] == "i8"
    assert await my_turn(phone)
    free = 0 if (await moves(phone))[1] != "a15" else 1
    await tap(phone, free)
    await expect(phone.locator("#board .choices button")).to_have_count(1)
    await tap(phone, free)
    await expect(phone.locator("#moves li")).to_have_count(4)


async def test_on_large_cells_a_tap_plays(phone: Page, rival: str) -> None:
    await phone.set_viewport_size(PHONES[1])
    await begin(phone, rival, "chess")
    await tap(phone, 52)
    await tap(phone, 36)
    await expect(phone.locator("#moves li")).to_have_count(2)
    assert (await moves(phone))[0] == "e2e4"


async def test_a_mouse_needs_no_confirmation(page: Page, rival: str) -> None:
    await page.set_viewport_size(PHONES[1])
    await begin(page, rival, "gomoku")
    await click(page, 112)
    await expect(page.locator("#moves li")).to_have_count(2)


@pytest.mark.parametrize("game", ["gomoku", "chess", "hex"])
async def test_board_clocks_and_confirmation_are_on_the_first_screen(phone: Page, rival: str, game: str) -> None:
    await begin(phone, rival, game)
    parts = ["#headline", "#board svg", "#seats .seat-clock >> nth=0", "#seats .seat-clock >> nth=1"]
    if await phone.locator("#board.confirms").count():
        parts.append("#board .choices")
    for size in PHONES:
        await phone.set_viewport_size(size)
        for what in parts:
            await expect(phone.locator(what)).to_be_in_viewport(ratio=1)


@pytest.mark.slow
async def test_seats_are_called_as_their_pieces_look(page: Page, rival: str) -> None:
    await begin(page, rival, "othello", seat=1)
    assert await page.locator("#seats .seat-plays").all_inner_texts() == ["Black", "White"]
    await expect(page.locator("#seats .token svg")).to_have_count(2)


@pytest.mark.slow
async def test_a_choice_under_a_bank_draws_the_board_once(page: Page, rival: str) -> None:
    await begin(page, rival, "chess", more={"clock": "blitz"})
    drawn = page.locator("#board .surface *")
    assert await drawn.count() > 2
    await drawn.evaluate_all("all => all.forEach((each) => { each.kept = true; })")
    await click(page, 52, 36)
    await expect(page.locator("#moves li")).to_have_count(2)
    assert await my_turn(page)
    await expect(page.locator("#seats li").first.locator(".seat-clock")).to_have_text(re.compile(r"^0:[45]\d$"))
    assert await drawn.evaluate_all("all => all.every((each) => each.kept)")


async def test_moves_of_both_seats_at_once_are_chosen_by_single_keys(
    page: Page, server: RunningServer, opponents: Opponents
) -> None:
    """A snake that goes in one direction meets the edge after a few turns."""
    bot = WaitingBot()
    bot.may_move.set()
    opponents.add(bot, "play-snakes")
    await here(server, "play-snakes")
    await sit_down(page, "play-snakes", "snakes", more={"snakes.rules": "constrictor", "snakes.size": "7"})
    choices, over = page.locator("#board .choices button"), page.locator("#when-over:not([hidden])")
    listed = []
    while True:
        await expect(choices.first.or_(over)).to_be_visible()
        if await over.count():
            break
        listed.append(await moves(page))
        await page.keyboard.press("ArrowRight")
    assert listed == [["right up"] * turn for turn in range(len(listed))]
    assert await moves(page) == ["right up"] * len(listed)
    assert len(listed) >= 2


async def test_only_a_board_to_choose_on_speaks(page: Page) -> None:
    """A page may show many boards, so boards alone must not be live regions for screen readers."""
    await page.goto("/")
    spoken = await page.evaluate(
        """async () => {
          const { BoardView } = await import("/static/board.js");
          const root = document.createElement("div");
          document.querySelector("main").append(root);
          const view = new BoardView(root);
          const count = () => root.querySelectorAll("[role=status]").length;
          view.show({ drawing: null, diagram: "a board" });
          const before = count();
          view.choose({ a: [] }, () => {});
          return [before, count()];
        }"""
    )
    assert spoken == [0, 1]
