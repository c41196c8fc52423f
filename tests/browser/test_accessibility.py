"""axe-core finds nothing on any page, light or dark, narrow or wide; and no page has another problem."""

import pytest

from tests.browser.axe import CHECK, SCHEMES, WIDTHS, complaints
from tests.browser.conftest import OpenPage
from tests.browser.problems import Problems
from tests.browser.sample_site import SampleSite
from tests.browser.site_pages import SITE_PAGES, SitePage


@pytest.mark.parametrize(
    "site_page", [each for each in SITE_PAGES if not each.large], ids=lambda site_page: site_page.name
)
async def test_nothing_is_found(
    site_page: SitePage, axe: str, open_page: OpenPage, sample_site: SampleSite, problems: Problems
) -> None:
    if site_page.refused is not None:
        problems.allow(f"{site_page.refused}")
    page = await open_page(base_url=sample_site.server.url, reduced_motion="reduce")
    answer = await page.goto(sample_site.path(site_page.path))
    assert answer is not None
    assert answer.status == (site_page.refused or 200)
    await site_page.enter(page)
    await page.evaluate(axe)
    found = []
    for scheme, rules in SCHEMES.items():
        for width in WIDTHS:
            await page.emulate_media(color_scheme=scheme)
            await page.set_viewport_size({"width": width, "height": 800})
            told = complaints(await page.evaluate(CHECK, rules))
            found += [f"{scheme}, {width}: {each}" for each in told]
    assert found == []


async def test_axe_sees_what_it_is_for(axe: str, open_page: OpenPage) -> None:
    page = await open_page()
    await page.goto("/")
    await page.evaluate(axe)
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    (complaint,) = complaints(await page.evaluate(CHECK, ()))
    assert complaint.startswith("button-name (critical)")
