"""All matches of a tournament on a phone: in pages, without scrolling sideways."""

from playwright.async_api import Page, ViewportSize

from tests.browser.sample_site import SampleSite

PHONE: ViewportSize = {"width": 360, "height": 800}
MOST_HEIGHT = 5000
"""Largest height of a page of matches on a phone, in CSS pixels: about six screens."""


async def test_a_page_of_matches_fits_a_phone(page: Page, sample_site: SampleSite) -> None:
    await page.set_viewport_size(PHONE)
    for which in ("big", "finished"):
        await page.goto(sample_site.path(f"/tournaments/{{{which}}}/matches"))
        assert await page.evaluate("document.documentElement.scrollHeight") < MOST_HEIGHT, which
        ends = await page.locator(".match-list .scores").evaluate_all(
            "(results) => results.map((result) => result.getBoundingClientRect().right)"
        )
        assert ends
        assert max(ends) <= PHONE["width"], f"the results of {which} are on the screen"
