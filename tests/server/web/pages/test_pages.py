import re
from html.parser import HTMLParser

import httpx
import pytest
from rumble_server.web.feed.views import MOST_LATEST
from rumble_server.web.pages.chart import MOST_STEPS, STEPS
from rumble_server.web.pages.rendering import STATIC
from rumble_server.web.pages.tournament_page import MOST_BOARDS, MOST_ON_PODIUM, PLACES
from rumble_server.web.texts import HEATS

from tests.server.web.scene import Scene

NASTY = "<script>alert(1)</script>"
PAGES = [
    "/",
    "/tournaments/friday",
    "/tournaments/friday/matches",
    "/matches/friday.1.1.1.1",
    "/write",
    "/play",
    "/docs",
    "/x",
]
ELSEWHERE = {"/console"}
"""Pages with tests of their own."""


class Page(HTMLParser):
    """What matters of a page: its text, its addresses, and what a strict policy would refuse."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self.refused: list[str] = []
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [value for name in ("href", "src") if (value := given.get(name))]
        if (tag == "script" and "src" not in given) or tag == "style" or "style" in given:
            self.refused.append(tag)
        self.refused += [name for name in given if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


async def test_every_page_is_whole_without_a_token_or_another_host(scene: Scene, browser: httpx.AsyncClient) -> None:
    scene.played("alice", "bob")
    for path in PAGES:
        answer = await browser.get(path)
        assert answer.status_code == (404 if path == "/x" else 200), path
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        page = Page(answer.text)
        assert page.refused == [], path
        assert page.text.count("{{") == 0
        for address in page.addresses:
            assert address.startswith(("/", "#")), f"{path} leads away to {address}"
            if address.startswith("/") and address not in ELSEWHERE:
                assert (await browser.get(address)).status_code == 200, f"{path} links to {address}"
        assert (await browser.head(path)).status_code == answer.status_code


async def test_names_are_text_and_never_markup(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create(name=NASTY, start_at_bots=2, legs=1)
    first, second = scene.world.logins("alice", "bob", join=tournament.id)
    scene.pass_ms()
    for _ in range(9):
        for bot in (first, second):
            turns = [frame for frame in bot.heard("turn") if frame]
            if turns:
                turn = turns[-1]
                bot.say(type="move", match=turn["match"], turn_id=turn["turn_id"], move=turn["legal"][0], note=NASTY)
    scene.pass_ms()
    assert tournament.status == "finished"
    paths = [
        "/",
        f"/tournaments/{tournament.id}",
        f"/tournaments/{tournament.id}/matches",
        f"/matches/{tournament.id}.1.1.1.1",
    ]
    for path in paths:
        html = (await browser.get(path)).text
        assert NASTY not in html
        assert NASTY in Page(html).text, path
    error = (await browser.get(f"/tournaments/{NASTY}")).text
    assert NASTY not in error


async def test_the_page_of_a_tournament_has_all_before_any_script(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.world.create(start_at_bots=3, legs=1, settings={"columns": 5}, game="connect4")
    scene.players("alice", "bob", "carol", think_ms=100, join=tournament.id)
    scene.pass_ms(2_500)
    assert tournament.results
    html = (await browser.get("/tournaments/friday")).text
    text = " ".join(Page(html).text.split())
    assert "Connect four, columns 5, rows 6, connect 4 · round-robin, 1 cycle, 1 match a pairing · 10 s a move" in text
    assert f"{len(tournament.results)} of 3 matches" in text
    assert re.search(r'<svg viewBox="[0-9 ]+" role="img" aria-label="\w+ – \w+\. X: [a-e]', html)
    assert re.search(r"ply \d+, \w+ \([XO]\) to move", text)
    assert '<th scope="row" title="alice">alice</th>' in html
    assert "rumble bot minimax --server http://rumble.test --join friday" in text
    assert "ws://rumble.test/bot" in text


async def test_the_crosstable_follows_the_ranks_once_it_is_over(scene: Scene, browser: httpx.AsyncClient) -> None:
    tournament = scene.played("alice", "bob", "carol")
    html = (await browser.get("/tournaments/friday")).text
    rows = re.findall(r'<tr><th scope="row" title="\w+">(\w+)</th>', html)
    assert rows == [line.name for line in tournament.table.standings()]
    cells = re.findall(r'class="heat-(\d)"><a href="([^"]+)">([^<]+)</a>', html)
    assert len(cells) == 6
    assert cells[0][1].startswith("/tournaments/friday/matches?bot=")


async def test_a_large_field_has_no_crosstable(
    scene: Scene, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.feed.views.MOST_IN_CROSSTABLE", 2)
    scene.played("alice", "bob", "carol")
    assert "too large for a crosstable" in (await browser.get("/tournaments/friday")).text
    assert (await browser.get("/api/tournaments/friday")).json()["pairs"] is None


async def test_home_groups_by_status_and_helps_when_there_is_nothing(scene: Scene, browser: httpx.AsyncClient) -> None:
    assert "rumble tournament create" in (await browser.get("/")).text
    scene.played("alice", "bob")
    scene.world.create(name="Open")
    scene.world.create(name="Secret", listed=False)
    scene.pass_ms()
    text = Page((await browser.get("/")).text).text
    assert text.index("Open: waiting for bots") < text.index("Over")
    assert "Playing now" not in text
    assert "Secret" not in text


def test_the_scripts_show_as_much_as_the_server() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    constants = dict(re.findall(r"^const ([A-Z_]+) = (.+);$", scripts, re.MULTILINE))
    wanted = {
        "MOST_BOARDS": MOST_BOARDS,
        "MOST_LATEST": MOST_LATEST,
        "HEATS": HEATS,
        "PLACES": PLACES,
        "MOST_ON_PODIUM": MOST_ON_PODIUM,
        "MOST_STEPS": MOST_STEPS,
        "STEPS": list(STEPS),
    }
    assert {name: constants[name] for name in wanted} == {name: str(value) for name, value in wanted.items()}


async def test_static_files_are_asked_about_each_time(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/static/tournament.js")
    assert answer.headers["Cache-Control"] == "no-cache"
    again = await browser.get("/static/tournament.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
