"""Contexts of the browser, and the reset of a page that tests share."""

from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Browser, BrowserContext, Page, ViewportSize

from tests.browser.problems import REPORT_VIOLATIONS

PATIENCE_MS = 30_000
"""Time in ms for which a test waits for a change of a page before the test fails."""
SIZE: ViewportSize = {"width": 1280, "height": 720}
"""Playwright's default size of a page, in CSS pixels."""


async def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Make a context, with the options of Playwright's `new_context`."""
    context = await browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    await context.add_init_script(REPORT_VIOLATIONS)
    return context


async def forget(page: Page) -> None:
    """Leave the address of a page, and reset its size, its storage and further pages of its context."""
    for other in page.context.pages:
        if other is not page:
            await other.close()
    if page.url.startswith("http"):  # the scripts of a page might send a request when its token is gone
        await page.goto(urljoin(page.url, "/healthz"))
        await page.evaluate("localStorage.clear(), sessionStorage.clear()")
    await page.emulate_media(media="null", color_scheme="null", forced_colors="null", reduced_motion="null")
    await page.set_viewport_size(SIZE)
