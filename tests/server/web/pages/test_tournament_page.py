"""The page of a tournament as the server renders it, before any script."""

import asyncio
import re

import httpx
import pytest
from rumble_protocol.feed_messages import Pair
from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.starters.starter import Language
from rumble_server.tournament.tournament import MOST_LATEST
from rumble_server.web.pages.chart import MOST_STEPS, STEPS
from rumble_server.web.pages.tournament_page import (
    MOST_ABOVE,
    MOST_BESIDE,
    MOST_LINES,
    MOST_ON_PODIUM,
    MOST_SLOTS,
    PLACES,
    met_most,
)
from rumble_server.web.pages.tournament_pages import BOT_NAME
from rumble_server.web.static_files import STATIC
from rumble_server.web.texts import HEATS

from tests.server.web.memory_server import MemoryServer
from tests.server.web.pages.html import Page

FIELD = ("alice", "bob", "carol")


async def test_the_page_shows_tie_breaks_in_the_host_s_order(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.played(*FIELD, tiebreaks=["sb", "bwg", "de"])
    page = (await browser.get(f"/tournaments/{tournament.id}")).text
    places = [page.index(f'<abbr title="{TIEBREAKS[name]}">{name.upper()}</abbr>') for name in ("sb", "bwg", "de")]
    assert places == sorted(places)
    assert "Koya" not in page
    assert "Model: <span>Bradley-Terry" in page
    lines = (await browser.get(f"/api/tournaments/{tournament.id}/standings")).json()["standings"]
    assert list(lines[0]["tiebreaks"]) == ["sb", "bwg", "de"]
    assert "decided_by" in lines[0]


async def test_the_lobby_has_no_audit_on_its_page(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    tournament = server.world.create()
    assert "Fairness" not in (await browser.get(f"/tournaments/{tournament.id}")).text
    assert (await browser.get(f"/api/tournaments/{tournament.id}/audit")).json()["matches"] == 0


async def test_the_page_of_a_tournament_has_all_before_any_script(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament, _ = server.begun(
        "alice", "bob", "carol", think_ms=100, legs=1, settings={"columns": 5}, game="connect4"
    )
    server.pass_ms(2_500)
    assert tournament.results
    html = (await browser.get("/tournaments/friday")).text
    text = " ".join(Page(html).text.split())
    assert "Connect four, columns 5, rows 6, connect 4 · round-robin, 1 cycle, 1 match a pairing · 10 s a move" in text
    assert f"{len(tournament.results)} of 3 matches" in text
    assert re.search(r'<svg viewBox="[0-9 ]+" role="img" aria-label="\w+ – \w+\. blue: [a-e]', html)
    assert re.search(r"ply \d+, \w+ to move", text)
    assert '<th scope="row" title="alice">alice</th>' in html
    assert "The field is closed" in text
    assert 'id="connect"' not in html
    assert "/tournament.js" in html


async def test_the_page_tells_of_bots_that_are_wanted_elsewhere(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    here, other = (server.world.create(name=name, start_at_bots=2) for name in ("Here", "Other"))
    pair = server.bots("alice", "bob", join=here.id, think_ms=5_000)
    server.pass_ms()
    assert 'id="elsewhere" hidden>' in (await browser.get(f"/tournaments/{here.id}")).text
    watcher = await server.watched(here)
    for bot in pair:
        bot.say(type="join", tournament=other.id)
    server.pass_ms()
    assert all(each["elsewhere"] for each in (await watcher.read("field")).data["entrants"])
    while here.running:
        server.pass_ms(1_000)
    page = (await browser.get(f"/tournaments/{here.id}")).text
    assert 'id="elsewhere" >2 of its bots have matches in other tournaments, too.</p>' in page
    assert "waits for bots that play elsewhere" in page
    assert "elsewhere" not in (await browser.get(f"/tournaments/{other.id}")).text.partition('id="elsewhere"')[0]


async def test_readers_of_one_page_get_different_names_for_their_bots(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.world.create()
    server.pass_ms()
    pages = await asyncio.gather(*(browser.get("/tournaments/friday") for _ in range(4)))
    names = [set(re.findall(r"--name <span data-bot-name>(.*?)</span>", page.text)) for page in pages]
    assert all(len(each) == 1 for each in names)
    assert len(set().union(*names)) > 1
    assert not any(BOT_NAME in page.text for page in pages)


async def test_the_crosstable_follows_the_ranks_once_the_tournament_is_over(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    tournament = server.played("alice", "bob", "carol")
    html = (await browser.get("/tournaments/friday")).text
    rows = re.findall(r'<tr><td class="place">(\d)</td><th scope="row" title="\w+">(\w+)</th>', html)
    names = [line.name for line in tournament.standings.lines()]
    assert rows == list(zip("123", names, strict=True))
    assert re.findall(r'<th scope="col" title="(\w+)">(\d)</th>', html) == list(zip(names, "123", strict=True))
    assert len(re.findall(r'<td class="h\d">[^<]+</td>', html)) == 6
    assert "/tournament.js" not in html, "nothing changes, so no script reads the feed"


async def test_a_large_field_has_no_crosstable(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.feed.crosstable.MOST_IN_CROSSTABLE", 2)
    server.played("alice", "bob", "carol")
    assert "too large for a crosstable" in (await browser.get("/tournaments/friday")).text
    assert (await browser.get("/api/tournaments/friday")).json()["pairs"] is None


def test_the_scripts_show_as_much_as_the_server() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    constants = dict(re.findall(r"^const ([A-Z_]+) = (.+);$", scripts, re.MULTILINE))
    wanted = {
        "MOST_SLOTS": MOST_SLOTS,
        "MOST_LATEST": MOST_LATEST,
        "MOST_LINES": MOST_LINES,
        "MOST_BESIDE": MOST_BESIDE,
        "MOST_ABOVE": MOST_ABOVE,
        "HEATS": HEATS,
        "PLACES": PLACES,
        "MOST_ON_PODIUM": MOST_ON_PODIUM,
        "MOST_STEPS": MOST_STEPS,
        "STEPS": list(STEPS),
    }
    assert {name: constants[name] for name in wanted} == {name: str(value) for name, value in wanted.items()}


def test_a_crosstable_says_how_many_matches_most_pairs_played() -> None:
    pairs = [Pair(names=["a", other], scores=[1, 1], played=played) for other, played in (("b", 2), ("c", 1), ("d", 2))]
    assert met_most(pairs) == 2
    assert met_most([]) == met_most(None) == 0


async def test_the_page_of_a_tournament_leads_with_the_reader_s_own_bot(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    """The form of the page answers with a zip; the commands are for a strategy of the reader's own."""
    made = server.world.create(name="Friday", invite="hush").made_invite
    server.pass_ms()
    html = (await browser.get("/tournaments/friday?invite=hush")).text
    assert "pip install botrumble" in html
    assert "rumble bot mine.py:ai" in html
    assert "minimax" not in html
    form = html[html.index('<form id="zip-form"') : html.index("</form>", html.index('<form id="zip-form"'))]
    assert 'method="post" action="/join/zip"' in form
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert fields == {"tournament": "friday", "invite": made}
    languages = re.findall(r'<option value="(\w+)"', form)
    assert languages == list(Language)
    (name,) = re.findall(r'<input id="bot-name" name="name" form="zip-form" value="([\w-]+)"', html)
    answer = await browser.post("/join/zip", data={**fields, "language": "java", "name": name})
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}-java.zip"'
