"""Rules for every page. A page is opened once, and all tests read the same visit.

axe-core checks a page of each template, on a screen and in a colour scheme that change from page to page; with
RUMBLE_LONG=1 axe-core checks each page on each screen. Pages that are variants of others are slow tests.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from rumble_engine import game_names, get_game

from tests.browser.axe import CHECK, axe_script, complaints
from tests.browser.problems import Problems
from tests.browser.sample_site import CLUB, SampleSite
from tests.browser.site_pages import SITE_PAGES, SitePage
from tests.browser.tabs import forget, new_context
from tests.needs import LONG, long_or

ROOT = f"/c/{CLUB}"
LOOKS = [*product((1280, 360), ("light", "dark"))]
WIDTHS = long_or((320, 390, 1280), (320, 360, 390, 1280, 1920))
"""Widths of windows in CSS pixels. The first is the width of a window of 1280 px at a zoom of 400% (WCAG 1.4.10)."""
SHARED = re.compile(r"/static/[\w./-]+|/clubs")
"""Paths outside the club to which pages of all clubs may lead."""
ADDRESSES = """[...document.querySelectorAll("[href], [src], [action], [data-source]")].flatMap((each) =>
  ["href", "src", "action", "data-source"].filter((name) => each.hasAttribute(name) && each.getAttribute(name) !== "")
    .map((name) => new URL(each.getAttribute(name), location.href).href))"""
KEPT = "[...Object.keys(localStorage), ...Object.keys(sessionStorage)]"
TITLES = re.compile("|".join(re.escape(get_game(name).title) for name in game_names()))
NAMES = re.compile(rf"\b({'|'.join(game_names())})\b")
TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const around = walker.currentNode.parentElement;
    if (!around.closest("code, pre, script, style, template")) found.push(walker.currentNode.textContent);
  }
  return found;
}"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit of a page, and the facts that tests check."""

    site_page: SitePage
    status: int | None
    addresses: list[str]
    """The addresses of the page's links, and of its requests."""
    kept: list[str]
    """The keys of the page's values in the browser's storage."""
    texts: list[str]
    overflows: list[int]
    """The widths of windows in which the page is wider than the window."""
    complaints: list[str]
    """The complaints of axe-core, if axe-core checked the page."""
    problems: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tab(browser: Browser, sample_site: SampleSite) -> AsyncIterator[Page]:
    context = await new_context(browser, base_url=sample_site.server.origin, reduced_motion="reduce")
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="session",
    params=[
        pytest.param((number, each), marks=pytest.mark.slow if each.variant else (), id=each.name)
        for number, each in enumerate(each for each in SITE_PAGES if not each.large)
    ],
)
async def visit(request: pytest.FixtureRequest, tab: Page, sample_site: SampleSite) -> Visit:
    """Visit a page."""
    number, site_page = request.param
    looks = LOOKS if LONG else [LOOKS[number % len(LOOKS)]]
    asked: list[str] = []
    problems = Problems()
    if site_page.refused is not None:
        problems.allow(f"{site_page.refused}")

    def note(each: Any) -> None:
        asked.append(each.url)

    async with problems.watching(tab.context):
        for event in ("request", "websocket"):
            tab.on(event, note)
        await show(tab, *looks[0])
        answer = await tab.goto(sample_site.path_of(site_page))
        await site_page.enter(tab)
        addresses, kept, texts = [await tab.evaluate(each) for each in (ADDRESSES, KEPT, TEXTS)]
        found = []
        if (LONG or not site_page.variant) and (script := axe_script()):
            await tab.evaluate(script)
            for look in looks:
                await show(tab, *look)
                found += [f"{look}: {each}" for each in complaints(await tab.evaluate(CHECK))]
        overflows = [width for width in WIDTHS if await is_wider(tab, width)]
        await site_page.leave(tab)
        for event in ("request", "websocket"):
            tab.remove_listener(event, note)
        await forget(tab)
    status = answer.status if answer else None
    return Visit(site_page, status, addresses + asked, kept, texts, overflows, found, problems.found)


async def show(tab: Page, width: int, scheme: Any) -> None:
    await tab.set_viewport_size({"width": width, "height": 800})
    await tab.emulate_media(color_scheme=scheme)


async def is_wider(tab: Page, width: int) -> bool:
    await tab.set_viewport_size({"width": width, "height": 800})
    return bool(await tab.evaluate("document.documentElement.scrollWidth") != width)


def leaves(url: str) -> bool:
    """Return whether an address is outside the club, and not shared by all clubs."""
    parts = urlsplit(url)
    if parts.scheme in ("data", "blob"):
        return False
    return not (parts.path.startswith(f"{ROOT}/") or SHARED.fullmatch(parts.path))


async def test_every_page_answers_and_has_no_problem(visit: Visit) -> None:
    assert visit.status == (visit.site_page.refused or 200)
    assert visit.problems == []


async def test_axe_finds_nothing(visit: Visit, axe: str) -> None:
    if visit.site_page.variant and not LONG:
        pytest.skip("it takes long: RUMBLE_LONG=1 has axe look at each variant of a page")
    assert visit.complaints == []


async def test_no_link_on_a_page_leaves_its_club(visit: Visit) -> None:
    assert len(visit.addresses) > 10
    if not visit.site_page.of_main:
        assert {each for each in visit.addresses if leaves(each)} == set()
        assert [each for each in visit.kept if not each.endswith(ROOT)] == []


async def test_games_have_their_titles(visit: Visit) -> None:
    """People read `Connect four`; only commands, addresses, code and the page about the API have `connect4`."""
    assert visit.texts
    if visit.site_page.name != "docs":
        assert [text for text in visit.texts if NAMES.search(TITLES.sub("", text))] == []


async def test_every_page_fits_windows_of_every_width(visit: Visit) -> None:
    assert visit.overflows == []


async def test_axe_sees_a_button_without_a_name(axe: str, page: Page) -> None:
    await page.goto("/")
    await page.evaluate(axe)
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    (complaint,) = complaints(await page.evaluate(CHECK))
    assert complaint.startswith("button-name (critical)")
