"""Paths lead to clubs: each request finds its club, and answers kept for a club never reach another club."""

import asyncio
from http import HTTPStatus

import httpx
import pytest
from rumble_server.web.club_paths import ELSEWHERE
from rumble_server.web.errors import WebError
from rumble_server.web.path_owner import Owner, owner_of
from rumble_server.web.site import Site

from tests.server.web.memory_server import HOST, MemoryServer
from tests.server.web.test_path_owner import filled, routes


class Clubs(MemoryServer):
    """A server with two clubs: alice and bob have played in main, carol and dave in `class-7`."""

    def __init__(self) -> None:
        super().__init__()
        self.other = MemoryServer()
        self.take_in("class-7", self.other, "Class 7 <b>")
        self.asked: list[str] = []

    async def site(self, name: str) -> Site | None:
        self.asked.append(name)
        return await super().site(name)


@pytest.fixture
def clubs() -> Clubs:
    return Clubs()


@pytest.fixture
def server(clubs: Clubs) -> Clubs:
    return clubs


SHOWN = [
    "/",
    "/bots/carol",
    "/tournaments/friday",
    "/tournaments/friday/matches",
    "/tournaments/friday/audit",
    "/matches/friday.1.1.1.1",
    "/api/tournaments",
    "/api/tournaments/friday",
    "/api/tournaments/friday/standings",
    "/api/tournaments/friday/ratings",
    "/api/tournaments/friday/matches",
    "/api/tournaments/friday/export.json",
    "/api/tournaments/friday/export.csv",
    "/api/matches/friday.1.1.1.1",
    "/api/matches/friday.1.1.1.1/boards",
    "/matches/friday.1.1.1.1/board.svg",
]


@pytest.mark.parametrize("is_over", [True, False])
async def test_clubs_with_the_same_ids_are_told_apart_by_every_answer(
    clubs: Clubs, browser: httpx.AsyncClient, is_over: bool
) -> None:
    clubs.played("alice", "bob-1")
    clubs.other.played("carol", "dave", game="connect4")
    if is_over:  # answers are kept after the end, by ids that both clubs have
        for each in (clubs, clubs.other):
            each.forget_tournaments()
    for _ in range(2):
        for path in SHOWN:
            mine, theirs = await browser.get(path.replace("carol", "bob-1")), await browser.get(f"/c/class-7{path}")
            assert (mine.status_code, theirs.status_code) == (200, 200), path
            assert mine.text != theirs.text, path
            assert mine.headers.get("ETag", "mine") != theirs.headers.get("ETag"), path
            assert not any(name in mine.text for name in ("carol", "dave")), path
            assert not any(name in theirs.text for name in ("alice", "bob-1")), path


async def test_an_answer_made_once_for_many_readers_is_made_for_each_club(
    clubs: Clubs, browser: httpx.AsyncClient
) -> None:
    for each, game in ((clubs, "tictactoe"), (clubs.other, "connect4")):
        each.world.begun("alice", "bob", game=game)
        each.pass_ms()
    path = "/api/matches/friday.1.1.1.1/boards"
    mine, theirs = await asyncio.gather(browser.get(path), browser.get(f"/c/class-7{path}"))
    assert (mine.json()["drawing"]["columns"], theirs.json()["drawing"]["columns"]) == (3, 7)


@pytest.mark.parametrize(
    ("asked", "address"),
    [
        ("/c/main", "/"),
        ("/c/main/", "/"),
        ("/c/main/tournaments/friday?invite=a%20b", "/tournaments/friday?invite=a%20b"),
        ("/c/main/bots/a%20b%3F", "/bots/a%20b%3F"),
        ("/c/main//evil.example/x", "/evil.example/x"),
        ("/c/class-7", "/c/class-7/"),
        ("/c/class-7?x=1", "/c/class-7/?x=1"),
    ],
)
async def test_a_path_that_is_not_its_own_is_sent_on(browser: httpx.AsyncClient, asked: str, address: str) -> None:
    answer = await browser.get(asked)
    assert (answer.status_code, answer.headers["Location"]) == (308, address)


