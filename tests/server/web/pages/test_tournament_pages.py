"""The pages of a tournament's matches: of all bots, or of chosen bots."""

import re

import httpx
import pytest
from rumble_server.web.pages.tournament_pages import MATCHES_A_PAGE

from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import NASTY, Page

BOTS = ("alice", "bob", "carol", "Dave")
CYCLES = 10
MATCHES = 6 * 2 * CYCLES
PAGES = 3
assert PAGES * MATCHES_A_PAGE > MATCHES > (PAGES - 1) * MATCHES_A_PAGE


@pytest.fixture(scope="module")
def server() -> MemoryServer:
    server = MemoryServer()
    server.played(*BOTS, cycles=CYCLES)
    return server


def listed(text: str) -> list[str]:
    """Return the matches of a page."""
    return re.findall(r'<th scope="row"><a href="/matches/([^"]+)"', text)


def links(text: str) -> dict[str, str]:
    """Return the addresses of the links to other pages, by the relation of the link."""
    return dict(re.findall(r'rel="(first|prev|next|last)" href="([^"]+)"', text))


async def test_the_pages_hold_every_match_once_and_the_newest_first(browser: httpx.AsyncClient) -> None:
    matches = (await browser.get("/api/tournaments/friday/matches")).json()["matches"]
    assert len(matches) == MATCHES
    address, found, pages = "/tournaments/friday/matches", [], 0
    assert f'<a class="small" href="{address}">All matches</a>' in (await browser.get("/tournaments/friday")).text
    assert f"{MATCHES} over, the newest first; here 1 to {MATCHES_A_PAGE}." in (await browser.get(address)).text
    while address:
        text = (await browser.get(address)).text
        found += listed(text)
        pages += 1
        assert f">{pages} of {PAGES}<" in text
        address = links(text).get("next", "")
    assert found == [match["id"] for match in reversed(matches)]
    assert pages == PAGES


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (1, {"next": "?page=2", "last": "?page=3"}),
        (2, {"first": "", "prev": "", "next": "?page=3", "last": "?page=3"}),
        (3, {"first": "", "prev": "?page=2"}),
    ],
)
async def test_a_page_leads_to_the_others(browser: httpx.AsyncClient, page: int, expected: dict[str, str]) -> None:
    answer = await browser.get(f"/tournaments/friday/matches?page={page}")
    assert links(answer.text) == {rel: f"/tournaments/friday/matches{query}" for rel, query in expected.items()}
    assert Page(answer.text).refused == []


@pytest.mark.parametrize(
    ("asked", "shown"), [("", 1), ("0", 1), ("-1", 1), ("x", 1), ("4", 3), ("9" * 9, 3), ("9" * 5000, 1)]
)
async def test_for_a_page_that_is_not_there_the_nearest_is_shown(
    browser: httpx.AsyncClient, asked: str, shown: int
) -> None:
    answer = await browser.get("/tournaments/friday/matches", params={"page": asked})
    assert (answer.status_code, f">{shown} of {PAGES}<" in answer.text) == (200, True)


async def test_a_bot_is_searched_by_a_form_without_scripts(browser: httpx.AsyncClient) -> None:
    text = (await browser.get("/tournaments/friday/matches?bot=&against=")).text
    assert f"{MATCHES} over" in text
    form = text[text.index('<form class="search"') : text.index("</form>")]
    assert 'action="/tournaments/friday/matches"' in form
    assert re.findall(r'<input id="\w+" name="(\w+)" value="" list="names"', form) == ["bot", "against"]
    assert re.findall(r'<option value="(\w+)"', form) == ["alice", "bob", "carol", "Dave"]
    assert "<script" not in form


async def test_the_matches_of_a_bot_are_in_pages_too(browser: httpx.AsyncClient) -> None:
    text = (await browser.get("/tournaments/friday/matches", params={"bot": "ALICE", "against": ""})).text
    assert "<h1>Matches of alice</h1>" in text
    assert '<a class="button" href="/tournaments/friday/matches">All matches</a>' in text
    assert f"{MATCHES // 2} over" in text
    assert links(text)["next"] == "/tournaments/friday/matches?bot=alice&amp;page=2"
    both = (await browser.get("/tournaments/friday/matches?bot=alice&against=dave")).text
    assert "<h1>Matches of alice against Dave</h1>" in both
    assert len(listed(both)) == MATCHES // 6
    assert "rel=" not in both[both.index("<main") :], "one page has no others"
    only_against = (await browser.get("/tournaments/friday/matches?bot=&against=dave")).text
    assert "<h1>Matches of Dave</h1>" in only_against


@pytest.mark.parametrize("name", ["eve", NASTY])
async def test_a_bot_that_is_not_there_is_told_by_a_line(browser: httpx.AsyncClient, name: str) -> None:
    answer = await browser.get("/tournaments/friday/matches", params={"bot": name})
    assert answer.status_code == 200
    assert f"No bot {name} is in this tournament." in " ".join(Page(answer.text).text.split())
    assert Page(answer.text).refused == []
    assert listed(answer.text) == []
