"""People read what games are called, `Connect four`; only commands, addresses and code have `connect4`."""

import re

import pytest
from rumble_engine import game_names

from tests.browser.conftest import OpenPage
from tests.browser.problems import Problems
from tests.browser.sample_site import SampleSite
from tests.browser.site_pages import SITE_PAGES, SitePage

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


READ = [each for each in SITE_PAGES if not each.large and each.name != "docs"]
"""The pages that people read; the others are about the API, where a game has its name."""


@pytest.mark.parametrize("site_page", READ, ids=lambda page: page.name)
async def test_games_have_their_titles(
    site_page: SitePage, open_page: OpenPage, sample_site: SampleSite, problems: Problems
) -> None:
    if site_page.refused is not None:
        problems.allow(f"{site_page.refused}")
    page = await open_page(base_url=sample_site.server.url)
    await page.goto(sample_site.path(site_page.path))
    await site_page.enter(page)
    texts = await page.evaluate(TEXTS)
    assert texts
    assert [text for text in texts if NAMES.search(text)] == []
    await site_page.leave(page)
