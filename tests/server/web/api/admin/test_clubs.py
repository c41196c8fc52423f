"""The API of clubs: the public list, and the administrator's commands."""

from dataclasses import asdict, replace
from typing import Any

import httpx
import pytest
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.quotas import Quotas

from tests.server.web.memory_server import HOST, MemoryServer

TOKEN = "the-administrator"
ADMINISTRATOR = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def server() -> MemoryServer:
    server = MemoryServer()
    Administrator(server.world.arena).set_token(TOKEN)
    return server


async def ask(browser: httpx.AsyncClient, method: str, path: str = "", **body: Any) -> httpx.Response:
    return await browser.request(method, f"/api/clubs{path}", headers=ADMINISTRATOR, json=body)


async def names(browser: httpx.AsyncClient, **headers: str) -> list[str]:
    return [each["name"] for each in (await browser.get("/api/clubs", headers=headers)).json()["clubs"]]


async def test_a_club_is_created_changed_and_removed(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    answer = await ask(browser, "POST", name="class-7", title="Class 7", quotas={"bots": 40})
    assert answer.status_code == 201
    created = answer.json()
    assert (created["title"], created["listed"], created["house"]) == ("Class 7", False, False)
    assert created["quotas"] == asdict(Bounds().club_quotas) | {"bots": 40}
    assert server.world.log.durable == server.world.log.last, "it is on disk before it is told"
    assert await names(browser) == ["main"], "it does not want to be listed"
    assert await names(browser, **ADMINISTRATOR) == ["main", "class-7"]
    changed = await ask(browser, "PATCH", "/class-7", listed=True, quotas={"matches": 3})
    assert changed.json()["quotas"] == created["quotas"] | {"matches": 3}
    assert (await ask(browser, "PATCH", "/class-7", title="Ours", house=True)).json()["listed"]
    (_, shown) = (await browser.get("/api/clubs")).json()["clubs"]
    assert (shown["title"], shown["quotas"], shown["used"]) == ("Ours", None, None)
    assert (await ask(browser, "PATCH", "/class-7", quotas={"bots": None})).json()["quotas"]["bots"] is None
    assert (await ask(browser, "DELETE", "/class-7")).json() == {"message": "the club class-7 is removed"}
    assert await names(browser, **ADMINISTRATOR) == ["main"]
    again = await ask(browser, "POST", name="class-7")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "unavailable")


async def test_a_club_may_be_removed_while_its_change_waits_for_the_disk(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    await ask(browser, "POST", name="class-7")
    server.log.after_wait = lambda: Administrator(server.world.arena).remove("class-7")
    answer = await ask(browser, "PATCH", "/class-7", title="Ours")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_a_list_shows_no_club_that_is_not_on_disk(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    administrator = Administrator(server.world.arena)
    server.log.after_wait = lambda: administrator.create("class-7", "", Quotas(), listed=True)
    assert await names(browser) == ["main"]


async def test_a_new_club_has_the_quotas_of_the_server(server: MemoryServer) -> None:
    server.process = replace(server.process, bounds=Bounds(club_bots=50, club_matches=8))
    async with server.browser() as browser:
        created = (await ask(browser, "POST", name="class-7", quotas={"matches": None, "bytes": 9})).json()
    assert created["quotas"] == asdict(Bounds().club_quotas) | {"bots": 50, "matches": None, "bytes": 9}


async def test_a_list_tells_the_activity_of_loaded_clubs_and_loads_no_club(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    other = MemoryServer()
    administrator = Administrator(server.world.arena)
    server.take_in("class-7", other)
    administrator.create("class-8", "", Quotas())
    for each in ("class-7", "class-8"):
        administrator.change(each, listed=True)
    other.world.create(start_at_bots=2)
    other.bots("carol", "dave", "erin", join="friday")
    clubs = {each["name"]: each for each in (await browser.get("/api/clubs")).json()["clubs"]}
    assert {name: (each["tournaments"], each["bots"]) for name, each in clubs.items()} == {
        "main": (0, 0),
        "class-7": (1, 3),
        "class-8": (0, 0),
    }
    everything = {each["name"]: each["used"] for each in (await ask(browser, "GET")).json()["clubs"]}
    assert everything["class-8"] is None
    used = everything["class-7"]
    assert (used["bots"], used["tournaments"], used["matches"], used["house_bots"]) == (3, 1, 1, 0)


@pytest.mark.parametrize("residents", [(), ("random",)])
async def test_main_has_a_house_where_it_has_residents(residents: tuple[str, ...]) -> None:
    async with MemoryServer(residents=residents).browser() as browser:
        (main,) = (await browser.get("/api/clubs")).json()["clubs"]
    assert main["house"] is bool(residents)


async def test_a_host_of_a_club_is_made(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    other = MemoryServer()
    Administrator(other.world.arena).set_token(TOKEN)
    server.take_in("class-7", other)
    answer = await ask(browser, "POST", "/class-7/tokens", name="ada")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    own = {"Authorization": f"Bearer {answer.json()['token']}"}
    assert (await browser.get("/c/class-7/api/host", headers=own)).status_code == 200
    assert (await browser.get("/api/host", headers=own)).status_code == 401
    assert (await ask(browser, "POST", "/class-7/tokens", name="ada")).status_code == 409
    for unknown in ("class-9", "CLASS-7", "class-7%2f"):
        assert (await ask(browser, "POST", f"/{unknown}/tokens", name="ada")).status_code == 404
    assert len(server.world.arena.host_tokens) == 1, "none of them is main's"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "", {"name": "Not A Name"}, 422),
        ("POST", "", {"name": "x", "title": "a\nb"}, 422),
        ("POST", "", {"name": "x", "quotas": {"bots": -1}}, 422),
        ("POST", "", {"name": "x", "quotas": {"robots": 1}}, 422),
        ("POST", "", {"name": "main"}, 409),
        ("PATCH", "/nobody", {"title": "x"}, 404),
        ("DELETE", "/nobody", {}, 404),
    ],
)
async def test_a_wrong_request_about_clubs_is_refused_and_changes_nothing(
    server: MemoryServer, browser: httpx.AsyncClient, method: str, path: str, body: dict[str, Any], status: int
) -> None:
    before = server.world.log.last
    assert (await ask(browser, method, path, **body)).status_code == status
    assert server.world.log.last == before


async def test_a_bad_name_is_answered_in_words(browser: httpx.AsyncClient) -> None:
    answer = await ask(browser, "POST", name="Class 7")
    assert answer.json()["error"]["message"] == "name: should be 1 to 32 of a-z, 0-9 and -"


async def test_a_host_is_no_administrator(browser: httpx.AsyncClient) -> None:
    for method, path in (("POST", ""), ("PATCH", "/main"), ("DELETE", "/main"), ("POST", "/main/tokens"), ("GET", "")):
        answer = await browser.request(method, f"/api/clubs{path}", headers=HOST, json={"name": "x"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_token")


async def test_a_host_called_administrator_is_no_administrator(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.add_host("administrator", "a-token-of-a-host")
    answer = await browser.get("/api/clubs", headers={"Authorization": "Bearer a-token-of-a-host"})
    assert answer.status_code == 401


async def test_the_commands_are_in_the_audit_log(browser: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "rumble_server.audit"):
        await ask(browser, "POST", name="class-7", title="Class 7")
    (record,) = (each for each in caplog.records if each.name == "rumble_server.audit")
    entry: Any = record
    assert (entry.host, entry.command) == ("administrator", "POST /api/clubs")
    assert "class-7" in entry.about
