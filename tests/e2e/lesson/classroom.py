"""A classroom: the teacher's machine, the pupils' machine, and a cable.

The pupils share a browser, because this machine has few processors. Each pupil has a context and slowed processes of
the browser.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, CDPSession, Error, Frame, Locator, Page

from tests.browser.chromium import QUIET, browsing
from tests.browser.problems import Problems
from tests.browser.tabs import new_context
from tests.e2e.namespaces import SERVER, Machine, narrow, two_machines

MBIT = 50
"""Mbit/s of the cable, each way."""
SLOWDOWN = 6
"""The factor by which pupils' processors are slower than the processor of this machine."""
PATIENCE_MS = 90_000
"""Time in ms for a change of a page: all pupils share the processors of this machine."""


@dataclass
class Person:
    """A person at a page, whose clicks and typed characters are counted."""

    page: Page
    problems: Problems = field(default_factory=lambda: Problems(SERVER))
    devtools: list[CDPSession] = field(default_factory=list)
    """The tools that slow the processes of the page."""
    clicks: int = 0
    typed: int = 0

    async def slow(self, factor: int) -> None:
        """Slow the processor by a factor; 1: not at all."""
        for each in self.devtools:
            await each.send("Emulation.setCPUThrottlingRate", {"rate": factor})

    async def click(self, place: Locator | str) -> None:
        """Click something, as a locator or the name of a button."""
        button = self.page.get_by_role("button", name=place, exact=True) if isinstance(place, str) else place
        await button.click()
        self.clicks += 1

    async def type(self, label: str, text: str) -> None:
        """Fill the field with a label."""
        await self.page.get_by_label(label, exact=True).fill(text)
        self.typed += len(text)

    async def choose(self, label: str, option: str) -> None:
        """Choose an option of the field with a label."""
        await self.page.get_by_label(label, exact=True).select_option(option)
        self.clicks += 1


@asynccontextmanager
async def at_a_browser(machine: Machine, program: str) -> AsyncIterator[Browser]:
    """Run a browser on a machine, controlled through a pipe; it reaches the server alone."""
    async with browsing(machine.program(program), SERVER, flags=QUIET) as browser:
        yield browser


@asynccontextmanager
async def seated(browser: Browser, slowdown: int = SLOWDOWN) -> AsyncIterator[Person]:
    """Yield a person at an empty page, on a processor slowed by a factor. A page's workers are slowed with the page."""
    context = await new_context(browser)
    context.set_default_timeout(PATIENCE_MS)
    person = Person(await context.new_page())
    person.devtools.append(await context.new_cdp_session(person.page))
    await person.slow(slowdown)

    async def framed(frame: Frame) -> None:
        if frame.parent_frame is not None:
            with suppress(Error):  # the frame is in the process of its page, which is slow already, or gone
                person.devtools.append(await context.new_cdp_session(frame))
                await person.slow(slowdown)

    person.page.on("framenavigated", framed)
    async with person.problems.watching(context):
        yield person
        await context.close()


@contextmanager
def classroom(folder: Path) -> Iterator[tuple[Machine, Machine]]:
    """Yield the teacher's machine and the pupils' machine. Neither has a route to anywhere else."""
    with two_machines(folder) as machines:
        narrow((machine.namespace for machine in machines), MBIT)
        yield machines
