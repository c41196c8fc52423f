"""The site works in a browser: each page on a phone and a desktop, light and dark, and its search."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

import pytest
import pytest_asyncio

from tests.browser.conftest import OpenPage
from tests.built_site import build_site

if TYPE_CHECKING:
    from playwright.async_api import Page

WIDTHS = (360, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def paths(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(folder: Path) -> AsyncIterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        await asyncio.to_thread(server.shutdown)


async def test_every_page_fits_a_phone_and_a_desktop(open_page: OpenPage, paths: list[str], address: str) -> None:
    page: Page = await open_page(base_url=address)
    for path in paths:
        await page.goto(path)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate("document.documentElement.scrollWidth") == width, path


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_it_is_light_or_dark_as_the_reader_wants(open_page: OpenPage, address: str, scheme: str) -> None:
    page: Page = await open_page(base_url=address, color_scheme=scheme)
    await page.goto("index.html")
    paper = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


async def test_the_search_finds_a_word(open_page: OpenPage, address: str) -> None:
    from playwright.async_api import expect

    page: Page = await open_page(base_url=address, viewport={"width": 1280, "height": 800})
    await page.goto("index.html")
    await page.get_by_role("textbox", name="Search").fill("bare_bot")
    await expect(page.locator(".md-search-result__link").first).to_be_visible()
