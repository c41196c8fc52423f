import asyncio
from typing import Any

import httpx
import pytest
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.tournament.versions import MOST_SOURCE_BYTES, MOST_VERSIONS

from tests.server.web.api.test_me import KEYS, owner
from tests.server.web.memory_server import HOST, MemoryServer

SECRET = "print('the secret of anna')"


@pytest.fixture(autouse=True)
def bots(server: MemoryServer) -> None:
    for name, key in KEYS.items():
        server.world.login(name, key=key)


async def save(browser: httpx.AsyncClient, name: str = "anna", source: str = SECRET, **given: Any) -> httpx.Response:
    body = {"language": "python", "source": source, **given}
    return await browser.post("/api/versions", json=body, headers=owner(name))


async def test_owner_and_host_read_the_saved_source(browser: httpx.AsyncClient) -> None:
    assert [(await save(browser, name)).json() for name in ("anna", "Anna", "berta")] == [
        {"number": 1},
        {"number": 2},
        {"number": 1},
    ]
    for headers, query in ((owner("anna"), ""), (owner("anna"), "?bot=ANNA"), (HOST, "?bot=anna")):
        listed = (await browser.get(f"/api/versions{query}", headers=headers)).json()["versions"]
        assert [(each["number"], each["language"], each["bytes"]) for each in listed] == [
            (1, "python", len(SECRET)),
            (2, "python", len(SECRET)),
        ]
        assert "source" not in listed[0]
        found = (await browser.get(f"/api/versions/2{query}", headers=headers)).json()
        assert found == listed[1] | {"source": SECRET}


@pytest.mark.parametrize(
    ("headers", "query", "status"),
    [
        ({}, "?bot=anna", 401),
        ({}, "?bot=anna&invite=KMRTVA", 401),
        ({"Authorization": "Bearer KMRTVA"}, "?bot=anna", 401),
        ({"Authorization": f"Bot anna:{KEYS['berta']}"}, "", 401),
        ({"Authorization": "Bot anna:"}, "", 401),
        ({"Authorization": "Bot anna"}, "", 401),
        (owner("berta"), "?bot=anna", 403),
        (owner("berta"), "", 404),
        (HOST, "", 404),
        (HOST, "?bot=nobody", 404),
    ],
)
async def test_nobody_else_reads_a_source(
    browser: httpx.AsyncClient, headers: dict[str, str], query: str, status: int
) -> None:
    await save(browser)
    answers = [await browser.get(f"/api/versions{path}{query}", headers=headers) for path in ("/1", "")]
    assert answers[0].status_code == status
    assert not any("secret" in each.text or KEYS["anna"] in each.text for each in answers)


async def test_nobody_but_the_owner_saves(browser: httpx.AsyncClient) -> None:
    body = {"language": "python", "source": SECRET}
    for headers in ({}, HOST, {"Authorization": f"Bot anna:{KEYS['berta']}"}):
        assert (await browser.post("/api/versions", json=body, headers=headers)).status_code == 401
    assert (await browser.get("/api/versions", headers=owner("anna"))).json() == {"versions": []}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"source": "ä" * (MOST_SOURCE_BYTES // 2)}, 201),
        ({"source": "ä" * (MOST_SOURCE_BYTES // 2) + "."}, 422),
        ({"source": "." * 2 * MOST_SOURCE_BYTES}, 413),
        ({"source": None}, 422),
        ({"language": "cobol"}, 422),
        ({"number": 7}, 422),
        ({"source": 'a "\0\n\U0001f600'}, 201),
    ],
)
async def test_a_version_is_a_short_text_in_a_known_language(
    browser: httpx.AsyncClient, given: dict[str, Any], status: int
) -> None:
    saved = await save(browser, **given)
    assert saved.status_code == status
    if status == 201:
        found = await browser.get("/api/versions/1", headers=owner("anna"))
        assert found.json()["source"] == given["source"]


async def test_a_bot_that_saves_all_the_time_delays_no_other_bot(
    browser: httpx.AsyncClient, server: MemoryServer
) -> None:
    site = server.clubs["main"]
    async with site.saving.setdefault("anna", asyncio.Lock()):
        waiting = asyncio.create_task(save(browser))
        assert (await save(browser, "berta")).status_code == 201
        assert not waiting.done()
    assert (await waiting).json() == {"number": 1}
    assert not site.saving, "a lock is kept no longer than it is used"


async def test_a_bot_that_has_lost_its_name_meanwhile_saves_nothing(
    browser: httpx.AsyncClient, server: MemoryServer
) -> None:
    site = server.clubs["main"]
    async with site.saving.setdefault("anna", asyncio.Lock()):
        waiting = asyncio.create_task(save(browser))
        assert (await save(browser, "berta")).status_code == 201
        Organiser(server.world.arena).reset_key("anna")
        server.pass_ms()
        server.world.login("anna", key="the-key-of-a-stranger")
    refused = await waiting
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "bad_token")
    assert (await browser.get("/api/versions?bot=anna", headers=HOST)).json() == {"versions": []}


async def test_an_old_version_is_gone(browser: httpx.AsyncClient) -> None:
    for _ in range(MOST_VERSIONS + 1):
        await save(browser)
    assert (await browser.get("/api/versions/1", headers=owner("anna"))).status_code == 404
    assert (await browser.get("/api/versions/2", headers=owner("anna"))).status_code == 200


async def test_the_next_owner_of_a_name_does_not_see_older_versions(
    browser: httpx.AsyncClient, server: MemoryServer
) -> None:
    await save(browser)
    Organiser(server.world.arena).reset_key("anna", "the-new-key-of-anna")
    mine = {"Authorization": "Bot anna:the-new-key-of-anna"}
    assert (await browser.get("/api/versions/1", headers=mine)).json()["source"] == SECRET  # another key, same owner
    Organiser(server.world.arena).reset_key("anna")
    server.pass_ms()
    server.world.login("anna", key="the-key-of-a-stranger")
    stranger = {"Authorization": "Bot anna:the-key-of-a-stranger"}
    assert (await browser.get("/api/versions", headers=stranger)).json() == {"versions": []}
    assert (await browser.get("/api/versions/1", headers=HOST | {"x": "y"}, params={"bot": "anna"})).status_code == 404
