"""The steps of a person who plays or hosts in the browser, for tests."""

import asyncio
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Page, expect
from rumble_engine import State, get_game

from tests.browser.running_server import RunningServer


async def here(server: RunningServer, *names: str) -> None:
    """Wait until these bots accept challenges."""
    async with asyncio.timeout(20):
        while not set(names) <= {each["name"] for each in server.host.get("opponents")["opponents"]}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def sit_down(
    page: Page,
    against: str,
    game: str = "tictactoe",
    seat: int = 0,
    *,
    base: str = "",
    more: Mapping[str, str] | None = None,
) -> None:
    """Start a match by the form, filled in from the address."""
    extra = "".join(f"&{name}={value}" for name, value in (more or {}).items())
    await page.goto(f"{base}/play?game={game}&against={against}&seat={seat}{extra}")
    await expect(page.locator("input[name=against]:checked")).to_have_value(against)
    await page.locator("#start").click()
    await expect(page.locator("#players")).to_be_visible()


async def begin(page: Page, against: str, game: str = "tictactoe", **given: Any) -> None:
    """Start a match as `sit_down` does, and wait for the first turn."""
    await sit_down(page, against, game, **given)
    assert await my_turn(page)


async def moves(page: Page) -> list[str]:
    return await page.locator("#moves code").all_inner_texts()


async def position(page: Page, game: str = "tictactoe") -> State:
    """Replay the list of moves and return the position."""
    state = get_game(game).initial()
    for move in await moves(page):
        state = state.play(move)
    return state


async def my_turn(page: Page) -> bool:
    """Wait until it is the reader's turn or the match is over; return whether it is the turn."""
    await expect(page.locator(".headline.mine, #when-over:not([hidden])")).to_be_visible()
    if not await page.locator(".headline.mine").count():
        return False
    await expect(page.locator("#board .targets")).to_be_attached()  # the server draws the board after the headline
    return True


async def click(page: Page, *cells: int | str) -> None:
    for number in cells:
        await page.locator(f'#board [data-cell="{number}"]').click()


async def log_in(page: Page, token: str) -> None:
    """Log in as a host, or on the page of clubs as the administrator."""
    await page.locator("#token").fill(token)
    await page.get_by_role("button", name="Log in").click()


async def agree(page: Page, button: str) -> None:
    """Answer yes in the dialog."""
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    await dialog.get_by_role("button", name=button).click()
    await expect(dialog).to_be_hidden()
