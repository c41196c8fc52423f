"""Pages are whole before any script, and all that a club's pages lead to is in the club, except what clubs share."""

import re
from html import unescape
from urllib.parse import urlsplit

import httpx
import pytest
from rumble_server.web.public_address import Addresses

from tests.server.web.memory_server import HOST, MemoryServer
from tests.server.web.pages.html import Page

ROOT = "/c/class-7"
HERE = "http://rumble.test"
SHARED = re.compile(r"/static/[\w./-]+|/clubs")
"""Paths outside the club to which pages of all clubs may lead."""
PAGES = [
    "/",
    "/bots/carol",
    "/tournaments/friday",
    "/tournaments/friday/matches",
    "/tournaments/friday/matches?bot=carol&page=2",
    "/tournaments/friday/audit",
    "/tournaments/friday/results",
    "/tournaments/cup/rounds",
    "/tournaments/cup",
    "/tournaments/open",
    "/tournaments/open?invite=hush-hush",
    "/matches/friday.1.1.1.1",
    "/matches/friday.1.1.1.1?ply=3",
    "/play",
    "/code",
    "/join",
    "/me",
    "/write",
    "/write?join=open&invite=hush-hush",
    "/console",
    "/console/friday",
    "/docs",
    "/nothing",
]


@pytest.fixture(scope="module")
def server() -> MemoryServer:
    server, other = MemoryServer(), MemoryServer()
    server.take_in("class-7", other, "Class 7")
    other.played("carol", "dave", cycles=30)
    other.played("erin", "frank", name="Cup", format="knockout")
    other.world.create(name="Open", invite="hush-hush")
    other.pass_ms()
    return server


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_whole_and_leads_to_its_own_club(browser: httpx.AsyncClient, path: str) -> None:
    answer, head, plain = await browser.get(ROOT + path), await browser.head(ROOT + path), await browser.get(path)
    assert answer.status_code == head.status_code == (404 if path == "/nothing" else 200)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    page = Page(answer.text)
    assert page.refused == []
    assert "{{" not in page.text
    inside = 0
    for address in page.addresses:
        parts = urlsplit(address)
        if address.startswith(("#", "?", "data:")):
            continue
        assert f"{parts.scheme}://{parts.netloc}" in (HERE, "://"), address
        if not SHARED.fullmatch(parts.path):
            assert parts.path.startswith(f"{ROOT}/"), address
            inside += 1
    assert inside > 5
    assert f'data-root="{ROOT}"' in answer.text
    assert re.search(r'class="brand"[^>]*>.*<span>Class 7</span>', answer.text)
    assert 'href="/clubs"' in answer.text
    assert "data-root" not in plain.text, "main is as it was"


async def test_every_link_of_every_page_leads_to_a_page(browser: httpx.AsyncClient) -> None:
    texts = {page: (await browser.get(ROOT + page)).text for page in PAGES}
    links = {
        str(httpx.URL(ROOT + page).join(unescape(link))).partition("#")[0]: page
        for page, text in texts.items()
        for link in re.findall(r'<(?:a|link|img|script)\b[^>]*? (?:href|src)="([^"#][^"]*)"', text)
    }
    wrong = {link: page for link, page in links.items() if (await browser.get(link)).status_code != 200}
    assert wrong == {}
    assert len(links) > 50


@pytest.mark.parametrize("page", ["/", "/write", "/write?join=open&invite=hush-hush", "/tournaments/open", "/play"])
async def test_commands_name_the_club(browser: httpx.AsyncClient, page: str) -> None:
    text = unescape((await browser.get(ROOT + page)).text)
    servers = re.findall(r"--server (\S+)|bare_bot\.py (?!is)(rumble\.test\S+)|curl -O (\S+)", text)
    assert servers
    for club, bare, file in servers:
        assert club.strip("</code>") in ("", f"{HERE}{ROOT}")
        assert bare in ("", f"rumble.test{ROOT}")
        assert file in ("", f"{HERE}/static/bare_bot.py")
    if "wss:" in text or "ws:" in text:
        assert f"ws://rumble.test{ROOT}/bot" in text


async def test_an_invitation_leads_to_the_club(browser: httpx.AsyncClient) -> None:
    invitation = (await browser.get(f"{ROOT}/api/tournaments/open/invite", headers=HOST)).json()
    assert invitation["link"].startswith(f"{HERE}{ROOT}/tournaments/open?invite=rumble_")
    assert f"--server {HERE}{ROOT} --join open" in invitation["command"]


@pytest.mark.parametrize(
    ("public_url", "shown"), [(None, "http://192.168.1.5:8765"), ("https://rumble.example", "https://rumble.example")]
)
async def test_other_addresses_of_the_server_have_the_club_too(public_url: str | None, shown: str) -> None:
    server = MemoryServer(addresses=Addresses(public_url, lambda: ["http://192.168.1.5:8765"]))
    server.take_in("class-7", MemoryServer())
    async with server.browser(base_url="http://127.0.0.1:8765") as browser:
        page = (await browser.get(f"{ROOT}/write")).text
    assert f"{shown}{ROOT}/" in page or f"--server {shown}{ROOT}" in page
    assert f"{shown}/write" not in page
    assert f"ws://127.0.0.1:8765{ROOT}/bot" in page or f"wss://rumble.example{ROOT}/bot" in page
    assert "<span>class-7</span>" in page, "a club without a title is called by its name"


async def test_the_document_of_a_club_has_its_path_and_no_paths_of_the_server(browser: httpx.AsyncClient) -> None:
    own, mains = [(await browser.get(f"{root}/openapi.json")).json() for root in (ROOT, "")]
    assert own["servers"] == [{"url": ROOT}]
    assert "servers" not in mains
    gone = set(mains["paths"]) - set(own["paths"])
    assert {"/healthz", "/readyz", "/metrics"} <= gone
    assert not any(path.startswith(("/api/tournaments", "/api/matches")) for path in gone)
