"""Slips: one-time codes by which a pupil goes on under the same name on another computer."""

from typing import Any

import httpx
import pytest
from rumble_protocol.secret import make_secret
from rumble_server.host.fair_queue import Crowded
from rumble_server.tournament.club_facts import SlipMade

from tests.server.failing import raising
from tests.server.web.api.organiser import post
from tests.server.web.memory_server import HOST, MemoryServer


async def pupil(server: MemoryServer, browser: httpx.AsyncClient, display: str = "Änne") -> str:
    """Enter a pupil by a join code, and return the key."""
    tournament, key = server.world.create(classroom=True), make_secret()
    body = {"code": tournament.join_code, "display_name": display, "key": key}
    answer = await browser.post("/api/join", json=body)
    assert answer.json()["name"] == "anne", answer.text
    return key


async def make(browser: httpx.AsyncClient, name: str = "anne") -> Any:
    answer = await post(browser, "tournaments/friday/slips", {"name": name})
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.json()["code"]


async def redeem(browser: httpx.AsyncClient, code: str) -> httpx.Response:
    return await browser.post("/api/slips", json={"code": code})


async def test_a_slip_brings_the_name_and_a_new_key_once(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    bot = server.world.login("anne", key=await pupil(server, browser))
    code = await make(browser)
    (made,) = [fact for fact in server.world.log.facts if isinstance(fact, SlipMade)]
    assert (len(code), code in str(made)) == (8, False)
    answer = await redeem(browser, f" {code[:4].lower()}-{code[4:]} ")
    redeemed = answer.json()
    assert (redeemed["name"], redeemed["display_name"], redeemed["tournament"]) == ("anne", "Änne", "friday")
    assert answer.headers["Cache-Control"] == "no-store"
    assert bot.last("error")["message"] == "a slip took anne to another computer: this one is signed out"
    assert server.world.arena.names.owns("anne", redeemed["key"])
    again = await redeem(browser, code)
    assert (again.status_code, again.json()["error"]["code"]) == (404, "unknown_code")


async def test_a_slip_is_not_used_up_if_the_answer_cannot_be_made(
    server: MemoryServer, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address may have used up its share of the server's work, and a class has one address."""
    key = await pupil(server, browser)
    code = await make(browser)
    server.world.organiser.end("friday", cancelled=True)
    with monkeypatch.context() as patch:
        patch.setattr(server.reader, "of_tournament", raising(Crowded()))
        assert (await redeem(browser, code)).status_code == 429
    assert server.world.arena.names.owns("anne", key)
    assert (await redeem(browser, code)).status_code == 200


async def test_a_slip_survives_a_restart_and_only_the_newest_is_valid(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    await pupil(server, browser)
    first, second = await make(browser), await make(browser)
    assert (await redeem(browser, first)).status_code == 404
    assert server.world.after_crash().arena.slips.keys() == {"anne"}
    assert (await redeem(browser, second)).status_code == 200


async def test_the_host_voids_a_slip(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    await pupil(server, browser)
    code = await make(browser)
    path = "/api/tournaments/friday/slips/anne"
    assert (await browser.delete(path, headers=HOST)).status_code == 200
    assert (await browser.delete(path, headers=HOST)).status_code == 409
    assert (await redeem(browser, code)).status_code == 404
    assert server.world.after_crash().arena.slips == {}


async def test_thirty_wrong_codes_refuse_no_right_one(server: MemoryServer, browser: httpx.AsyncClient) -> None:
    key = await pupil(server, browser)
    code = await make(browser)
    codes = {(await redeem(browser, f"AAAA{number:04}")).status_code for number in range(30)}
    assert codes == {404, 429}
    assert server.world.login("anne", key=key).inbox.all("session")
    assert (await redeem(browser, code)).status_code == 200


@pytest.mark.parametrize("name", ["nobody", "open"])
async def test_a_slip_is_for_a_name_with_a_key(server: MemoryServer, browser: httpx.AsyncClient, name: str) -> None:
    server.world.create()
    server.world.login("open", join="friday")
    answer = await post(browser, "tournaments/friday/slips", {"name": name})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_bot")
