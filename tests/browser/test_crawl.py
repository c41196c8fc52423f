"""Every page that the home page leads to is readable without a token, and loads nothing from another host."""

from collections import Counter
from html.parser import HTMLParser
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import httpx
import pytest

from tests.browser.sample_site import SampleSite
from tests.browser.site_pages import SITE_PAGES
from tests.e2e.processes import PATIENCE_S

MOST_OF_A_KIND = 12
"""Maximum number of pages read of each kind; further pages are skipped, since a crosstable links to hundreds."""


class Links(HTMLParser):
    """The references of a page: `links` to other pages, and `parts` that a browser loads with the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (href := given.get("href")) is not None:
            (self.links if tag == "a" else self.parts).append(href)
        if (source := given.get("src")) is not None:
            self.parts.append(source)


def kind(url: str, root: str) -> str:
    """Return the kind of a page: the path without ids, and the names of the parameters."""
    parts = urlsplit(url)
    words = parts.path.removeprefix(root).split("/")[1:]
    words[1:2] = ["*"] * len(words[1:2]) if words[0] != "static" else words[1:2]
    return f"/{'/'.join(words)}?{'&'.join(sorted(parse_qs(parts.query)))}"


@pytest.mark.slow
async def test_everything_the_home_of_a_club_leads_to_answers(sample_site: SampleSite) -> None:
    site = sample_site
    server, home = site.server, f"{site.server.url}/"
    waiting, seen, kinds, wrong = [home], {home}, Counter[str](), []
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
        while waiting:
            url = waiting.pop()
            kinds[kind(url, server.root)] += 1
            answer = await client.get(url)
            if answer.status_code != 200:
                wrong.append(f"{answer.status_code} {url}")
            if not answer.headers["content-type"].startswith("text/html"):
                continue
            found = Links(answer.text)
            own = (home, f"{server.origin}/static/")
            wrong += [f"{url} loads {part}" for part in found.parts if not urljoin(url, part).startswith(own)]
            for link in (urldefrag(urljoin(url, each)).url for each in found.links + found.parts):
                if link.startswith(home) and link not in seen and kinds[kind(link, server.root)] < MOST_OF_A_KIND:
                    seen.add(link)
                    waiting.append(link)
    assert wrong == []
    public = {
        site.path(site_page.path) for site_page in SITE_PAGES if site_page.name in ("finished", "running", "docs")
    }
    assert {urljoin(home, path) for path in public} <= seen
    assert kinds["/matches/*?"] > 1
