"""A bot's owner looks at the page of the bot, by plain HTTP at an address of the network."""

import asyncio
import json
import re

from playwright.async_api import expect
from rumble_bots.sdk.bot import Bot, Turn
from rumble_bots.sdk.serve import serve
from rumble_protocol.secret import RANDOM_BYTES, make_secret

from tests.browser.conftest import OpenPage
from tests.browser.running_server import RunningServer

PLY = 4
"""Ply from which the bot of the test makes no legal move."""


class Failing(Bot):
    """A bot that makes the first legal move, and from ply `PLY` on no legal one if `fails`."""

    version = "1"

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def choose(self, turn: Turn) -> str:
        return "nonsense" if self._fails and turn.ply >= PLY else turn.legal[0]


async def test_an_owner_sees_loss_fault_and_scores(open_page: OpenPage, lan_server: RunningServer) -> None:
    cup = lan_server.create("A lesson", classroom=True, legs=1)
    playing = []
    for display in ("Bj\u00f6rn", "Chlo\u00e9"):
        key = make_secret(display.encode().ljust(RANDOM_BYTES))
        bot = Failing(fails=display == "Chlo\u00e9")
        own = {"name": lan_server.pupil(cup, display, key), "key": key}
        playing.append(asyncio.create_task(serve(bot, lan_server.url, challenges=True, **own)))
    await lan_server.until(cup, lambda view: all(each["connected"] for each in view["entrants"]))
    lan_server.command(cup, "start")
    await lan_server.until(cup, lambda view: view["status"] == "finished")
    page = await open_page(base_url=lan_server.url)
    await page.goto("/me")
    await expect(page.locator("#state")).to_contain_text("This browser has no bot yet")
    kept = json.dumps({**own, "display": display})
    await page.evaluate("kept => localStorage.setItem('rumble.guest', kept)", kept)
    await page.reload()
    await expect(page.locator("[data-identity]")).to_contain_text("You are Chlo\u00e9.")
    await expect(page.locator("#loss")).to_contain_text("Bj\u00f6rn")
    await expect(page.locator("#loss img")).to_be_visible()
    await expect(page.locator("#faults h3")).to_have_text("illegal move, once")
    turn, answer, verdict = (page.locator("#faults pre").nth(number) for number in range(3))
    await expect(turn).to_contain_text("type: turn")
    await expect(answer).to_contain_text("move: nonsense")
    await expect(verdict).to_have_text(re.compile("^\u2068Chlo\u00e9\u2069 sent a move that does not count.*nonsense"))
    await expect(page.locator("#scores tr")).to_have_text(["1Bj\u00f6rn001"])
    await expect(page.get_by_role("link", name="Play against my bot")).to_have_attribute(
        "href", f"/play?against={own['name']}"
    )
    await expect(page.locator("#faults a")).to_have_attribute("href", re.compile(r"\?ply=[45]$"))
    for each in playing:
        each.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
