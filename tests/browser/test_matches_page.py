"""All matches of a tournament on a phone: in pages, without scrolling sideways, searched without scripts."""

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.browser.conftest import OpenPage
from tests.browser.sample_site import LONG_NAMES, MANY, SampleSite

PHONE: ViewportSize = {"width": 360, "height": 800}
MATCHES = len(MANY) * (len(MANY) - 1) // 2
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


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.slow
async def test_one_goes_from_page_to_page_and_searches(
    open_page: OpenPage, sample_site: SampleSite, *, scripts: bool
) -> None:
    page = await open_page(viewport=PHONE, java_script_enabled=scripts)
    await page.goto(sample_site.path("/tournaments/{big}"))
    await page.get_by_role("link", name="All matches").click()
    await expect(page.get_by_text(f"{MATCHES} over, the newest first; here 1 to 50")).to_be_visible()
    pages = page.get_by_role("navigation", name="Pages").first
    await pages.get_by_role("link", name="Last").click()
    last = -(-MATCHES // 50)
    await expect(pages.get_by_text(f"{last} of {last}")).to_be_visible()
    await expect(page.locator(".match-list tbody tr")).to_have_count(MATCHES % 50)
    await pages.get_by_role("link", name="Previous").click()
    await expect(pages.get_by_text(f"{last - 1} of {last}")).to_be_visible()

    await page.get_by_label("Bot", exact=True).fill(MANY[2].upper())
    await page.get_by_role("button", name="Search").click()
    await expect(page.get_by_role("heading", name=f"Matches of {MANY[2]}")).to_be_visible()
    await expect(page.locator(".match-list tbody tr")).to_have_count(len(MANY) - 1)
    await page.get_by_label("Against").fill(MANY[5])
    await page.get_by_label("Against").press("Enter")
    await expect(page.get_by_role("heading", name=f"Matches of {MANY[2]} against {MANY[5]}")).to_be_visible()
    await expect(page.locator(".match-list tbody tr")).to_have_count(1)
    await page.get_by_label("Against").fill("nobody")
    await page.get_by_role("button", name="Search").click()
    await expect(page.get_by_text("No bot nobody is in this tournament.")).to_be_visible()
    await page.get_by_role("link", name="All matches").click()
    await expect(page.locator(".match-list tbody tr")).to_have_count(50)


async def test_a_search_offers_the_names_of_the_field(page: Page, sample_site: SampleSite) -> None:
    await page.goto(sample_site.path("/tournaments/{finished}/matches"))
    for label in ("Bot", "Against"):
        offered = await page.get_by_label(label, exact=True).evaluate(
            "(field) => [...field.list.options].map((o) => o.value)"
        )
        assert offered == sorted(LONG_NAMES, key=str.casefold)
