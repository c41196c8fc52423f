from typing import Any

import httpx
import pytest

from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import MemoryServer

ADDRESS = "203.0.113.7"
KEY = "correct-horse-battery"


async def test_the_host_sees_who_was_refused(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.connect(is_local=False, address=ADDRESS).login("ann")
    (refused,) = (await get(browser, "refused"))["refused"]
    assert (refused["name"], refused["address"], refused["code"]) == ("ann", ADDRESS, "key_required")


async def test_an_address_and_a_name_are_banned_and_let_in_again(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    bots = {}
    for name, address in (("ann", ADDRESS), ("ben", "203.0.113.6"), ("cid", "198.51.100.1")):
        bots[name] = server.world.connect(is_local=False, address=address)
        bots[name].login(name, key=KEY)
    assert (await post(browser, "bans", {"address": "203.0.113.0/29", "reason": "floods"})).status_code == 200
    assert (await post(browser, "bans", {"name": "CID", "minutes": 5})).json() == {"message": "CID is banned"}
    for bot in bots.values():
        assert (bot.error(), bot.last("error")["fatal"], bot.link.closed) == ("banned", True, 4011)
    assert bots["ann"].last("error")["message"] == "your address is banned here: floods"
    newest, oldest = (await get(browser, "bans"))["bans"]
    assert (oldest["address"], oldest["until_ms"]) == ("203.0.113.0/29", None)
    assert (newest["name"], newest["until_ms"] - newest["at_ms"]) == ("CID", 300_000)
    again = server.world.connect(is_local=False, address=ADDRESS)
    again.login("dan", key=KEY)
    assert (again.error(), again.link.closed) == ("banned", 4011)
    assert server.world.arena.admission.refusals.counts["banned"] == 1
    server.pass_ms(300_000)
    assert server.world.login("cid", key=KEY).link.closed is None, "its time is over"
    assert (await post(browser, "bans/lift", {"address": "203.0.113.5/29"})).status_code == 200
    assert (await get(browser, "bans")) == {"bans": []}
    again = server.world.connect(is_local=False, address=ADDRESS)
    again.login("ann", key=KEY)
    assert again.link.closed is None


async def test_a_list_shows_no_ban_that_is_not_on_disk(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    organiser = server.world.organiser
    server.log.after_wait = lambda: organiser.ban("ann", by_name=True, until_ms=None, reason="")
    assert await get(browser, "bans") == {"bans": []}


async def test_bans_are_on_disk_and_hold_after_a_restart(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    await post(browser, "bans", {"name": "ann"})
    await post(browser, "bans", {"name": "ben"})
    await post(browser, "bans/lift", {"name": "ben"})
    assert server.world.log.durable == server.world.log.last
    again = server.world.after_crash()
    assert again.login("ann", key=KEY).link.closed == 4011
    assert again.login("ben", key=KEY).link.closed is None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "bad_message"),
        ({"name": "ann", "address": ADDRESS}, 422, "bad_message"),
        ({"address": "nowhere"}, 422, "bad_message"),
        ({"name": "ann", "minutes": 0}, 422, "bad_message"),
        ({"name": "not a name"}, 422, "bad_message"),
        ({"address": "192.0.2.0/24"}, 409, "unavailable"),
    ],
)
async def test_a_ban_that_is_unclear_invalid_or_of_the_host_itself_is_refused(
    server: MemoryServer, body: dict[str, Any], status: int, code: str
) -> None:
    async with server.browser(address="192.0.2.9") as browser:
        answer = await post(browser, "bans", body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert (await get(browser, "bans")) == {"bans": []}


async def test_a_ban_of_nobody_cannot_be_lifted(browser: httpx.AsyncClient) -> None:
    answer = await post(browser, "bans/lift", {"name": "ann"})
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "ann is not banned")
