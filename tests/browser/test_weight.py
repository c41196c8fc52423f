"""The weight of the page of a finished tournament of 100 bots: bytes on the wire."""

from collections import Counter
from typing import Any

import pytest
from playwright.async_api import Page

from tests.browser.paced_bots import PacedBots
from tests.browser.running_server import RunningServer
from tests.browser.sample_site import ONE_MOVE

BOTS = tuple(f"contestant-{number:03}" for number in range(1, 101))
MOST_BYTES = 100_000
"""Maximum number of bytes of all answers for a first view, including their heads."""
MOST_AGAIN = 45_000
"""Maximum number of bytes of a second view, for which the browser has kept scripts, sheets and pictures."""


class Wire:
    """Counts the bytes that a page gets over the network."""

    def __init__(self) -> None:
        self.bytes = Counter[str]()
        """The bytes of answers by address."""
        self._urls: dict[str, str] = {}

    async def watch(self, page: Page) -> None:
        session = await page.context.new_cdp_session(page)
        session.on("Network.responseReceived", self._on_response)
        session.on("Network.dataReceived", self._on_data)
        session.on("Network.loadingFinished", self._on_end)
        await session.send("Network.enable")

    def _on_response(self, event: Any) -> None:
        self._urls[event["requestId"]] = event["response"]["url"]
        self.bytes[event["response"]["url"]] += event["response"]["encodedDataLength"]

    def _on_data(self, event: Any) -> None:
        self.bytes[self._urls[event["requestId"]]] += event["encodedDataLength"]

    def _on_end(self, event: Any) -> None:
        """Count the whole length of an answer at its end; streams without an end keep the sum of their pieces."""
        self.bytes[self._urls[event["requestId"]]] = event["encodedDataLength"]


@pytest.mark.slow
async def test_the_first_view_is_light_and_the_next_one_lighter(
    own_page: Page, server: RunningServer, paced_bots: PacedBots
) -> None:
    tournament, wire = server.create("A hundred bots", legs=1, **ONE_MOVE), Wire()
    await paced_bots.join(server.bot_url, tournament, *BOTS, max_matches=8)
    server.command(tournament, "start")
    await server.until(tournament, lambda view: view["status"] == "finished")
    await wire.watch(own_page)
    await own_page.goto(f"/tournaments/{tournament}")
    await own_page.wait_for_load_state("networkidle")
    assert await own_page.locator("#standings tr").count() == len(BOTS)
    first = dict(wire.bytes)
    assert sum(first.values()) < MOST_BYTES, first
    wire.bytes.clear()
    await own_page.goto(own_page.url)
    await own_page.wait_for_load_state("networkidle")
    again = dict(wire.bytes)
    assert sum(again.values()) < MOST_AGAIN, again
    asked = [url for url, size in again.items() if size and "/static/" in url]
    assert asked == [], "what has a hash is not asked for again"
