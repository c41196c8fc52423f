"""The site works in a browser: each page on a phone and a desktop, light and dark, and its search."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.axe import CHECK, SCHEMES, WIDTHS, complaints
from tests.browser.conftest import OpenPage
from tests.built_site import build_site
from tests.needs import long_or

UNLIKE = [
    "index.html",
    "docs/BOTS.html",
    "docs/OPERATING.html",
    "docs/RULES.html",
    "docs/api/sdk.html",
    "protocol/PROTOCOL.html",
]
"""Pages of different kinds: the first page, guides with code, tables and lists, an API, and a long text."""
LONG_ONLY = ("docs/BOTS.html", "docs/OPERATING.html")
FITS = "document.documentElement.scrollWidth === window.innerWidth"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.getbasetemp())


@pytest.fixture
def paths(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(folder: Path) -> AsyncIterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        await asyncio.to_thread(server.shutdown)


@pytest.mark.slow
async def test_every_page_fits_a_phone_and_a_desktop(open_page: OpenPage, paths: list[str], address: str) -> None:
    page: Page = await open_page(base_url=address)
    assert set(UNLIKE) <= set(paths)
    for path in long_or(UNLIKE, paths):
        await page.goto(path)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            await page.wait_for_function(FITS)  # until the page has its new width


@pytest.mark.parametrize(
    "path", ["index.html", "docs/api/sdk.html", *(pytest.param(each, marks=pytest.mark.long) for each in LONG_ONLY)]
)
@pytest.mark.slow
async def test_nothing_is_hard_to_read(open_page: OpenPage, address: str, axe: str, path: str) -> None:
    page: Page = await open_page(base_url=address, reduced_motion="reduce")
    found = []
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        await page.goto(path)
        await page.evaluate(axe)
        rules = ["color-contrast", "link-in-text-block", "aria-dialog-name"]
        found += [f"{scheme}: {each}" for each in complaints(await page.evaluate(CHECK, rules))]
    assert found == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.slow
async def test_the_site_is_light_or_dark_as_the_reader_wants(open_page: OpenPage, address: str, scheme: str) -> None:
    page: Page = await open_page(base_url=address, color_scheme=scheme)
    await page.goto("index.html")
    paper = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.slow
async def test_the_search_finds_a_word(open_page: OpenPage, address: str) -> None:
    page: Page = await open_page(base_url=address, viewport={"width": 1280, "height": 800})
    await page.goto("index.html?q=bare_bot")
    await expect(page.locator(".md-search-result__link").first).to_be_visible()