async def test_an_unknown_club_is_told(clubs: Clubs, browser: httpx.AsyncClient) -> None:
    page = await browser.get("/c/nobody/tournaments/friday")
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "there is no club &#39;nobody&#39;" in page.text
    answer = await browser.post("/c/nobody/api/tournaments", headers=HOST)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    assert clubs.asked == ["nobody", "nobody"]


async def test_a_path_without_the_name_of_a_club_is_a_path_of_main(clubs: Clubs, browser: httpx.AsyncClient) -> None:
    for path in ("/c/", "/c/UPPER/", f"/c/{'x' * 33}/", "/c/a.b/api/host", "/c/../c/"):
        assert (await browser.get(path)).status_code == 404
    assert set(clubs.asked) <= {"main"}


async def test_a_club_that_nobody_leads_now_is_told_with_a_time_to_come_back(
    clubs: Clubs, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_name: str) -> None:
        raise WebError.unavailable("nobody leads it at the moment")

    monkeypatch.setattr(clubs, "site", away)
    for path in ("/c/class-7/", "/c/class-7/api/tournaments", "/"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert answer.headers.get("Refresh") == (None if "/api/" in path else "1"), "a page comes again by itself"
        assert "nobody leads it" in answer.text
    for path in ("/healthz", "/readyz"):
        assert (await browser.get(path)).status_code == 200


async def test_a_club_that_another_node_leads_is_answered_with_421(clubs: Clubs) -> None:
    """Every route of every method, but those that any node answers."""
    asked = sorted(await routes(clubs))
    clubs.elsewhere = {"main", "class-7", "school"}
    clubs.asked.clear()
    misdirected = 0
    async with clubs.browser(headers=HOST) as browser:
        for method, path in [(method, root + filled(path)) for method, path in asked for root in ("", "/c/class-7")]:
            answer = await browser.request(method, path)
            if isinstance(owner_of(path, ""), Owner):
                assert answer.status_code != HTTPStatus.MISDIRECTED_REQUEST, (method, path)
                continue
            misdirected += 1
            assert answer.status_code == HTTPStatus.MISDIRECTED_REQUEST, (method, path)
            assert answer.headers["Cache-Control"] == "no-store"
            kind = "application/json" if "/api/" in path else "text/html; charset=utf-8"
            assert (answer.headers["Content-Type"], ELSEWHERE in answer.text) == (kind, True), path
        assert (await browser.get("/api/leader")).status_code == HTTPStatus.NOT_FOUND, "it is a proxy's alone"
    assert misdirected > len(asked)
    assert clubs.asked == [], "no club is looked for"


async def test_the_paths_of_the_whole_server_are_not_in_a_club(browser: httpx.AsyncClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await browser.get(path)).status_code == 200
        assert (await browser.get(f"/c/class-7{path}")).status_code == 404


async def test_an_address_that_a_club_has_banned_sees_nothing_of_it(clubs: Clubs, browser: httpx.AsyncClient) -> None:
    banned = await browser.post(
        "/c/class-7/api/bans", json={"address": "192.0.2.0/24", "reason": "noise"}, headers=HOST
    )
    assert banned.status_code == 200
    async with clubs.browser(address="192.0.2.7") as shut_out:
        page, answer = await shut_out.get("/c/class-7/"), await shut_out.get("/c/class-7/api/tournaments")
        assert (page.status_code, answer.status_code, answer.json()["error"]["code"]) == (403, 403, "banned")
        assert "noise" in page.text
        assert (await shut_out.get("/")).status_code == 200


async def test_figures_are_of_all_clubs(clubs: Clubs, browser: httpx.AsyncClient) -> None:
    clubs.bots("alice", "bob")
    clubs.other.bots("carol")
    text = (await browser.get("/metrics")).text
    assert "rumble_bots_connected 3.0" in text
    assert "rumble_clubs 2.0" in text


@pytest.mark.parametrize("club", ["", "/c/class-7"])
@pytest.mark.parametrize(
    "path", ["/tournaments/%00", "/api/tournaments/a%00b/standings", "/write?join=%00", "/bots/%00"]
)
async def test_an_address_with_a_nul_is_of_nothing(
    clubs: Clubs, browser: httpx.AsyncClient, club: str, path: str
) -> None:
    clubs.asked.clear()
    assert (await browser.get(club + path)).status_code == httpx.codes.NOT_FOUND
    assert clubs.asked == [], "no database is asked"
