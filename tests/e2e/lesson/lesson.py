"""A lesson from its first command to the printed results."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.bots.starters.building import go_proxy
from tests.e2e.lesson.classroom import PATIENCE_MS, Person, at_a_browser, seated
from tests.e2e.lesson.pupils import FLOODING, HOSTILE, Pupil
from tests.e2e.namespaces import Machine
from tests.e2e.processes import announcement

SERVE = "rumble serve --host 0.0.0.0"
JOINING = 1
"""Number of pupils who join at the same time: a slowed browser alone takes a processor of this machine."""
LUNCH_S = 5.0
AWAY = "ERR_CONNECTION_|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|status of 503|answered 503"
"""The pattern of problems of a page whose server is away."""
LONGEST_MS = 900_000
"""Time in ms for a tournament."""


@dataclass
class Took:
    """What a pupil did from the code to the first version that plays, and the time in s from opening the editor."""

    pupil: Pupil
    clicks: int
    typed: int
    seconds: float | None = None


@dataclass
class Lesson:
    """The teacher, the server, and the pupils who have joined."""

    here: Machine
    there: Machine
    stack: AsyncExitStack
    commands: int = 0
    people: dict[str, Person] = field(default_factory=dict)
    took: list[Took] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    """The tournaments, in order."""

    def serve(self) -> dict[str, str]:
        """Start the server; return its announcement up to the line "listening on", by the words before two spaces."""
        self.served = ExitStack()
        process = self.served.enter_context(self.here.leaves_running("teacher", SERVE))
        self.commands += 1
        lines: dict[str, str] = {}
        for line in announcement(process, self.here.terminal_log("teacher")).splitlines():
            what, _, rest = line.strip().partition("  ")
            lines.setdefault(what, rest.strip().partition("  ")[0])
        return lines

    async def teacher_creates(self, browser: Browser, lines: dict[str, str]) -> str:
        """Have the teacher log in and create a classroom; return the join code."""
        self.teacher = await self.stack.enter_async_context(seated(browser, 1))
        page = self.teacher.page
        await page.goto(lines["console"])
        await self.teacher.type("Host token", lines["host token"])
        await self.teacher.click("Log in")
        await self.teacher.click(page.locator("#f-classroom"))
        await self.teacher.type("Name", "Class 7b")
        await self.teacher.click("Create")
        code = page.locator("#door-code")
        await expect(code).to_have_text(re.compile(r"\w{3}"))
        self.ids.append(page.url.rpartition("/")[2])
        return await code.inner_text()

    async def joins(self, browser: Browser, url: str, code: str, pupil: Pupil) -> None:
        """Have a pupil join by the code, and make a bot that plays."""
        person = await self.stack.enter_async_context(seated(browser))
        self.people[pupil.name] = person
        page = person.page
        await page.goto(f"{url}join")
        await person.type("Code", code)
        await person.type("Your name", pupil.name)
        await person.click("Join")
        await expect(page.get_by_role("heading", name="You are in")).to_be_visible()
        if pupil.code == HOSTILE:
            person.problems.allow("Content Security Policy|policy violation|^failed: ")
        if pupil.where == "zip":
            await self._by_zip(person, pupil)
        elif pupil.where == "editor":
            seconds = await self._in_the_editor(person, pupil)
            self.took.append(Took(pupil, person.clicks, person.typed, seconds))

    async def _in_the_editor(self, person: Person, pupil: Pupil) -> float:
        page = person.page
        began = time.monotonic()
        link = "Here, in JavaScript" if pupil.language == "javascript" else "Write my bot here"
        await person.click(page.get_by_role("link", name=link))
        button = page.get_by_role("button", name="Play this version")
        await expect(button).to_be_enabled()
        await expect(page.get_by_label("Language")).to_have_value(pupil.language)
        if pupil.code is not None:
            await page.locator("#editor [contenteditable=true], #editor textarea").click()
            await page.keyboard.press("Control+A")
            await page.keyboard.insert_text(pupil.code)
        await person.click(button)
        await expect(page.locator("#play-state")).to_contain_text("Version 1 plays")
        seconds = round(time.monotonic() - began, 1)
        await person.slow(1)
        return seconds

    async def _by_zip(self, person: Person, pupil: Pupil) -> None:
        page = person.page
        await person.click(page.get_by_text("I use my own computer"))
        await person.choose("Language", pupil.language)
        async with page.expect_download() as download:
            await person.click("Download your bot")
        home, _ = self.there.home(pupil.name)
        await (await download.value).save_as(home / "bot.zip")
        self.took.append(Took(pupil, person.clicks, person.typed))
        await page.close()
        await asyncio.to_thread(self.there.types, pupil.name, "unzip -q bot.zip")
        if pupil.code == FLOODING:
            (home / "bot" / "flood.py").write_text(FLOODING)
        command = "sh bot/run.sh >printed" if pupil.code is None else "sh -c 'cd bot && exec python3 flood.py'"
        tools = go_proxy(home) if pupil.language == "go" else {}
        self.stack.enter_context(self.there.leaves_running(pupil.name, command, tools))

    async def starts(self) -> None:
        """Start without those who are away, once the others are here. The flooding bot may be away."""
        await self.teacher.click(self.teacher.page.get_by_role("button", name=re.compile("^Start without the [12] ")))
        await self.until("running")

    async def until(self, status: str) -> None:
        """Wait until the console shows this status."""
        await expect(self.teacher.page.locator("#status")).to_have_text(status, timeout=LONGEST_MS)

    async def until_results(self, count: int) -> None:
        """Wait until the console counts so many results."""
        place = self.teacher.page.locator("#bar")
        while float(await place.get_attribute("value") or 0) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.5)

    async def lunch(self) -> None:
        """Stop the server, and start it again after a while, all by one command."""
        for person in (self.teacher, *self.people.values()):
            person.problems.allow(AWAY)
        await asyncio.to_thread(self.served.close)
        await asyncio.sleep(LUNCH_S)
        await asyncio.to_thread(self.serve)

    async def final(self) -> None:
        """Have the teacher start the final of the best."""
        page = self.teacher.page
        await self.teacher.click("Final of the top 8")
        await page.wait_for_url(lambda url: self.ids[0] not in url.rpartition("/")[2].partition("?")[:1])
        await self.until("running")
        self.ids.append(page.url.rpartition("/")[2].partition("?")[0])

    async def results(self, url: str, folder: Path) -> tuple[int, int]:
        """Print the results of the first tournament; return the number of strips, and the size in bytes."""
        page = self.teacher.page
        await page.goto(f"{url}tournaments/{self.ids[0]}/results")
        return await page.locator(".strips > li").count(), len(await page.pdf(path=folder / "results.pdf"))


@asynccontextmanager
async def lesson(here: Machine, there: Machine, program: str) -> AsyncIterator[tuple[Lesson, Browser, Browser]]:
    """Yield a lesson, the teacher's browser and the pupils' browser."""
    expect.set_options(timeout=PATIENCE_MS)
    async with AsyncExitStack() as stack:
        stack.callback(there.end)
        theirs = await stack.enter_async_context(at_a_browser(there, program))
        teachers = await stack.enter_async_context(at_a_browser(here, program))
        made = Lesson(here, there, stack)
        yield made, teachers, theirs
        made.served.close()
