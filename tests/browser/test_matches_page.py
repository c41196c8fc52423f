"""All matches of a tournament on a phone: in pages, without scrolling sideways, searched without scripts."""

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.sample_site import LONG_NAMES, MANY, SampleSite

if TYPE_CHECKING:
    from playwright.async_api import Page

PHONE = {"width": 360, "height": 800}
MATCHES = len(MANY) * (len(MANY) - 1) // 2
MOST_HEIGHT = 5000
"""Largest height of a page of matches on a phone, in CSS px: some six screens."""
SIZE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"


async def phone(open_page: OpenPage, site: SampleSite, *, scripts: bool) -> "Page":
    return await open_page(base_url=site.server.url, viewport=PHONE, java_script_enabled=scripts)


@pytest.mark.parametrize("which", ["big", "finished"])
async def test_a_page_of_matches_fits_a_phone(open_page: OpenPage, sample_site: SampleSite, which: str) -> None:
    page = await phone(open_page, sample_site, scripts=True)
    await page.goto(sample_site.path(f"/tournaments/{{{which}}}/matches"))
    width, height = await page.evaluate(SIZE)
    assert width == PHONE["width"]
    assert height < MOST_HEIGHT
    results = page.locator(".match-list .scores")
    for number in range(await results.count()):
        box = await results.nth(number).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"], "the result is on the screen"


@pytest.mark.parametrize("scripts", [True, False])
async def test_one_goes_from_page_to_page_and_searches(
    open_page: OpenPage, sample_site: SampleSite, *, scripts: bool
) -> None:
    page = await phone(open_page, sample_site, scripts=scripts)
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


async def test_a_search_offers_the_names_of_the_field(open_page: OpenPage, sample_site: SampleSite) -> None:
    page = await phone(open_page, sample_site, scripts=True)
    await page.goto(sample_site.path("/tournaments/{finished}/matches"))
    for label in ("Bot", "Against"):
        offered = await page.get_by_label(label, exact=True).evaluate(
            "(field) => [...field.list.options].map((o) => o.value)"
        )
        assert offered == sorted(LONG_NAMES, key=str.casefold)
