"""The API of host tokens: a token is shown once, kept as a hash, and refused after it was taken back."""

import httpx
import pytest
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.state.host_tokens import MOST_TOKENS

from tests.server.web.api.organiser import get, post
from tests.server.web.memory_server import HOST, TOKEN, MemoryServer


async def test_a_token_is_made_used_and_taken_back(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/api/host/tokens", headers=HOST, json={"name": "ada"})
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    own = {"Authorization": f"Bearer {answer.json()['token']}"}
    listed = (await browser.get("/api/host/tokens", headers=own)).json()["tokens"]
    assert [(each["name"], each["own"]) for each in listed] == [("default", False), ("ada", True)]
    assert answer.json()["token"] not in repr(server.world.log.facts), "the log has its hash"
    assert (await post(browser, "host/tokens/ada/remove")).json()["message"] == "the token ada is not valid any more"
    assert (await browser.get("/api/host", headers=own)).status_code == 401
    assert [each["name"] for each in (await get(browser, "host/tokens"))["tokens"]] == ["default"]


async def test_a_list_shows_no_token_that_is_not_on_disk(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    server.world.create()
    server.log.after_wait = lambda: server.world.organiser.add_token("ada", "the-token-of-ada")
    assert [each["name"] for each in (await get(browser, "host/tokens"))["tokens"]] == ["default"]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("host/tokens", {"name": "default"}, 409, "name_taken"),
        ("host/tokens", {"name": "administrator"}, 409, "unavailable"),
        ("host/tokens", {"name": "no spaces"}, 422, "bad_message"),
        ("host/tokens/default/remove", {}, 409, "last_token"),
        ("host/tokens/nobody/remove", {}, 404, "not_found"),
    ],
)
async def test_a_wrong_request_about_tokens_is_refused_and_changes_nothing(
    server: MemoryServer, browser: httpx.AsyncClient, path: str, body: dict[str, str], status: int, code: str
) -> None:
    answer = await browser.post(f"/api/{path}", headers=HOST, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert server.world.arena.host_tokens.holder(TOKEN) == "default"


async def test_the_tokens_of_a_club_are_bounded(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    for number in range(MOST_TOKENS - 1):
        Organiser(server.world.arena).set_token(f"host-{number}", f"the-token-of-host-{number}")
    refused = await browser.post("/api/host/tokens", headers=HOST, json={"name": "ada"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "unavailable")
    await post(browser, "host/tokens/host-7/remove")
    assert (await browser.post("/api/host/tokens", headers=HOST, json={"name": "ada"})).status_code == 201
