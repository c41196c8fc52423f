"""A bot's owner looks at the page of the bot, by plain HTTP at an address of the network."""

import asyncio
import json
import re

import pytest
from playwright.async_api import Page, expect
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.serve import serve
from rumble_protocol.secret import RANDOM_BYTES, make_secret

from tests.browser.running_server import RunningServer

pytestmark = pytest.mark.slow

PLY = 4
"""Ply from which the bot of the test makes no legal move."""


class Failing(Bot):
    """A bot that makes the first legal move, and from ply `PLY` on no legal one if `fails`."""

    version = "1"

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def choose(self, turn: Turn) -> str:
        return "nonsense" if self._fails and turn.ply >= PLY else turn.legal[0]


@pytest.fixture(scope="module")
def server(lan_server: RunningServer) -> RunningServer:
    """The server of this module."""
    return lan_server


async def test_an_owner_sees_loss_fault_and_scores(own_page: Page, server: RunningServer) -> None:
    cup = server.create("A lesson", classroom=True, legs=1)
    playing = []
    for display in ("Bj\u00f6rn", "Chlo\u00e9"):
        key = make_secret(display.encode().ljust(RANDOM_BYTES))
        bot = Failing(fails=display == "Chlo\u00e9")
        name = server.pupil(cup, display, key)
        playing.append(asyncio.create_task(serve(bot, server.url, name=name, key=key, challenges=True)))
    await server.until(cup, lambda view: all(each["connected"] for each in view["entrants"]))
    server.command(cup, "start")
    await server.until(cup, lambda view: view["status"] == "finished")
    await own_page.goto("/me")
    await expect(own_page.locator("#state")).to_contain_text("This browser has no bot yet")
    kept = json.dumps({"name": name, "key": key, "display": display})
    await own_page.evaluate("kept => localStorage.setItem('rumble.guest', kept)", kept)
    await own_page.reload()
    await expect(own_page.locator("[data-identity]")).to_contain_text("You are Chlo\u00e9.")
    await expect(own_page.locator("#loss")).to_contain_text("Bj\u00f6rn")
    await expect(own_page.locator("#loss img")).to_be_visible()
    await expect(own_page.locator("#faults h3")).to_have_text("illegal move, once")
    turn, answer, verdict = (own_page.locator("#faults pre").nth(number) for number in range(3))
    await expect(turn).to_contain_text("type: turn")
    await expect(answer).to_contain_text("move: nonsense")
    await expect(verdict).to_have_text(re.compile("^\u2068Chlo\u00e9\u2069 sent a move that does not count.*nonsense"))
    await expect(own_page.locator("#scores tr")).to_have_text(["1Bj\u00f6rn001"])
    await expect(own_page.get_by_role("link", name="Play against my bot")).to_have_attribute(
        "href", f"/play?against={name}"
    )
    await expect(own_page.locator("#faults a")).to_have_attribute("href", re.compile(r"\?ply=[45]$"))
    for each in playing:
        each.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
