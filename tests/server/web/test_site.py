import asyncio

import httpx
import pytest
from rumble_server.store.errors import StoreError
from rumble_server.web.errors import WebError

from tests.server.web.memory_server import HOST, MemoryServer


async def test_nothing_is_told_before_it_is_on_disk(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.played("alice", "bob")
    server.log.trouble = "disk full"
    assert (await browser.get("/api/tournaments/friday")).status_code == 200
    server.world.log.stuck = True
    server.world.create(name="New")
    for path in ("/api/tournaments/new", "/api/tournaments", "/api/tournaments/friday/standings", "/api/clubs"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert "disk full" in answer.json()["error"]["message"]
    for path in ("tournaments/new/house", "tournaments/new/host", "host/tournaments", "host/tokens", "bans"):
        assert (await browser.get(f"/api/{path}", headers=HOST)).status_code == 503, path
    assert (await browser.get("/write?join=new")).status_code == 503
    form = {"language": "python", "tournament": "new"}
    assert (await browser.post("/join/zip", data=form)).status_code == 503


async def test_nobody_waits_long_for_the_disk(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.site.DISK_S", 0.01)
    server.world.log.stuck = True
    server.world.create()
    answer = await browser.get("/api/tournaments/friday")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")


async def test_late_request_is_answered_if_its_fact_is_on_disk(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rumble_server.web.site.DISK_S", 0.01)
    server.world.log.stuck = True
    server.world.create()

    async def wait(_number: int) -> None:
        """Write the fact, and keep the request waiting, as a busy event loop would."""
        server.world.log.unstick()
        await asyncio.Event().wait()

    monkeypatch.setattr(server.log, "wait", wait)
    assert (await browser.get("/api/tournaments/friday")).status_code == 200


async def test_a_command_is_on_disk_when_its_result_is_told(server: MemoryServer) -> None:
    site = server.clubs["main"]

    def add_token() -> bool:
        site.commands.organiser.set_token("second", "the-second-token")
        return site.log.durable < site.log.last

    assert await site.run_command(add_token), "the result is made before the wait"
    assert site.log.durable == site.log.last


@pytest.mark.parametrize("error", [TimeoutError(), StoreError("another node leads the club main")])
async def test_no_client_repeats_a_command_that_was_carried_out_but_may_not_be_on_disk(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Clients repeat a request after 503, and would create a second tournament.

    The commit may be on disk, although this node has learned that another node leads the club.
    """

    async def wait(_number: int) -> None:
        raise error

    monkeypatch.setattr(server.log, "wait", wait)
    answer = await browser.post("/api/tournaments", json={"name": "Friday", "game": "connect4"}, headers=HOST)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "unavailable")
    assert "look whether it was carried out" in answer.json()["error"]["message"]
    assert list(server.world.arena.tournaments) == ["friday"]


async def test_no_command_is_carried_out_while_the_disk_is_in_trouble(server: MemoryServer) -> None:
    server.log.trouble = "disk full"
    with pytest.raises(WebError, match="disk full"):
        await server.clubs["main"].run_command(lambda: pytest.fail("the command is carried out"))
