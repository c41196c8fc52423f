"""The README's picture of a running tournament: `python -m tests.pictures.tournament`

The script runs a server and reference bots as processes. Once much of the tournament is played, the script saves a
picture of its page as docs/images/tournament.png, with a frame that is visible on light and dark pages.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page

from tests.browser.chromium import browsing, chromium
from tests.browser.running_server import RunningServer, started_server
from tests.e2e.processes import RUMBLE, clean_environment, running

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "tournament.png"
BOTS = {
    "ada": ("minimax", "--time-ms", "100"),
    "blaise": ("minimax", "--time-ms", "60", "--depth", "2"),
    "deep-thought": ("mcts", "--time-ms", "100"),
    "grace": ("minimax", "--time-ms", "60", "--depth", "3"),
    "hal": ("mcts", "--time-ms", "60"),
    "marvin": ("random",),
    "robby": ("heuristic",),
    "tik-tok": ("streetwise", "--time-ms", "60", "--depth", "2"),
}
"""Bots' names, and the reference bot with its options that plays under each name."""
WIDTH, HEIGHT, SHARPNESS = 1180, 815, 1.5
FRAME = """
html {background: transparent}
body {border: 1px solid #8888; border-radius: 12px; overflow: hidden; height: 100vh}
"""


async def take(browser: Browser, server: RunningServer, tournament: str, enough: Callable[[Any], bool]) -> bytes:
    """Take a picture of a tournament's page as soon as enough of the tournament is played."""
    page: Page = await browser.new_page(
        viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SHARPNESS, bypass_csp=True
    )
    await page.goto(f"{server.url}/tournaments/{tournament}")
    await server.until(tournament, enough)
    await page.add_style_tag(content=FRAME)
    return await page.screenshot(omit_background=True)


def is_telling(view: Any) -> bool:
    """Return whether the page has much to show: half of the matches are over, and three boards are full."""
    full = [board for board in view["running"] if board["ply"] >= 8]
    return bool(view["matches_over"] >= view["matches_total"] / 2 and len(full) >= 3)


async def picture(program: str, bots: dict[str, tuple[str, ...]], enough: Callable[[Any], bool]) -> bytes:
    """Run a tournament of these bots until enough is played, and return the picture of its page."""
    with tempfile.TemporaryDirectory(prefix="rumble-") as name, ExitStack() as stack:
        folder = Path(name)
        server = stack.enter_context(started_server(folder))
        tournament = server.create("Friday rumble", "connect4", start_at_bots=len(bots), cycles=2)
        for bot, (player, *options) in bots.items():
            command = [*RUMBLE, "bot", player, "--server", server.url, "--join", tournament, "--name", bot, *options]
            stack.enter_context(running(command, clean_environment(folder), folder / f"{bot}.log"))
        async with browsing(program) as browser:
            return await take(browser, server, tournament, enough)


if __name__ == "__main__":
    found = chromium()
    if found is None:
        sys.exit("there is no Chromium here (`CHROMIUM` may name one)")
    PICTURE.write_bytes(asyncio.run(picture(found, BOTS, is_telling)))
