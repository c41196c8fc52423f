"""The list of all pages, which the checks of accessibility and the screenshots go through."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Page, expect

from tests.e2e.processes import ADMIN_TOKEN

SETTLES_MS = 15_000
"""Time in ms after which a page that is not ready fails the test."""


async def as_it_opens(page: Page) -> None:
    """Do nothing, for pages that are checked as they open."""


async def log_in(page: Page) -> None:
    """Log in as the administrator, who may act as a host of every club, and wait for the page's content."""
    await page.locator("#token").fill(ADMIN_TOKEN)
    await page.keyboard.press("Enter")
    await expect(page.locator("#content")).to_be_visible(timeout=SETTLES_MS)
    await expect(page.locator("#count, #forecast, #clubs")).not_to_be_empty(timeout=SETTLES_MS)


async def sit_down(page: Page) -> None:
    """Begin a match against the bot that the page's address chooses, and wait for the first turn."""
    await page.locator("#start:enabled").click()
    await expect(page.locator(".headline.mine")).to_be_visible(timeout=SETTLES_MS)
    await expect(page.locator("#board [data-cell]").first).to_be_visible(timeout=SETTLES_MS)


async def aim(page: Page) -> None:
    """Begin a match and press the middle of the board, as a first move, or as a tap to be confirmed."""
    await sit_down(page)
    cells = page.locator("#board [data-cell]")
    middle = cells.nth(await cells.count() // 2)
    await (middle.tap() if await page.evaluate("matchMedia('(pointer: coarse)').matches") else middle.click())


async def resign(page: Page) -> None:
    """Give up the match, since a bot takes only a few challenges of an address at a time."""
    await page.locator("#resign").click()
    await page.locator("#resign-dialog").get_by_role("button", name="Resign").click()
    await expect(page.locator("#when-over")).to_be_visible(timeout=SETTLES_MS)


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page: its name, and its path with ids of `sample_site` in braces."""

    name: str
    path: str
    refused: int | None = None
    """The HTTP status of an error page; None for other pages."""
    enter: Callable[[Page], Awaitable[None]] = as_it_opens
    """The actions on the page before its check."""
    leave: Callable[[Page], Awaitable[None]] = as_it_opens
    """The actions on the page after its check."""
    of_main: bool = False
    """True for a page of the club main; other pages are in the site's club."""
    large: bool = False
    """True for a page that needs a `large` site, of which only screenshots are taken."""
    variant: bool = False
    """True if another page has the same template and parts; axe-core checks this one only with RUMBLE_LONG=1."""


def _played(name: str, query: str, enter: Callable[[Page], Awaitable[None]], *, variant: bool = False) -> SitePage:
    path = f"/play?against={{opponent}}&seat=0&game={query}"
    return SitePage(name, path, enter=enter, leave=resign, variant=variant)


# Add a line here for each new page.
SITE_PAGES = (
    SitePage("home", "/"),
    SitePage("lobby-empty", "/tournaments/{empty}", variant=True),
    SitePage("lobby", "/tournaments/{lobby}"),
    SitePage("running", "/tournaments/{running}"),
    SitePage("paused", "/tournaments/{paused}", variant=True),
    SitePage("finished", "/tournaments/{finished}"),
    SitePage("double", "/tournaments/{double}", variant=True),
    SitePage("swiss-running", "/tournaments/{swiss_running}", variant=True),
    SitePage("swiss", "/tournaments/{swiss}"),
    SitePage("knockout-running", "/tournaments/{knockout_running}", variant=True),
    SitePage("knockout", "/tournaments/{knockout}"),
    SitePage("gauntlet-running", "/tournaments/{gauntlet_running}", variant=True),
    SitePage("gauntlet", "/tournaments/{gauntlet}", variant=True),
    SitePage("tables", "/tournaments/{tables}"),
    SitePage("tables-match", "/matches/{tables_match}", variant=True),
    SitePage("tables-matches", "/tournaments/{tables}/matches"),
    SitePage("tables-knockout", "/tournaments/{tables_knockout}", variant=True),
    SitePage("big", "/tournaments/{big}", variant=True),
    SitePage("hundred", "/tournaments/{hundred}", large=True),
    SitePage("cancelled", "/tournaments/{cancelled}", variant=True),
    SitePage("matches", "/tournaments/{knockout}/matches"),
    SitePage("matches-big", "/tournaments/{big}/matches", variant=True),
    SitePage("matches-of-bot", "/tournaments/{swiss}/matches?bot={bot}", variant=True),
    SitePage("match-running", "/matches/{running_match}"),
    SitePage("match-othello", "/matches/{othello_match}", variant=True),
    SitePage("match-over", "/matches/{finished_match}"),
    SitePage("match-early", "/matches/{finished_match}?ply=3", variant=True),
    SitePage("match-long-names", "/matches/{long_match}", variant=True),
    SitePage("rounds", "/tournaments/{swiss}/rounds"),
    SitePage("audit", "/tournaments/{finished}/audit"),
    SitePage("bot", "/bots/{bot}"),
    SitePage("write", "/write"),
    SitePage("join", "/join?code=KMRTVA"),
    SitePage("code", "/code"),
    SitePage("code-lobby", "/code?tournament={lobby}", variant=True),
    SitePage("play", "/play"),
    SitePage("me", "/me"),
    _played("play-chess", "chess", sit_down),
    _played("play-othello", "othello", sit_down, variant=True),
    _played("play-gomoku", "gomoku", aim, variant=True),
    _played("play-gomoku-large", "gomoku&gomoku.columns=19&gomoku.rows=19", sit_down, variant=True),
    _played("play-hex", "hex", aim),
    SitePage("console-login", "/console"),
    SitePage("console", "/console", enter=log_in),
    SitePage("console-lobby", "/console/{lobby}", enter=log_in, variant=True),
    SitePage("console-running", "/console/{running}", enter=log_in),
    SitePage("console-roster", "/console/{lobby}/roster", enter=log_in),
    SitePage("console-slips", "/console/{lobby}/slips", enter=log_in),
    SitePage("results", "/tournaments/{swiss}/results"),
    SitePage("docs", "/docs"),
    SitePage("clubs", "/clubs", of_main=True),
    SitePage("admin-login", "/admin", of_main=True, variant=True),
    SitePage("admin", "/admin", enter=log_in, of_main=True),
    SitePage("main-home", "/", of_main=True, variant=True),
    SitePage("main-running", "/tournaments/{main_running}", of_main=True, variant=True),
    SitePage("main-console", "/console", enter=log_in, of_main=True, variant=True),
    SitePage("error", "/nothing-here", refused=404),
)
