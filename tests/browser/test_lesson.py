"""A teacher leads a lesson in the console, by plain HTTP at an address of the network, and counts the clicks."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from rumble_bots.reference.remote import RemoteReferenceBot
from rumble_bots.sdk.actions import Summary
from rumble_bots.sdk.serve import serve
from rumble_protocol.secret import make_secret

from tests.browser.running_server import RunningServer

pytestmark = pytest.mark.slow

CLICKS_TO_THE_FIRST_MATCH = 5


class Teacher:
    """A teacher's page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    async def click(self, name: str) -> None:
        self.clicks += 1
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def log_in(self, path: str, token: str) -> None:
        await self.page.goto(path)
        await self.page.get_by_label("Host token").fill(token)
        await self.click("Log in")
        await expect(self.page.locator("#content")).to_be_visible()


class Pupils:
    """Pupils with programs that follow."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.playing: list[asyncio.Task[Summary]] = []

    def join(self, tournament: str, display: str, *, plays: bool = True) -> None:
        key = make_secret()
        name = self.server.pupil(tournament, display, key)
        if plays:
            bot = RemoteReferenceBot("random", seed=len(self.playing))
            playing = serve(bot, self.server.url, name=name, key=key, join=tournament, follow=True)
            self.playing.append(asyncio.create_task(playing))


@pytest.fixture(scope="module")
def server(lan_server: RunningServer) -> RunningServer:
    """The server of this module."""
    return lan_server


@pytest_asyncio.fixture(loop_scope="session")
async def pupils(server: RunningServer) -> AsyncIterator[Pupils]:
    found = Pupils(server)
    yield found
    for task in found.playing:
        task.cancel()
    await asyncio.gather(*found.playing, return_exceptions=True)


@pytest_asyncio.fixture(loop_scope="session")
async def teacher(own_page: Page) -> Teacher:
    return Teacher(own_page)


async def test_five_clicks_to_the_first_match_and_one_to_the_final(
    teacher: Teacher, pupils: Pupils, server: RunningServer
) -> None:
    page = teacher.page
    await teacher.log_in("/console", server.token)
    await page.get_by_label("Name", exact=True).fill("Our lesson")
    teacher.clicks += 1
    await page.get_by_label("For a class").check()
    await expect(page.locator("#f-listed")).not_to_be_checked()
    await teacher.click("Create")
    await expect(page.locator("#door-code")).not_to_be_empty()
    await expect(page.locator("#unreached")).to_be_visible()
    await expect(page.locator("#no-code")).to_be_hidden()
    for display in ("\u00c4nne", "Bob", "Cem"):
        pupils.join("our-lesson", display)
    pupils.join("our-lesson", "Dora", plays=False)
    await expect(page.locator("#bots-count")).to_have_text("3 of 4 connected")
    await teacher.click("Start without the 1 who is away")
    await expect(page.locator("#status")).not_to_have_text("lobby")
    assert teacher.clicks <= CLICKS_TO_THE_FIRST_MATCH
    await expect(page.locator("#status")).to_have_text("finished")
    await expect(page.locator("#outcome")).to_be_empty()
    teacher.clicks = 0
    await teacher.click("Final of the top 8")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Final of Our lesson")
    await expect(page.locator("#status")).to_have_text("finished")
    assert teacher.clicks == 1
    assert {each["name"] for each in server.tournament("final-of-our-lesson")["entrants"]} == {"anne", "bob", "cem"}
    assert not any(task.done() for task in pupils.playing)
    await page.goto("/tournaments/our-lesson/results")
    await expect(page.locator(".strips .who")).to_have_count(3)
    await page.goto("/console")
    await expect(page.get_by_role("link", name="Our lesson", exact=True)).to_be_visible()


async def test_the_teacher_changes_the_lobby_and_copies_it(teacher: Teacher, server: RunningServer) -> None:
    page = teacher.page
    cup = server.create("To change", "connect4", settings={"columns": 5}, openings=[["c", "d"]], seed_ratings={"a": 9})
    await teacher.log_in(f"/console/{cup}", server.token)
    await page.get_by_role("link", name="Change").click()
    await expect(page.get_by_role("heading", name="Change To change")).to_be_visible()
    await page.locator("#s-connect4-rows").fill("5")
    await page.get_by_label("Cycles", exact=True).fill("3")
    await teacher.click("Save")
    await expect(page.locator("#config")).to_contain_text("rows 5")
    config = server.host.get(f"tournaments/{cup}/host")["config"]
    kept = config["settings"], config["cycles"], config["openings"], config["seed_ratings"]
    assert kept == ({"columns": 5, "rows": 5, "connect": 4}, 3, [["c", "d"]], {"a": 9})
    await page.get_by_role("link", name="Copy").click()
    await expect(page.get_by_role("heading", name="Create a tournament like To change")).to_be_visible()
    await teacher.click("Create")
    await expect(page.locator("#content")).to_have_attribute("data-id", f"{cup}-2")
    copied = server.host.get(f"tournaments/{cup}-2/host")["config"]
    assert copied == config


async def test_the_roster_and_the_slips_of_a_class(teacher: Teacher, pupils: Pupils, server: RunningServer) -> None:
    page = teacher.page
    cup = server.create("A roster", classroom=True)
    pupils.join(cup, "Eva", plays=False)
    await teacher.log_in(f"/console/{cup}/roster", server.token)
    await page.get_by_label("Names").fill("eva\nFinn\n")
    await teacher.click("Save")
    await expect(page.locator("#pupils tr")).to_contain_text(["in, but its bot is away", "missing"])
    await expect(page.locator("#count")).to_have_text("1 in, 0 of them with a bot that is here; 1 missing.")
    await page.goto(f"/console/{cup}/slips")
    await teacher.click("Make a slip for each")
    code = await page.locator(".slip-code").inner_text()
    await page.goto("/join")
    await page.get_by_label("Code").fill(code)
    await page.get_by_role("button", name="Join", exact=True).click()
    await expect(page.get_by_role("heading", name="You are in")).to_be_visible()
    await expect(page.locator("[data-identity] bdi")).to_have_text("Eva")
    server.command(cup, "cancel")
    await expect(page.locator("#is-over")).to_be_visible()
    for step in ("login", "move"):
        await expect(page.locator(f"[data-step={step}] span")).to_have_text("the tournament is over")
